"""A Starlette application behind the guard, and what its handlers answer with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

import msgspec
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute
from starlette.types import ASGIApp

from falter.serving.access import Access, BusyError
from falter.serving.guard import RequestGuard, busy_response

__all__ = ["image_response", "json_response", "make_application", "read_json_body"]

T = TypeVar("T")

_IMAGE_TYPES = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF8", "image/gif"),
    (b"BM", "image/bmp"),
)


def make_application(
    routes: Sequence[BaseRoute],
    access: Access,
    *,
    name: str,
    hosts: Sequence[str] = (),
    any_address: bool = False,
    frame_ancestors: Sequence[str] = (),
) -> ASGIApp:
    """The routes behind tokens, checks of host and origin, and security headers.

    ``name`` tells the cookies of two kinds of servers apart. ``hosts`` are names by which the server is reached besides
    127.0.0.1 and localhost. ``any_address`` is for a server that listens on more than this machine.
    ``frame_ancestors`` are origins, such as a notebook's, whose pages may frame these.
    """
    inner = Starlette(routes=routes, exception_handlers=_ANSWERS)
    return RequestGuard(inner, access, name=name, hosts=hosts, any_address=any_address, frame_ancestors=frame_ancestors)


def json_response(value: Any, status: int = 200) -> Response:
    """A value as JSON."""
    return Response(msgspec.json.encode(value), status, media_type="application/json")


async def read_json_body(request: Request, form: type[T], *, limit: int = 65_536) -> T:
    """The body of a request, checked against a type; one that is too large or of another form is refused."""
    parts: list[bytes] = []
    size = 0
    async for part in request.stream():
        size += len(part)
        if size > limit:
            raise HTTPException(413, "The request is too large.")
        parts.append(part)
    try:
        return msgspec.json.decode(b"".join(parts), type=form)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise HTTPException(400, f"The request cannot be read: {error}") from error


def image_response(data: bytes) -> Response:
    """An image as what its first bytes say, in a sandbox; no other file is sent, whatever its name says."""
    found = next((kind for start, kind in _IMAGE_TYPES if data.startswith(start)), None)
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        found = "image/webp"
    if found is None:
        raise HTTPException(415, "This is no image that can be shown.")
    return Response(data, media_type=found, headers={"content-security-policy": "default-src 'none'; sandbox"})


async def _refuse(request: Request, error: Exception) -> Response:
    del request
    assert isinstance(error, HTTPException)
    return PlainTextResponse(error.detail, error.status_code, headers=error.headers)


async def _ask_again(request: Request, error: Exception) -> Response:
    del request
    assert isinstance(error, BusyError)
    return busy_response(error)


async def _fail(request: Request, error: Exception) -> Response:
    """What went wrong stays on the server's side."""
    del request, error
    return PlainTextResponse("Something went wrong here. Nothing was changed; try again.", 500)


_ANSWERS = {HTTPException: _refuse, BusyError: _ask_again, Exception: _fail}
