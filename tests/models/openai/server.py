"""A chat server over loopback that does as it is told: well, slowly, or badly in many ways."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any

REASONS = {200: "OK", 400: "Bad Request", 404: "Not Found", 429: "Too Many Requests", 500: "Internal Server Error"}


@dataclass(frozen=True)
class Asked:
    """One request for a completion."""

    body: dict[str, Any]
    headers: dict[str, str]
    times: int
    """How often this question was asked before."""

    @property
    def text(self) -> str:
        content = self.body["messages"][-1]["content"]
        return str(content) if isinstance(content, str) else str(content[-1]["text"])

    @property
    def id(self) -> str:
        return f"chatcmpl-{self.headers.get('x-request-id', 'none')}"


@dataclass(frozen=True)
class Out:
    """What goes over the wire."""

    body: bytes = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    delay: float = 0.0
    sent: int | None = None
    """So many bytes of the body are sent, and then the connection breaks."""
    drop: bool = False
    """The connection breaks before a byte is sent."""
    declared: bool = True
    """Whether the length of the body is declared."""


def completion(asked: Asked, text: str | None, **changes: Any) -> bytes:
    """A completion as it should be, but for the changes."""
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
    choice |= {name: changes.pop(name) for name in ("finish_reason", "logprobs", "message") if name in changes}
    whole = {
        "id": asked.id,
        "object": "chat.completion",
        "model": asked.body["model"],
        "choices": [choice],
        "usage": {"prompt_tokens": 100, "completion_tokens": 2, "total_tokens": 102},
    }
    return json.dumps(whole | changes).encode()


def listed(*positions: dict[str, float]) -> dict[str, Any]:
    """Log-probabilities; the first token of each place is the one that was said."""
    return {
        "content": [
            {
                "token": next(iter(position)),
                "logprob": next(iter(position.values())),
                "top_logprobs": [{"token": token, "logprob": value} for token, value in position.items()],
            }
            for position in positions
        ]
    }


def problem(status: int, message: str, *, headers: dict[str, str] | None = None, **fields: Any) -> Out:
    """An error as services put it."""
    return Out(json.dumps({"error": {"message": message} | fields}).encode(), status, headers or {})


class Server:
    """Serves in a thread; counts what it is asked."""

    def __init__(
        self, script: Callable[[Asked], Out], *, models: tuple[str, ...] = ("tiny-vl",), port: int = 0
    ) -> None:
        self._script = script
        self.models = models
        self._port = port
        self._times: Counter[str] = Counter()
        self._started = threading.Event()
        self._connections: set[asyncio.Task[None]] = set()
        self.asked: list[Asked] = []
        self.under_way = 0
        self.most_under_way = 0

    @property
    def base(self) -> str:
        return f"http://127.0.0.1:{self._port}/v1"

    def __enter__(self) -> Server:
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()), daemon=True)
        self._thread.start()
        assert self._started.wait(120)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._loop.call_soon_threadsafe(self._ending.set)
        self._thread.join()

    def forget(self) -> None:
        """Be as good as new: what was asked so far was never asked."""
        self._times.clear()
        self.asked.clear()

    def wait_until_left(self) -> None:
        """Wait until every connection is closed: what was on its way is read by then."""
        ends = time.monotonic() + 120
        while self._connections:
            assert time.monotonic() < ends, "the client keeps its connections"
            time.sleep(0.005)

    async def _serve(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._ending = asyncio.Event()
        server = await asyncio.start_server(self._connected, "127.0.0.1", self._port, backlog=512)
        self._port = server.sockets[0].getsockname()[1]
        self._started.set()
        await self._ending.wait()
        server.close()
        for task in list(self._connections):
            task.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        try:
            while await self._one(reader, writer):
                pass
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            self._connections.discard(task)
            writer.close()

    async def _one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        method, path, _ = head[0].split(" ")
        pairs = (line.partition(":") for line in head[1:] if line)
        headers = {name.strip().lower(): value.strip() for name, _, value in pairs}
        body = await reader.readexactly(int(headers.get("content-length", "0")))
        if method == "GET":
            names = [{"id": name, "object": "model"} for name in self.models]
            return await _send(writer, Out(json.dumps({"object": "list", "data": names}).encode()))
        if not path.endswith("/v1/chat/completions"):
            return await _send(writer, Out(b'{"detail":"Not Found"}', 404))
        asked = Asked(json.loads(body), headers, 0)
        asked = Asked(asked.body, headers, self._times[asked.text])
        self._times[asked.text] += 1
        self.asked.append(asked)
        self.under_way += 1
        self.most_under_way = max(self.most_under_way, self.under_way)
        try:
            out = self._script(asked)
            if out.delay:
                await asyncio.sleep(out.delay)
        finally:
            self.under_way -= 1
        return await _send(writer, out)


async def _send(writer: asyncio.StreamWriter, out: Out) -> bool:
    """Whether the connection is still good."""
    if out.drop:
        return False
    lines = [f"HTTP/1.1 {out.status} {REASONS.get(out.status, 'Other')}"]
    headers = {"Content-Type": "application/json"} | out.headers
    headers |= {"Content-Length": str(len(out.body))} if out.declared else {"Connection": "close"}
    lines += [f"{name}: {value}" for name, value in headers.items()]
    writer.write("\r\n".join([*lines, "", ""]).encode("latin-1"))
    writer.write(out.body if out.sent is None else out.body[: out.sent])
    await writer.drain()
    return out.sent is None and out.declared
