"""What AWS's services do at their door: frame events as messages, and check signatures. Written from AWS's descriptions of both."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import struct
import zlib
from urllib.parse import quote, unquote, urlsplit

STREAM = "application/vnd.amazon.eventstream"
SECRET = "an example of a secret"


def message(headers: dict[str, str], payload: bytes) -> bytes:
    """A message: lengths, a sum over them, headers, the payload, a sum over all."""
    block = b"".join(
        struct.pack("!B", len(name)) + name.encode() + struct.pack("!BH", 7, len(value)) + value.encode() for name, value in headers.items()
    )
    lengths = struct.pack("!II", 16 + len(block) + len(payload), len(block))
    head = lengths + struct.pack("!I", zlib.crc32(lengths)) + block + payload
    return head + struct.pack("!I", zlib.crc32(head))


def event(name: str, payload: dict) -> bytes:
    """An event, padded as Bedrock does so that lengths tell nothing."""
    headers = {":event-type": name, ":content-type": "application/json", ":message-type": "event"}
    return message(headers, json.dumps({**payload, "p": "abcdefghijklmnop"}).encode())


def chunk(inner: dict) -> bytes:
    """An event of another provider, wrapped."""
    return event("chunk", {"bytes": base64.b64encode(json.dumps(inner).encode()).decode()})


def once(word: str) -> str:
    """A word of a query, encoded once and to the letter."""
    return quote(unquote(word), safe="-_.~")


def is_signed(method: str, target: str, headers: dict[str, str], body: bytes) -> bool:
    """Whether a request has the signature that it should have."""
    return given(headers)["Signature"] == signature(method, target, headers, body)


def given(headers: dict[str, str]) -> dict[str, str]:
    """What a signature says of itself."""
    words = headers["authorization"].split(" ", 1)[1].replace(" ", "").split(",")
    return dict(word.split("=", 1) for word in words)


def signature(method: str, target: str, headers: dict[str, str], body: bytes) -> str:
    """The signature that a request should have, with our secret."""
    claims = given(headers)
    names = claims["SignedHeaders"].split(";")
    path, query = urlsplit(target).path, urlsplit(target).query
    # All but the oldest services encode the path once more.
    canonical = "\n".join([
        method,
        quote(path, safe="/-_.~"),
        "&".join(sorted(f"{once(name)}={once(value)}" for name, _, value in (pair.partition("=") for pair in query.split("&") if pair))),
        "".join(f"{name}:{' '.join(headers[name].split())}\n" for name in names),
        claims["SignedHeaders"],
        headers.get("x-amz-content-sha256") or hashlib.sha256(body).hexdigest(),
    ])
    scope = claims["Credential"].split("/", 1)[1]
    text = "\n".join(["AWS4-HMAC-SHA256", headers["x-amz-date"], scope, hashlib.sha256(canonical.encode()).hexdigest()])
    key = f"AWS4{SECRET}".encode()
    for part in [*scope.split("/"), text]:
        key = hmac.new(key, part.encode(), hashlib.sha256).digest()
    return key.hex()
