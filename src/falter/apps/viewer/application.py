"""The pages and answers of the viewer, and the viewer that runs in the background, for notebooks and scripts.

Every address is behind the guard of :mod:`falter.apps.serving`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from html import escape
from typing import Any

import msgspec
import numpy as np
import polars as pl
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from falter.apps.serving.access import Access, SingleToken
from falter.apps.serving.application import (
    asset_routes,
    image_response,
    json_response,
    make_application,
    read_json_body,
)
from falter.apps.serving.server import PageServer
from falter.apps.viewer.cards import build_cards, read_item
from falter.apps.viewer.selection import Filters, count_by, count_models, find_shown, select_pairs
from falter.apps.viewer.workbench import MOST_LETTERS, Comment, Workbench
from falter.core.errors import FalterError
from falter.core.untrusted_text import escape_invisible, hide_address
from falter.core.version import __version__
from falter.data.thumbnails import thumbnail
from falter.evaluation.reporting.page import page_environment
from falter.evaluation.runs import Run
from falter.evaluation.runs.failure_records import FAILURE_TYPES
from falter.evaluation.score_options import Subset

_PAGE = 10
_MOST_VALUES = 400
_SMALL, _LARGE = 400, 1600


class NewComment(msgspec.Struct, forbid_unknown_fields=True):
    """A comment as a page sends it."""

    suite: int
    row: int
    model: int
    text: str


class DeletedComment(msgspec.Struct, forbid_unknown_fields=True):
    """Which comment is to be taken away."""

    model: int
    id: str


def viewer_application(workbench: Workbench, access: Access, *, frame_ancestors: Sequence[str] = ()) -> ASGIApp:
    """The application that serves the pairs of a workbench."""
    pages = ViewerPages(workbench)
    routes = [
        Route("/", pages.page),
        Route("/api/runs", pages.runs),
        Route("/api/pairs", pages.pairs),
        Route("/api/breakdown", pages.breakdown),
        Route("/api/comments", pages.comment, methods=["POST"]),
        Route("/api/comments/delete", pages.delete_comment, methods=["POST"]),
        Route("/image/{place:int}/{item:int}", pages.image),
        *asset_routes("falter.evaluation.reporting", "report.css", "pairs.css", "pairs.js"),
        *asset_routes("falter.apps.viewer", "viewer.css", "viewer.js"),
    ]
    return make_application(routes, access, name="view", frame_ancestors=frame_ancestors)


class ViewerPages:
    """One method per address."""

    def __init__(self, workbench: Workbench) -> None:
        self._workbench = workbench
        template = page_environment("falter.apps.viewer").get_template("viewer.html.j2")
        self._html = template.render(title=workbench.title, version=__version__)
        self._thumbnail = lru_cache(maxsize=256)(self._make_thumbnail)

    async def page(self, request: Request) -> Response:
        del request
        return HTMLResponse(self._html)

    async def runs(self, request: Request) -> Response:
        del request
        return await _answer(self._describe)

    async def pairs(self, request: Request) -> Response:
        query = dict(request.query_params)
        return await _answer(lambda: self.list_pairs(query))

    async def breakdown(self, request: Request) -> Response:
        query = dict(request.query_params)
        return await _answer(lambda: self.list_breakdown(query))

    async def image(self, request: Request) -> Response:
        place, item = request.path_params["place"], request.path_params["item"]
        side = _LARGE if "large" in request.query_params else _SMALL
        data = await run_in_threadpool(self._thumbnail, place, item, side)
        if data is None:
            raise HTTPException(404, "There is no image to show.")
        return image_response(data)

    async def comment(self, request: Request) -> Response:
        given = await read_json_body(request, NewComment)
        text = given.text.strip()
        if not text or len(text) > MOST_LETTERS:
            raise HTTPException(400, f"A comment has 1 to {MOST_LETTERS:,} characters.")
        return await _answer(lambda: self._add_comment(given, text))

    async def delete_comment(self, request: Request) -> Response:
        given = await read_json_body(request, DeletedComment)
        return await _answer(lambda: self._delete(given))

    def _describe(self) -> dict[str, Any]:
        """What there is to filter by."""
        bench = self._workbench
        bench.refresh()
        return {
            "version": bench.version,
            "models": [escape_invisible(model.name, one_line=True) for model in bench.models],
            "about": [
                {
                    "name": escape_invisible(model.name, one_line=True),
                    "spec": escape_invisible(hide_address(model.spec), one_line=True),
                    "fingerprint": model.fingerprint[:16],
                    "folders": [escape_invisible(folder, one_line=True) for folder in bench.folders[number]],
                    "complete": bench.is_complete(number),
                }
                for number, model in enumerate(bench.models)
            ],
            "outcomes": {name: FAILURE_TYPES[name] for name in FAILURE_TYPES},
            "suites": [
                {
                    "place": place,
                    "name": escape_invisible(index.suite.name, one_line=True),
                    "pairs": len(index),
                    "unit": index.unit,
                    "models": [column.model for column in index.columns],
                    "tests": _occurring(index.frame["test"]),
                    "facets": {name: _values(index.frame[f"facet:{name}"]) for name in index.facets},
                }
                for place, index in enumerate(bench.indices)
            ],
        }

    def _chosen(self, query: dict[str, str]) -> int:
        try:
            place = int(query.get("on", "0"))
        except ValueError:
            place = 0
        if not 0 <= place < len(self._workbench.indices):
            raise HTTPException(404, "There is no such suite here.")
        return place

    def _select(self, place: int, query: dict[str, str]) -> np.ndarray[Any, np.dtype[np.int64]]:
        bench = self._workbench
        index = bench.indices[place]
        index.refresh()
        if "probe" in query:
            return self._find(place, query)
        filters = Filters.from_query(query)
        commented = bench.commented(place) if filters.commented else None
        return select_pairs(index, filters, bench.model_numbers, commented)

    def _find(self, place: int, query: dict[str, str]) -> np.ndarray[Any, np.dtype[np.int64]]:
        """The pair of an address."""
        index = self._workbench.indices[place]
        rows = np.flatnonzero((index.probe_id == query["probe"]).to_numpy())
        if not len(rows):
            meant = find_shown(query["probe"], index.probe_id.unique().to_list())
            rows = np.flatnonzero(index.probe_id.is_in(meant).to_numpy())
        number = query.get("number", "")
        return rows[[str(index.number[index.variant[row]]) == number for row in rows]] if number else rows

    def list_pairs(self, query: dict[str, str]) -> dict[str, Any]:
        bench, place = self._workbench, self._chosen(query)
        index = bench.indices[place]
        rows = self._select(place, query)
        try:
            page = max(int(query.get("page", "1")), 1)
        except ValueError:
            page = 1
        page = min(page, max(-(-len(rows) // _PAGE), 1))
        shown = rows[(page - 1) * _PAGE : page * _PAGE].tolist()
        return {
            "version": bench.version,
            "total": len(rows),
            "page": page,
            "counts": count_models(index, rows),
            "pairs": build_cards(index, place, shown, bench.comments(place)),
        }

    def list_breakdown(self, query: dict[str, str]) -> dict[str, Any]:
        place = self._chosen(query)
        rows = self._select(place, query)
        return {
            "by": query.get("by", "test"),
            "rows": count_by(self._workbench.indices[place], rows, query.get("by", "test")),
        }

    def _make_thumbnail(self, place: int, item: int, side: int) -> bytes | None:
        if not 0 <= place < len(self._workbench.indices):
            return None
        index = self._workbench.indices[place]
        found = read_item(index, item)
        if found is None:
            return None
        return thumbnail(index.suite.image_path(found), side=side, quality=82, sha256=found.image_sha256).data

    def _add_comment(self, given: NewComment, text: str) -> dict[str, Any]:
        comment = self._workbench.add_comment(given.suite, given.row, given.model, text)
        if comment is None:
            raise HTTPException(404, "There is no such pair or model here.")
        return _comment(given.model, comment)

    def _delete(self, given: DeletedComment) -> dict[str, Any]:
        if not self._workbench.delete_comment(given.model, given.id):
            raise HTTPException(404, "There is no such comment.")
        return {"deleted": given.id}


def _comment(model: int, one: Comment) -> dict[str, Any]:
    return {"model": model, "id": one.id, "text": escape_invisible(one.text), "written": one.written}


def _occurring(column: pl.Series) -> list[str]:
    return [escape_invisible(name, one_line=True) for name in sorted(column.unique().cast(pl.String).to_list())]


def _values(column: pl.Series) -> list[list[Any]]:
    """The commonest values with their numbers."""
    counted = column.drop_nulls().value_counts(sort=True).head(_MOST_VALUES)
    return [[escape_invisible(str(value), one_line=True), count] for value, count in counted.iter_rows()]


async def _answer(make: Callable[[], Any]) -> Response:
    """What a function makes, off the event loop; bad input is told, anything else stays on this side."""
    try:
        return json_response(await run_in_threadpool(make))
    except FalterError as error:
        raise HTTPException(400, escape_invisible(str(error), one_line=True)) from error


_NOTEBOOK_ORIGINS = ("http://localhost:*", "http://127.0.0.1:*", "https://localhost:*", "vscode-webview:")


class View:
    """A viewer at ``url``; in a notebook it shows itself in a frame. Stop it with :meth:`stop` or a ``with`` block."""

    def __init__(self, workbench: Workbench, *, port: int = 0, in_frames: bool = True) -> None:
        self._token = SingleToken()
        ancestors = _NOTEBOOK_ORIGINS if in_frames else ()
        self._server = PageServer(viewer_application(workbench, self._token, frame_ancestors=ancestors), port=port)
        self.title = workbench.title

    @property
    def url(self) -> str:
        """The address to open; it carries the token."""
        return self._server.link(self._token.token)

    def start(self) -> View:
        """Serve in the background."""
        self._server.start()
        return self

    def run(self) -> None:
        """Serve until interrupted."""
        self._server.run()

    def stop(self) -> None:
        """Stop serving; may be called twice."""
        self._server.stop()

    def __enter__(self) -> View:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()

    def __repr__(self) -> str:
        return f"<View of {self.title}: {self.url}>"

    def _repr_html_(self) -> str:
        return (
            f'<iframe src="{escape(self.url)}" title="falter view" width="100%" height="720"></iframe><p>'
            f'<a href="{escape(self.url)}" target="_blank" rel="noopener">Open in a tab</a></p>'
        )


def open_view(
    runs: Sequence[Run],
    *,
    subset: Subset | None = None,
    port: int = 0,
    in_frames: bool = False,
    progress: Callable[[str], None] = lambda _: None,
) -> View:
    """A viewer of some runs that does not serve yet."""
    return View(Workbench(runs, subset=subset, progress=progress), port=port, in_frames=in_frames)
