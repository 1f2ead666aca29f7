"""A Firefox without a window, steered over its own protocol (Marionette: JSON with its length before it)."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import time
from pathlib import Path
from typing import Any, cast

ERRORS = """Services.console.getMessageArray().map((message) => {
    if (!(message instanceof Ci.nsIScriptError) || message.flags & Ci.nsIScriptError.warningFlag) return "";
    return `${message.sourceName}: ${message.errorMessage}`;
}).filter((text) => /^(file|http|blob|data)/.test(text))"""


class Firefox:
    """A browser with one page, `width` x `height`; its profile lies in `folder`."""

    def __init__(self, folder: Path, width: int, height: int) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        settings = {"marionette.port": port, "datareporting.policy.dataSubmissionEnabled": False}
        lines = [f"user_pref({json.dumps(name)}, {json.dumps(value)});" for name, value in settings.items()]
        (folder / "user.js").write_text("\n".join(lines))
        command = ["firefox-esr", "--headless", "--no-remote", "--marionette", "--remote-allow-system-access"]
        command += ["--profile", str(folder), "--window-size", f"{width},{height}"]
        environment = {**os.environ, "HOME": str(folder)}  # it makes folders there
        self._process = subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment
        )
        self._socket = self._connect(port)
        self._received = b""
        self._sent = 0
        self._receive()  # its greeting
        self._command("WebDriver:NewSession", capabilities={"alwaysMatch": {}})

    def _connect(self, port: int) -> socket.socket:
        deadline = time.monotonic() + 60
        while True:
            try:
                return socket.create_connection(("127.0.0.1", port))
            except OSError:
                assert self._process.poll() is None, "Firefox has ended"
                assert time.monotonic() < deadline, "Firefox does not listen"
                time.sleep(0.1)

    def _receive(self) -> Any:
        while b":" not in self._received:
            self._received += self._socket.recv(1 << 16)
        size, _, rest = self._received.partition(b":")
        while len(rest) < int(size):
            rest += self._socket.recv(1 << 20)
        self._received = rest[int(size) :]
        return json.loads(rest[: int(size)])

    def _command(self, name: str, **arguments: Any) -> Any:
        self._sent += 1
        data = json.dumps([0, self._sent, name, arguments]).encode()
        self._socket.sendall(b"%d:%s" % (len(data), data))
        _, _, error, result = self._receive()
        assert error is None, error
        return result

    def goto(self, address: str) -> None:
        """Load a page. (One that differs from the last in what comes after # only is not loaded anew.)"""
        self._command("WebDriver:Navigate", url=address)

    def evaluate(self, expression: str) -> Any:
        """The value of an expression in the page."""
        return self._command("WebDriver:ExecuteScript", script=f"return {expression}", args=[])["value"]

    def until(self, claim: str) -> None:
        """Wait until a claim about the page is true."""
        deadline = time.monotonic() + 60
        while not self.evaluate(claim):
            assert time.monotonic() < deadline, f"never came true: {claim}"
            time.sleep(0.05)

    def press(self, key: str) -> None:
        """Press a key, given as the character it writes."""
        actions = [{"type": kind, "value": key} for kind in ("keyDown", "keyUp")]
        self._command("WebDriver:PerformActions", actions=[{"type": "key", "id": "keys", "actions": actions}])

    def errors(self) -> list[str]:
        """What pages have complained of so far."""
        self._command("Marionette:SetContext", value="chrome")
        found = cast("list[str]", self.evaluate(ERRORS))
        self._command("Marionette:SetContext", value="content")
        return found

    def close(self) -> None:
        self._socket.close()
        self._process.terminate()
        self._process.wait(30)
