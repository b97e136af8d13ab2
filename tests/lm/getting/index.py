"""A package index and hub on the loopback, with one wheel and one file in it, which can be slow, cut off or wrong."""

import base64
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

CHUNK = 4096


class Index(ThreadingHTTPServer):
    """``files`` are served by their names, the wheels among them as a package index does. ``asked`` are the names that
    were asked for, each with the place to go on from; ``goes_on`` is called with the bytes that were sent before each
    chunk, and false breaks the connection off."""

    daemon_threads = True

    def __init__(self, files: dict[str, bytes]):
        super().__init__(("127.0.0.1", 0), _Answer)
        self.files, self.asked, self.ranges, self.password = files, [], True, ""
        self.goes_on: Callable[[int], bool] = lambda sent: True

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class _Answer(BaseHTTPRequestHandler):
    server: Index

    def do_GET(self) -> None:
        name = self.path.rpartition("/")[2]
        allowed = f"Basic {base64.b64encode(self.server.password.encode()).decode()}"
        if self.server.password and self.headers.get("Authorization") != allowed:
            self.send_response(401)
            self.send_header("WWW-Authenticate", 'Basic realm="index"')
            self.end_headers()
        elif self.path.startswith("/simple/"):
            links = "".join(f'<a href="/files/{file}">{file}</a>' for file in self.server.files)
            self._send(f"<!DOCTYPE html><html><body>{links}</body></html>".encode(), "text/html")
        elif name in self.server.files:
            self._file(name)
        else:
            self.send_error(404)

    def _file(self, name: str) -> None:
        content, asked = self.server.files[name], self.headers.get("Range")
        start = int(asked.removeprefix("bytes=").removesuffix("-")) if asked and self.server.ranges else 0
        self.server.asked.append((name, start))
        self.send_response(206 if start else 200)
        if start:
            self.send_header("Content-Range", f"bytes {start}-{len(content) - 1}/{len(content)}")
        self.send_header("Content-Length", str(len(content) - start))
        self.end_headers()
        for at in range(start, len(content), CHUNK):
            if not self.server.goes_on(at - start):
                return
            self.wfile.write(content[at : at + CHUNK])

    def _send(self, content: bytes, kind: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format, *args) -> None:
        pass


@contextmanager
def serving(files: dict[str, bytes]) -> Iterator[Index]:
    index = Index(files)
    threading.Thread(target=index.serve_forever, daemon=True).start()
    try:
        yield index
    finally:
        index.shutdown()
        index.server_close()
