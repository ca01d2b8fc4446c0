"""A Starlette application behind the guard, and what its handlers answer with; styles and scripts from memory.

The guard checks host, origin and token before every page, and every response has security headers:

- **Host.** The name in the address must be 127.0.0.1, localhost or [::1], or one that was given; so a foreign name
  that resolves to this machine reads nothing. A server that listens on other addresses also answers to addresses.
- **Origin.** A request that changes something must state, by ``Origin`` or ``Sec-Fetch-Site``, that it comes from a
  page of this server. Any other request that a browser marks as another site's is refused, but for opening a page.
- **Token.** In the cookie, in ``Authorization: Bearer``, or once in ``?token=``: this sets the cookie and redirects to
  the address without it. Everything is behind it, style and script included. Tokens are never logged.
- **Path.** Browsers send a cookie to every port of a host, so also to another person's server on this machine. The
  cookie is therefore for one path that cannot be guessed, ``/~...``, under which the pages are: no request for another
  path carries it.
"""

from __future__ import annotations

import ipaddress
import logging
import re
from collections.abc import Sequence
from importlib.resources import files
from typing import Any, TypeVar
from urllib.parse import parse_qsl, urlencode, urlsplit

import anyio
import msgspec
from starlette.applications import Starlette
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import Request, cookie_parser
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from falter.apps.serving.access import Access, BusyError, private_path
from falter.evaluation.reporting.page import look_css

_LOG = logging.getLogger(__name__)
_LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
_SAFE_METHODS = frozenset({"GET", "HEAD"})
_PRIVATE = re.compile(r"/~[0-9a-f]{24}(?=/|$)")
_THREADS = 8
_INVALID_LINK = "This link is not valid. Ask whoever sent it for a new one."


class RequestGuard:
    """Passes on what has a known host, origin and token; ``scope["state"]["who"]`` is whose token it was.

    ``frame_ancestors`` are origins whose pages may show these in a frame, such as a notebook's.
    """

    def __init__(
        self,
        app: ASGIApp,
        access: Access,
        *,
        name: str,
        hosts: Sequence[str] = (),
        any_address: bool = False,
        frame_ancestors: Sequence[str] = (),
    ) -> None:
        self._app = app
        self._access = access
        self._name = name
        self._hosts = _LOOPBACK | {host.lower() for host in hosts}
        self._any_address = any_address
        self._frame_ancestors = tuple(frame_ancestors)
        self._headers = security_headers(self._frame_ancestors)
        self._threads: anyio.CapacityLimiter | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for key, value in self._headers.items():
                    headers.setdefault(key, value)
            await send(message)

        try:
            answer = await self._check(scope)
        except BusyError as error:
            answer = busy_response(error)
        try:
            await (self._app if answer is None else answer)(scope, receive, send_guarded)
        except Exception:  # The answer that something went wrong is sent already; others go on over the connection.
            _LOG.exception("a request for %s failed", scope["path"])

    async def _check(self, scope: Scope) -> Response | None:
        """What to answer instead of a page; None where all is well."""
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if not self._is_own_host(host):
            return PlainTextResponse("This address is not served here.", 421)
        if not self._is_own_origin(scope["method"], host, headers):
            return PlainTextResponse("This request comes from another site.", 403)
        query = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        given = [value for key, value in query if key == "token"]
        if given and scope["method"] in _SAFE_METHODS:
            return await self._enter(scope, given[0], [pair for pair in query if pair[0] != "token"])
        who = await self._identify(self._find_token(scope, headers))
        if who is None:
            return PlainTextResponse(_INVALID_LINK, 403)
        scope.setdefault("state", {})["who"] = who
        if private := _PRIVATE.match(scope["path"]):
            scope["path"] = scope["path"][private.end() :] or "/"
        return None

    async def _identify(self, token: str) -> str | None:
        # Threads of its own: those of handlers may all be waiting.
        self._threads = self._threads or anyio.CapacityLimiter(_THREADS)
        return await anyio.to_thread.run_sync(self._access.identify, token, limiter=self._threads)

    def _is_own_host(self, host: str) -> bool:
        try:
            name = urlsplit(f"//{host}").hostname or ""
        except ValueError:
            return False
        return name in self._hosts or (self._any_address and _is_address(name))

    def _is_own_origin(self, method: str, host: str, headers: Headers) -> bool:
        origin = headers.get("origin")
        if origin is not None and (urlsplit(origin).netloc.lower() != host.lower() or "://" not in origin):
            return False
        site = headers.get("sec-fetch-site")
        if method not in _SAFE_METHODS:
            return origin is not None if site is None else site == "same-origin"
        if site in (None, "same-origin", "none"):
            return True
        opened = {"document", "iframe"} if self._frame_ancestors else {"document"}
        return headers.get("sec-fetch-mode") == "navigate" and headers.get("sec-fetch-dest") in opened

    async def _enter(self, scope: Scope, token: str, rest: Sequence[tuple[str, str]]) -> Response:
        if await self._identify(token) is None:
            return PlainTextResponse(_INVALID_LINK, 403)
        # Not from the path as given: one that begins with two slashes would lead to another host.
        private = private_path(token)
        path = f"{private}/" + _PRIVATE.sub("", scope["path"]).lstrip("/\\")
        response = RedirectResponse(path + (f"?{urlencode(rest)}" if rest else ""), 303)
        framed = bool(self._frame_ancestors)
        response.set_cookie(
            self._cookie_name(scope),
            token,
            path=private,
            httponly=True,
            samesite="none" if framed else "lax",
            secure=framed or scope.get("scheme") == "https",
        )
        if framed:
            # A frame in a page of another site has cookies of its own, where it may have any.
            response.headers["set-cookie"] += "; Partitioned"
        return response

    def _find_token(self, scope: Scope, headers: Headers) -> str:
        kind, _, token = headers.get("authorization", "").partition(" ")
        if kind.lower() == "bearer":
            return token.strip()
        return cookie_parser(headers.get("cookie", "")).get(self._cookie_name(scope), "")

    def _cookie_name(self, scope: Scope) -> str:
        """Cookies are shared by all ports of a host, so that two servers need two names."""
        server: Any = scope.get("server") or ("", 0)
        return f"falter-{self._name}-{server[1] or 0}"


