# The documents make a site: every page is in its navigation, and no link leads nowhere. Without the gallery's runs.
. "$(dirname "$0")/../check.bash"

for tool in mkdocs groff; do
    command -v $tool > /dev/null || { echo "skipped: $tool is not installed"; exit 77; }
done
expect 0 python3 tools/site/site.py "$(dirname "$halfwarp")" "$work/site" --no-gallery
[ -f "$work/site/html/gallery.html" ] || fail "no gallery"
grep -q 'href="check.html"' "$work/site/html/index.html" || fail "documents that README names are no links"
grep -q 'halfwarp-columns' "$work/site/html/manuals.html" || fail "no manuals"
jquery=$(grep -o 'js/jquery[^"]*' "$work/site/html/index.html" | head -1)
[ -z "$jquery" ] || [ -f "$work/site/html/$jquery" ] || fail "no $jquery, which menus need"
for page in docs/*.md; do
    name=$(basename "$page" .md)
    grep -q ": $name.md" tools/site/mkdocs.yml || fail "$page has no place in the navigation"
done
finish
