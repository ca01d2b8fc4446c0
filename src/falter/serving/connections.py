"""Connections on which no whole request comes: they are closed after a time, and give way to others."""

from __future__ import annotations

import asyncio
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

__all__ = ["PatientProtocol"]

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