def busy_response(error: BusyError) -> Response:
    """What somebody gets who should ask again soon."""
    return PlainTextResponse(str(error), 503, headers={"retry-after": "2"})


def security_headers(frame_ancestors: Sequence[str] = ()) -> dict[str, str]:
    """No script, style or request but this server's own, nothing kept by browsers, no frame but where allowed."""
    frames = " ".join(frame_ancestors) or "'none'"
    headers = {
        "content-security-policy": (
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
            f"base-uri 'none'; form-action 'self'; frame-ancestors {frames}"
        ),
        "cache-control": "no-store",
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
        "cross-origin-resource-policy": "same-origin",
        "cross-origin-opener-policy": "same-origin",
        "permissions-policy": "camera=(), microphone=(), geolocation=()",
    }
    return headers if frame_ancestors else {**headers, "x-frame-options": "DENY"}


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


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


_TYPES = {"css": "text/css", "js": "text/javascript"}


def asset_routes(package: str, *names: str) -> list[Route]:
    """Routes for files of a package's folder ``assets``, beside ``look.css`` and ``theme.js`` that all pages share.

    ``theme.js`` lets the button with the id ``theme`` switch between light and dark.
    """
    texts = {
        "look.css": look_css(),
        "theme.js": files("falter.apps.serving").joinpath("assets", "theme.js").read_text("utf-8"),
    }
    for name in names:
        texts[name] = files(package).joinpath("assets", name).read_text("utf-8")
    return [_route(name, text.encode()) for name, text in texts.items()]


def _route(name: str, data: bytes) -> Route:
    media = _TYPES[name.rpartition(".")[2]]

    async def send(request: Request) -> Response:
        del request
        return Response(data, media_type=media)

    return Route(f"/assets/{name}", send)
