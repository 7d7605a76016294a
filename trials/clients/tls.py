"""A door with TLS before one without: some SDKs send keys over nothing else."""

from __future__ import annotations

import socket
import ssl
import subprocess
import tempfile
import threading
from pathlib import Path


class TlsDoor:
    """Listens with a certificate of its own, and passes bytes on to an address."""

    def __init__(self, address: tuple[str, int]) -> None:
        self.address, self.folder = address, tempfile.TemporaryDirectory(prefix="tersely-tls-")
        self.certificate, key = Path(self.folder.name) / "door.pem", Path(self.folder.name) / "door.key"
        subject = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1", "-addext", "basicConstraints=critical,CA:TRUE"]
        words = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-keyout", key, "-out", self.certificate, *subject]
        subprocess.run(words, check=True, capture_output=True)
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(self.certificate, key)
        self.listener = socket.create_server(("127.0.0.1", 0))
        threading.Thread(target=self.listen, daemon=True).start()

    @property
    def url(self) -> str:
        """Where it is."""
        return f"https://127.0.0.1:{self.listener.getsockname()[1]}"

    def listen(self) -> None:
        """Take whoever comes."""
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.pass_on, args=[client], daemon=True).start()

    def pass_on(self, client: socket.socket) -> None:
        """Both directions of one connection."""
        try:
            inside, outside = self.context.wrap_socket(client, server_side=True), socket.create_connection(self.address)
        except OSError:
            return
        threading.Thread(target=pump, args=[outside, inside], daemon=True).start()
        pump(inside, outside)

    def close(self) -> None:
        """No more."""
        self.listener.close()
        self.folder.cleanup()


def pump(source: socket.socket, target: socket.socket) -> None:
    """Bytes, until there are no more."""
    try:
        while data := source.recv(65536):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        pass
