#!/usr/bin/env python3
"""Makes the documents a site: site.py BUILD FOLDER [--no-gallery]

FOLDER/html gets README.md, docs/, the manuals, and a gallery of pictures and report pages that BUILD/halfwarp makes
now (gallery.def). MkDocs makes the pages, and fails where a link leads nowhere. --no-gallery leaves out what takes time.
"""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys

TOP = pathlib.Path(__file__).resolve().parents[2]
HERE = TOP / "tools/site"


def link_documents(text):
    """docs/X.md, in words or as code, becomes a link; code blocks stay as they are."""
    linked, is_fenced = [], False
    for line in text.split("\n"):
        is_fenced ^= line.startswith("```")
        if not is_fenced and not line.startswith("    "):
            line = re.sub(r"\]\(docs/([\w-]+\.\w+)\)", r"](\1)", line)
            line = re.sub(r"`?(?<![\w/(])docs/([\w-]+)\.md`?", r"[\1](\1.md)", line)
        linked.append(line)
    return "\n".join(linked)


def copy_documents(pages):
    for path in sorted((TOP / "docs").iterdir()):
        if path.suffix == ".md":
            (pages / path.name).write_text(link_documents(path.read_text()))
        else:
            shutil.copy(path, pages)
    (pages / "index.md").write_text(link_documents((TOP / "README.md").read_text()))


def write_manuals(pages):
    parts = ["# Manuals\n"]
    for path in sorted((TOP / "man").glob("*.[137]")):
        text = subprocess.run(["groff", "-mdoc", "-Tutf8", "-P-cbou", path], capture_output=True, text=True,
                              check=True).stdout
        indented = "\n".join("    " + line for line in text.strip("\n").split("\n"))
        parts.append(f"\n## {path.stem} ({path.suffix[1:]})\n\n{indented}\n")
    (pages / "manuals.md").write_text("\n".join(parts))


def gallery_rows():
    for line in (HERE / "gallery.def").read_text().split("\n"):
        if line and not line.startswith("#"):
            yield [part.strip() for part in line.split("|")]


def write_gallery(build, pages, is_made):
    parts = ["# Gallery\n", "Each of these was made by the command below it when this site was made.\n"]
    for name, command, shows in gallery_rows():
        words = [word.replace("FILE", str(pages / name)) for word in command.split()]
        if is_made:
            run = subprocess.run([build / "halfwarp", *words], cwd=TOP, capture_output=True, text=True)
            if not (pages / name).exists():
                sys.exit(f"site: halfwarp {command}: {run.stderr}")
        else:
            (pages / name).write_text("")
        shown = f"[{shows}]({name})" if name.endswith(".html") else f"{shows}:\n\n![{shows}]({name})"
        parts.append(f"{shown}\n\n    halfwarp {command.replace('FILE', name)}\n")
    (pages / "gallery.md").write_text("\n".join(parts))


def mend_jquery(html):
    """Debian's package of the theme has jQuery by another name than its pages ask for, without which menus stay shut."""
    wanted = re.search(r'src="(js/jquery[^"]*)"', (html / "index.html").read_text())
    found = sorted((html / "js").glob("jquery*.js")) if wanted else []
    if found and not (html / wanted[1]).exists():
        shutil.copy(found[0], html / wanted[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--no-gallery", action="store_true")
    words = parser.parse_args()
    if not shutil.which("mkdocs"):
        sys.exit("site: needs MkDocs (apt-get install mkdocs)")
    site = words.folder.resolve()
    pages = site / "pages"
    shutil.rmtree(site, ignore_errors=True)
    pages.mkdir(parents=True)
    copy_documents(pages)
    write_manuals(pages)
    write_gallery(words.build.resolve(), pages, not words.no_gallery)
    shutil.copy(HERE / "mkdocs.yml", site)
    made = subprocess.run(["mkdocs", "build"], cwd=site, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if made.returncode:
        said = re.sub(r"\x1b\[[0-9;]*m", "", made.stdout)
        sys.exit("\n".join(line for line in said.split("\n") if line and not line.startswith("INFO")))
    mend_jquery(site / "html")
    print(site / "html/index.html")


main()
