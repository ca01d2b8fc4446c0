"""Styles and scripts of pages, served from memory under ``/assets/``."""

from __future__ import annotations

from importlib.resources import files

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from falter.reporting.look import look_css

__all__ = ["asset_routes"]

_TYPES = {"css": "text/css", "js": "text/javascript"}


def asset_routes(package: str, *names: str) -> list[Route]:
    """Routes for files of a package's folder ``assets``, beside ``look.css`` and ``theme.js`` that all pages share.

    ``theme.js`` lets the button with the id ``theme`` switch between light and dark.
    """
    texts = {
        "look.css": look_css(),
        "theme.js": files("falter.serving").joinpath("assets", "theme.js").read_text("utf-8"),
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
