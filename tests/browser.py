# SPDX-FileCopyrightText: 2026 The Tilewright authors
# SPDX-License-Identifier: Apache-2.0
"""A browser without a window, driven through chromedriver's HTTP interface (WebDriver)."""
import base64
import json
import os
import shutil
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

PATIENCE = 60  # seconds for one answer


class Missing(Exception):
    """What is not here, and how to get it."""


def element_of(value):
    return next(iter(value.values()))


class Browser:
    """with Browser() as browser: ..."""

    def __init__(self):
        driver, program = shutil.which("chromedriver"), shutil.which("chromium")
        if not driver or not program:
            raise Missing("no chromium with chromedriver (Debian: apt-get install chromium chromium-driver)")
        self.profile = tempfile.mkdtemp(prefix="tilewright-browser-")
        self.driver = subprocess.Popen([driver, "--port=0"], stdout=subprocess.PIPE,
                                       stderr=subprocess.DEVNULL, text=True)
        self.session = ""
        try:
            port = self.port()
            self.address = f"http://127.0.0.1:{port}"
            arguments = ["--headless", "--disable-gpu", "--no-first-run", "--hide-scrollbars",
                         f"--user-data-dir={self.profile}", "--window-size=1200,1000"]
            if os.geteuid() == 0:
                arguments.append("--no-sandbox")
            options = {"binary": program, "args": arguments}
            self.session = "/session/" + self.ask("POST", "/session", {"capabilities": {"alwaysMatch": {
                "goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}}})["sessionId"]
        except BaseException:
            self.close()
            raise

    def port(self):
        for line in self.driver.stdout:
            if "successfully on port" in line:
                return int(line.rstrip(". \n").split()[-1])
        raise Missing("chromedriver did not start")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        try:
            if self.session:
                self.ask("DELETE", self.session)
        finally:
            self.driver.terminate()
            self.driver.wait()
            self.driver.stdout.close()
            shutil.rmtree(self.profile, ignore_errors=True)

    def ask(self, method, path, body=None):
        data = json.dumps(body or {}).encode() if method == "POST" else None
        request = urllib.request.Request(self.address + path, data, {"Content-Type": "application/json"},
                                         method=method)
        # Not through a proxy of the environment: this is the same machine.
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(request, timeout=PATIENCE) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(json.load(error)["value"]["message"]) from error

    def open(self, path):
        self.ask("POST", self.session + "/url", {"url": path if "://" in str(path) else f"file://{path}"})

    def run(self, script, *arguments):
        """The script's value: what it returns."""
        return self.ask("POST", self.session + "/execute/sync", {"script": script, "args": list(arguments)})

    def wait(self, script, *arguments, seconds=10):
        end = time.monotonic() + seconds
        while not self.run(script, *arguments):
            if time.monotonic() > end:
                raise AssertionError(f"not within {seconds} s: {script}")
            time.sleep(0.02)

    def devtools(self, command, **parameters):
        return self.ask("POST", self.session + "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def resize(self, width, height=1000, mobile=False):
        self.devtools("Emulation.setDeviceMetricsOverride", width=width, height=height,
                      deviceScaleFactor=2 if mobile else 1, mobile=mobile)

    def prefer(self, **features):
        """prefer(prefers_color_scheme="dark")"""
        self.devtools("Emulation.setEmulatedMedia", features=[
            {"name": name.replace("_", "-"), "value": value} for name, value in features.items()])

    def point(self, x, y):
        self.devtools("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def press(self, key, code):
        for kind in ("keyDown", "keyUp"):
            self.devtools("Input.dispatchKeyEvent", type=kind, key=key, code=key,
                          windowsVirtualKeyCode=code, text="\r" if key == "Enter" else "")

    def console(self):
        """What the page had to say since the last call."""
        return self.ask("POST", self.session + "/se/log", {"type": "browser"})

    def picture(self, path, **clip):
        options = {"clip": {**clip, "scale": 1}, "captureBeyondViewport": True} if clip else {}
        shot = self.devtools("Page.captureScreenshot", **options)
        with open(path, "wb") as file:
            file.write(base64.b64decode(shot["data"]))

    def paper(self, path):
        """The page as PDF, as it would be printed."""
        printed = self.devtools("Page.printToPDF", preferCSSPageSize=True, printBackground=True,
                                paperWidth=8.27, paperHeight=11.69)
        with open(path, "wb") as file:
            file.write(base64.b64decode(printed["data"]))
