"""A proxy between a store's client and the store, which makes requests fail as networks and servers do."""

import http.client
import socket
import socketserver
import threading
import time


class Fault:
    """A fault for the requests that `wants(method, path)` selects: the first `skip` pass, then every `each`-th one fails."""

    def __init__(self, kind, wants=lambda method, path: True, each=3, skip=0, most=10**9):
        self.kind, self.wants, self.each, self.skip, self.most = kind, wants, each, skip, most
        self.seen = self.met = 0

    def meets(self, method, path):
        if not self.wants(method, path):
            return False
        self.seen += 1
        if self.met >= self.most or self.seen <= self.skip or (self.seen - self.skip) % self.each:
            return False
        self.met += 1
        return True


class Proxy(socketserver.ThreadingTCPServer):
    """Forwards requests to a server. `fault` makes some of them fail; `hook(method, path)` is called before each."""

    allow_reuse_address = True
    daemon_threads = True

    def __init__(self, port):
        super().__init__(("127.0.0.1", 0), Connection)
        self.server, self.fault, self.hook, self.log = port, None, None, []
        self.lock = threading.Lock()
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def url(self):
        return "http://127.0.0.1:%d" % self.server_address[1]

    def handle_error(self, request, client_address):
        """Ignores clients that disconnect in the middle of a request, because the tests make that happen."""


class Connection(socketserver.StreamRequestHandler):
    disable_nagle_algorithm = True

    def handle(self):
        while self.one():
            pass

    def one(self):
        """Handles one request; returns whether the connection stays open."""
        line = self.rfile.readline(65536).decode("latin-1")
        if not line.strip():
            return False
        method, path, _ = line.split(" ", 2)
        headers = http.client.parse_headers(self.rfile)
        body = self.rfile.read(int(headers.get("Content-Length") or 0))
        proxy = self.server
        with proxy.lock:
            kind = proxy.fault.kind if proxy.fault and proxy.fault.meets(method, path) else None
            proxy.log.append((method, path, kind))
        if proxy.hook:
            proxy.hook(method, path)
        if kind in ("500", "503", "403"):
            code = {"500": "InternalError", "503": "SlowDown", "403": "AccessDenied"}[kind]
            text = "<Error><Code>%s</Code><Message>a planned fault</Message></Error>" % code
            return self.answer(int(kind), [], b"" if method == "HEAD" else text.encode())
        if kind == "reset":
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
            return False
        if kind == "delay":
            time.sleep(0.5)
        upstream = http.client.HTTPConnection("127.0.0.1", proxy.server)
        upstream.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        for name, value in headers.items():
            if name.lower() not in ("connection", "content-length"):
                upstream.putheader(name, value)
        upstream.putheader("Content-Length", str(len(body)))
        upstream.endheaders(body)
        response = upstream.getresponse()
        content = response.read()
        upstream.close()
        if kind == "lost":
            return False
        kept = [(n, v) for n, v in response.getheaders() if n.lower() not in ("connection", "content-length", "transfer-encoding")]
        length = int(response.getheader("Content-Length") or 0) if method == "HEAD" else len(content)
        return self.answer(response.status, kept, content, length, kind)

    def answer(self, status, headers, content, length=None, kind=None):
        length = len(content) if length is None else length
        half = len(content) // 2
        if kind == "short":
            # This answer is complete according to its length, but shorter than the requested range.
            content, length = content[:half], half
        head = "HTTP/1.1 %d %s\r\n" % (status, http.client.responses.get(status, ""))
        head += "".join("%s: %s\r\n" % pair for pair in headers) + "Content-Length: %d\r\n\r\n" % length
        self.wfile.write(head.encode("latin-1"))
        if kind == "cut":
            self.wfile.write(content[:half])
            return False
        if kind == "slow":
            step = max(1, len(content) // 20)
            for at in range(0, len(content), step):
                self.wfile.write(content[at : at + step])
                time.sleep(0.02)
        else:
            self.wfile.write(content)
        return True
