"""A headless Chromium, driven through a pipe with the DevTools protocol: no driver, no port, no network."""

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from types import TracebackType
from typing import Any, Self

NAMES = ("chromium", "chromium-browser", "google-chrome")
CHROMIUM = next((found for name in NAMES if (found := shutil.which(name))), None)
PATIENCE_S = 60.0


class Browser:
    """One page. Everything that its console says and every request it makes are kept; `more`: flags of the launch."""

    def __init__(self, *more: str) -> None:
        assert CHROMIUM is not None
        self.home = tempfile.TemporaryDirectory(prefix="boathull-browser-")
        commands, self.write = os.pipe()
        self.read, answers = os.pipe()
        script = 'exec 3<&"$1" 4>&"$2"; shift 2; exec "$@"'
        flags = ("--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", "--no-first-run",
                 "--disable-background-networking", "--disable-dev-shm-usage", "--mute-audio",
                 f"--user-data-dir={self.home.name}", *more, "about:blank")  # fmt: skip
        self.process = subprocess.Popen(
            ["bash", "-c", script, "sh", str(commands), str(answers), CHROMIUM, *flags],
            pass_fds=(commands, answers),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(commands)
        os.close(answers)
        self.buffer = b""
        self.number = 0
        self.session: str | None = None
        self.problems: list[str] = []
        self.requests: list[str] = []
        self.loaded = False
        target = next(t for t in self._send("Target.getTargets", {})["targetInfos"] if t["type"] == "page")
        attached = self._send("Target.attachToTarget", {"targetId": target["targetId"], "flatten": True})
        self.session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.ask(f"{domain}.enable")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self.write)
        os.close(self.read)
        for _ in range(20):  # helpers of the browser let go of the folder a little later
            shutil.rmtree(self.home.name, ignore_errors=True)
            if not Path(self.home.name).exists():
                break
            time.sleep(0.1)
        self.home._finalizer.detach()  # type: ignore[attr-defined]

    # --- the protocol

    def ask(self, method: str, **parameters: Any) -> Any:
        return self._send(method, parameters)

    def _send(self, method: str, parameters: dict[str, Any]) -> Any:
        self.number += 1
        message: dict[str, Any] = {"id": self.number, "method": method, "params": parameters}
        if self.session is not None:
            message["sessionId"] = self.session
        os.write(self.write, json.dumps(message).encode() + b"\0")
        wanted = self.number
        while True:
            answer = self._next()
            if answer.get("id") == wanted:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]

    def _next(self) -> dict[str, Any]:
        until = time.monotonic() + PATIENCE_S
        while b"\0" not in self.buffer:
            ready, _, _ = select.select([self.read], [], [], max(0.0, until - time.monotonic()))
            if not ready:
                raise TimeoutError("the browser does not answer")
            piece = os.read(self.read, 1 << 20)
            if not piece:
                raise RuntimeError("the browser is gone")
            self.buffer += piece
        text, _, self.buffer = self.buffer.partition(b"\0")
        message: dict[str, Any] = json.loads(text)
        self._hear(message)
        return message

    def _hear(self, message: dict[str, Any]) -> None:
        said = message.get("params", {})
        match message.get("method"):
            case "Runtime.exceptionThrown":
                self.problems.append(json.dumps(said["exceptionDetails"])[:2000])
            case "Log.entryAdded" if said["entry"]["level"] in ("error", "warning"):
                self.problems.append(said["entry"]["text"])
            case "Runtime.consoleAPICalled" if said["type"] in ("error", "warning", "assert"):
                self.problems.append(json.dumps(said["args"])[:2000])
            case "Network.requestWillBeSent":
                self.requests.append(said["request"]["url"])
            case "Page.loadEventFired":
                self.loaded = True

    # --- a page

    def open(self, path: Path, fragment: str = "") -> None:
        self._navigate("about:blank")  # the same file with another fragment would not be loaded again
        self.problems.clear()
        self.requests.clear()
        self._navigate(path.resolve().as_uri() + fragment)

    def _navigate(self, url: str) -> None:
        self.loaded = False
        self.ask("Page.navigate", url=url)
        while not self.loaded:
            self._next()

    def run(self, script: str) -> Any:
        """The value of a JavaScript expression, awaited. RuntimeError with what it throws."""
        found = self.ask("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in found:
            raise RuntimeError(json.dumps(found["exceptionDetails"])[:2000])
        return found["result"].get("value")

    def until(self, script: str) -> Any:
        """Waits until the expression is true; its value."""
        end = time.monotonic() + PATIENCE_S
        while not (found := self.run(script)):
            if time.monotonic() > end:
                raise TimeoutError(script)
            time.sleep(0.02)
        return found

    def press(self, key: str) -> None:
        codes = {"Enter": 13, "Escape": 27, "ArrowDown": 40, "ArrowUp": 38, "ArrowRight": 39, "Home": 36, "End": 35}
        for kind in ("keyDown", "keyUp"):
            text = {"text": "\r"} if key == "Enter" and kind == "keyDown" else {}
            self.ask("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=codes[key], **text)

    def size(self, width: int, height: int) -> None:
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def dark(self, on: bool) -> None:
        value = "dark" if on else "light"
        self.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": value}])

    def screenshot(self, path: Path) -> None:
        """The whole page, as long as it is (at most 6000 pixels)."""
        width, height = self.run("[document.documentElement.clientWidth, document.documentElement.scrollHeight]")
        clip = {"x": 0, "y": 0, "width": width, "height": min(height, 6000), "scale": 1}
        found = self.ask("Page.captureScreenshot", format="png", captureBeyondViewport=True, clip=clip)
        path.write_bytes(base64.b64decode(found["data"]))

    def pdf(self) -> bytes:
        """The page as it is printed."""
        return base64.b64decode(self.ask("Page.printToPDF", printBackground=True)["data"])
