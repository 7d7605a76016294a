"""Compresses what a program sends to models over HTTP, for every SDK that is built on httpx (or httpx2).

    client = tersely.httpx.wrap(httpx.Client())

Tool results go out smaller. Where detail was left out, the request offers the model a tool to fetch it back; a call of
that tool is answered here, in further rounds, and the caller sees one response, whole or streamed, without it. A
request that is not for a model, or that cannot be read, goes out as it is.
"""

from __future__ import annotations

import copy
import functools
import importlib
import itertools
import logging
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any, TypeVar

from . import core

__all__ = ["AsyncTransport", "Transport", "wrap"]

Client = TypeVar("Client")

_log = logging.getLogger("tersely")
_owners = itertools.count()


def wrap(client: Client, **options: Any) -> Client:
    """A copy of an httpx client, sync or async, that compresses. It shares the connections of the original."""
    wrapped: Any = copy.copy(client)
    # Clients of SDKs close their connections when they are collected: the original must stay as long as its copy.
    wrapped._tersely_original = client
    kind = AsyncTransport if hasattr(client, "aclose") else Transport
    around: Callable[[Any], Any] = lambda inner: inner and kind(inner, **options)
    wrapped._transport = around(wrapped._transport)
    wrapped._mounts = {pattern: around(inner) for pattern, inner in wrapped._mounts.items()}
    result: Client = wrapped
    return result


class _Base:
    """What both transports share. `options` are those of `compress`, and `retrieve=False` leaves nothing out."""

    def __init__(self, inner: Any, **options: Any) -> None:
        self.inner = inner
        # What was left out of a conversation that the provider stores is shown to this client alone.
        self.options = {"retrieve": True, "owner": str(next(_owners)), **options}
        # A wrong option is an error now rather than in the middle of a conversation.
        self._open("/", b"{}")

    def _open(self, path: str, body: bytes) -> tuple[bytes, core.Exchange | None]:
        try:
            _, body, exchange = core.open({**self.options, "path": path}, body)
        except (core.Unavailable, RuntimeError) as error:
            _log.warning("not compressed: %s", error)
            return body, None
        return body, exchange


class Transport(_Base):
    """An httpx transport around another one."""

    def handle_request(self, request: Any) -> Any:
        if not _is_json(request):
            return self.inner.handle_request(request)
        sent, exchange = self._open(_path(request), request.read())
        response = self.inner.handle_request(_request(request, sent, exchange))
        if exchange is None or response.status_code != 200:
            return response
        exchange.begin(response.headers.get("content-type", ""))
        stream = _streams(response)[0](self._chunks(request, response, exchange), response.close)
        return _response(response, stream)

    def _chunks(self, request: Any, response: Any, exchange: core.Exchange) -> Iterator[bytes]:
        while True:
            for data in response.iter_bytes():
                yield exchange.see(data)
            last, body = exchange.end()
            yield last
            if body is None:
                return
            response.close()
            response = self.inner.handle_request(_request(request, body, exchange))
            if response.status_code != 200:
                response.read()
                yield exchange.fail(response.status_code, response.text)
                return

    def close(self) -> None:
        self.inner.close()

    def __enter__(self) -> Transport:
        self.inner.__enter__()
        return self

    def __exit__(self, *why: Any) -> None:
        self.inner.__exit__(*why)


class AsyncTransport(_Base):
    """The same for an async client. The work is done on another thread, so the event loop goes on."""

    async def handle_async_request(self, request: Any) -> Any:
        import asyncio

        if not _is_json(request):
            return await self.inner.handle_async_request(request)
        sent, exchange = await asyncio.to_thread(self._open, _path(request), await request.aread())
        response = await self.inner.handle_async_request(_request(request, sent, exchange))
        if exchange is None or response.status_code != 200:
            return response
        exchange.begin(response.headers.get("content-type", ""))
        stream = _streams(response)[1](self._chunks(request, response, exchange), response.aclose)
        return _response(response, stream)

    async def _chunks(self, request: Any, response: Any, exchange: core.Exchange) -> AsyncIterator[bytes]:
        import asyncio

        while True:
            async for data in response.aiter_bytes():
                yield exchange.see(data)
            last, body = await asyncio.to_thread(exchange.end)
            yield last
            if body is None:
                return
            await response.aclose()
            response = await self.inner.handle_async_request(_request(request, body, exchange))
            if response.status_code != 200:
                await response.aread()
                yield exchange.fail(response.status_code, response.text)
                return

    async def aclose(self) -> None:
        await self.inner.aclose()

    async def __aenter__(self) -> AsyncTransport:
        await self.inner.__aenter__()
        return self

    async def __aexit__(self, *why: Any) -> None:
        await self.inner.__aexit__(*why)


def _is_json(request: Any) -> bool:
    kind: str = request.headers.get("content-type", "")
    return bool(request.method == "POST" and kind.split(";")[0].strip() == "application/json")


def _path(request: Any) -> str:
    path: str = request.url.raw_path.decode("ascii")
    return path


def _request(request: Any, body: bytes, exchange: core.Exchange | None) -> Any:
    """The request with another body. A response that must be read is asked for without compression."""
    headers = request.headers.copy()
    headers["content-length"] = str(len(body))
    headers.pop("transfer-encoding", None)
    if exchange is not None:
        headers["accept-encoding"] = "identity"
    return type(request)(request.method, request.url, headers=headers, content=body, extensions=request.extensions)


def _response(response: Any, stream: Any) -> Any:
    headers = response.headers.copy()
    for name in ("content-length", "content-encoding"):
        headers.pop(name, None)
    return type(response)(response.status_code, headers=headers, stream=stream, extensions=response.extensions)


def _streams(response: Any) -> tuple[Any, Any]:
    return _stream_types(type(response).__module__.partition(".")[0])


@functools.cache
def _stream_types(library: str) -> tuple[Any, Any]:
    """The streams that a client of this library accepts: it checks the type."""
    httpx = importlib.import_module(library)

    class Stream(httpx.SyncByteStream):  # type: ignore[misc, name-defined]
        def __init__(self, chunks: Iterator[bytes], close: Callable[[], None]) -> None:
            self.chunks, self.close = chunks, close

        def __iter__(self) -> Iterator[bytes]:
            return (data for data in self.chunks if data)

    class AsyncStream(httpx.AsyncByteStream):  # type: ignore[misc, name-defined]
        def __init__(self, chunks: AsyncIterator[bytes], close: Callable[[], Any]) -> None:
            self.chunks, self.aclose = chunks, close

        async def __aiter__(self) -> AsyncIterator[bytes]:
            async for data in self.chunks:
                if data:
                    yield data

    return Stream, AsyncStream
