"""Listening on this machine: on a free port, until interrupted or for as long as a block lasts.

Connections on which no whole request comes are closed after a time, and give way to others.
"""

from __future__ import annotations

import asyncio
import ipaddress
import socket
import threading
import time
from contextlib import suppress
from types import TracebackType
from typing import Any
from urllib.parse import urlencode

import h11
import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from falter.core.errors import FalterError, UsageError

_SECONDS_TO_ASK = 15.0
"""For a request with its body, of 64 KiB at most; chosen by hand, not measured."""
_MOST_WAITING = 256
"""Half of the connections that the server takes: whoever asks something whole finds room among the others."""


class PatientProtocol(H11Protocol):
    """HTTP as uvicorn speaks it, with a time for each request to arrive whole.

    Connections that wait for one, new ones and idle ones included, stand in a row; where it is full, the one that has
    waited longest is closed. So half a request, or any number of them, keeps nobody else out.
    """

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._timer: asyncio.TimerHandle | None = None
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._look()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._look()

    def _look(self) -> None:
        """Wait while a request is not whole; its time runs from the first look."""
        if self.transport.is_closing() or self.conn.their_state not in (h11.IDLE, h11.SEND_BODY):
            self._stop_waiting()
        elif self._timer is None:
            self._wait()

    def _wait(self) -> None:
        self._timer = self.loop.call_later(_SECONDS_TO_ASK, self._give_up)
        waiting = _row(self.server_state)
        waiting[self] = None
        if len(waiting) > _MOST_WAITING:
            next(iter(waiting))._give_up()

    def _stop_waiting(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        _row(self.server_state).pop(self, None)

    def _give_up(self) -> None:
        self._stop_waiting()
        self.transport.abort()


def _row(server_state: Any) -> dict[PatientProtocol, None]:
    """The connections of one server that wait, the longest first."""
    if not hasattr(server_state, "waiting"):
        server_state.waiting = {}
    row: dict[PatientProtocol, None] = server_state.waiting
    return row


_SECONDS_TO_START = 30.0
_SECONDS_TO_STOP = 3
_MOST_CONNECTIONS = 512


class PageServer:
    """Serves one application; the port is bound at once, so that the address is known before the first request.

    ``with PageServer(application) as server`` serves in a thread; :meth:`run` serves until interrupted. Nothing is
    logged but errors: addresses of people and tokens appear nowhere.
    """

    def __init__(self, application: ASGIApp, *, host: str = "127.0.0.1", port: int = 0) -> None:
        self._socket = _bind(host, port)
        bound: tuple[str, int] = self._socket.getsockname()[:2]
        self.host, self.port = bound
        self._server = uvicorn.Server(
            uvicorn.Config(
                application,
                log_level="error",
                access_log=False,
                server_header=False,
                proxy_headers=False,
                lifespan="off",
                limit_concurrency=_MOST_CONNECTIONS,
                timeout_graceful_shutdown=_SECONDS_TO_STOP,
                ws="none",
                http=PatientProtocol,
            )
        )
        self._thread: threading.Thread | None = None

    @property
    def url(self) -> str:
        """The address of the server on this machine, without a slash at its end."""
        if self.host in ("0.0.0.0", "::"):
            return f"http://127.0.0.1:{self.port}"
        return f"http://[{self.host}]:{self.port}" if ":" in self.host else f"http://{self.host}:{self.port}"

    def link(self, token: str, path: str = "/", *, base: str | None = None) -> str:
        """The address that a person opens; ``base`` is the server's public address, where it has one."""
        return f"{(base or self.url).rstrip('/')}{path}?{urlencode({'token': token})}"

    def run(self) -> None:
        """Serve in this thread until interrupted; answers under way are finished first."""
        with suppress(KeyboardInterrupt):
            self._server.run(sockets=[self._socket])
        self._socket.close()

    def start(self) -> PageServer:
        """Serve in a thread of its own, from now on."""
        self._thread = threading.Thread(target=self._server.run, kwargs={"sockets": [self._socket]}, daemon=True)
        self._thread.start()
        deadline = time.monotonic() + _SECONDS_TO_START
        while not self._server.started:
            if not self._thread.is_alive() or time.monotonic() > deadline:
                raise FalterError(f"the server at {self.url} did not start")
            time.sleep(0.005)
        return self

    def stop(self) -> None:
        """Finish the answers under way and free the port; may be called twice."""
        self._server.should_exit = True
        if self._thread is not None:
            self._thread.join(_SECONDS_TO_STOP + 5)
            self._thread = None
        self._socket.close()

    def __enter__(self) -> PageServer:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()


def is_loopback(host: str) -> bool:
    """Whether a host is this machine alone."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _bind(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # With the protocol named, asyncio sends small answers at once; else they wait 40 ms for an acknowledgement.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except (OSError, OverflowError) as error:
        listener.close()
        told = getattr(error, "strerror", None) or str(error)
        raise UsageError(f"cannot listen at {host}:{port}: {told}; choose another --port or leave it out") from error
    return listener
