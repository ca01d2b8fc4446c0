"""The pages of a study, one for those who answer and one for the person in charge, and serving them.

A study is served by links, on this machine unless told otherwise.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, TypeVar
from urllib.parse import urlsplit

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from falter.apps.people.assign import Assigner, NotAskedError, TaskPosition
from falter.apps.people.overview import Overview, make_overview
from falter.apps.people.store import AnswerStore, StorageFullError
from falter.apps.people.study import Study, StudyQuestion
from falter.apps.serving.access import find_by_token, hash_token, new_token
from falter.apps.serving.application import (
    asset_routes,
    image_response,
    json_response,
    make_application,
    read_json_body,
)
from falter.apps.serving.server import PageServer, is_loopback
from falter.core.errors import UsageError
from falter.core.files import read_bytes, read_text, write_atomically
from falter.core.untrusted_text import escape_invisible
from falter.evaluation.reporting.page import page_environment
from falter.evaluation.reporting.word_diff import word_diff

OWNER = "@owner"
"""Who has the token of the person in charge; no annotator can have this name."""

_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")
_IMAGE = re.compile(r"[0-9a-f]{24}\.(jpg|png)")
_OVERVIEW_SECONDS = 1.0

T = TypeVar("T")


class StudyAccess:
    """Annotators by the tokens of the study, and the person in charge by a token of this server alone."""

    def __init__(self, store: AnswerStore, owner_token: str) -> None:
        self._store = store
        self._owner = [(OWNER, hash_token(owner_token))]

    def identify(self, token: str) -> str | None:
        owner = find_by_token(token, self._owner)
        annotator = self._store.identify(token)
        return owner or annotator


class GivenAnswer(msgspec.Struct, frozen=True):
    """What the page sends."""

    task: str
    question: str
    answer: str
    seconds: float = 0.0


class Undone(msgspec.Struct, frozen=True):
    """Which answer is to be taken back."""

    task: str
    question: str


class AnnotatorAction(msgspec.Struct, frozen=True):
    """What the person in charge does about an annotator."""

    name: str
    action: str


class StudySite:
    """The application of one study."""

    def __init__(self, study: Study, store: AnswerStore, *, return_after: float = 3600.0) -> None:
        self.study = study
        self.store = store
        self.assigner = Assigner(study, store, return_after=return_after)
        self.make_link: Callable[[str], str] = lambda token: f"?token={token}"
        """How a token becomes a link; the server sets it once its address is known."""
        environment = page_environment("falter.apps.people")
        options = study.options(next(iter(study.questions.values()))) if study.questions else ()
        self._work = environment.get_template("work.html.j2").render(form=study.form, options=options)
        self._manage = environment.get_template("manage.html.j2").render(form=study.form, suite=study.manifest.suite)
        self._images = {one.image for one in study.questions.values() if one.image is not None}
        self._overview: tuple[float, Overview] | None = None

    def application(self, access: StudyAccess, **options: Any) -> ASGIApp:
        """The routes behind the guard; ``options`` are those of ``make_application``."""
        routes = [
            Route("/", self._page),
            Route("/api/state", self._state),
            Route("/api/start", self._start, methods=["POST"]),
            Route("/api/answer", self._answer, methods=["POST"]),
            Route("/api/undo", self._undo, methods=["POST"]),
            Route("/image/{name}", self._image),
            Route("/manage", self._manage_page),
            Route("/manage/data", self._manage_data),
            Route("/manage/annotator", self._mark, methods=["POST"]),
            Route("/manage/add", self._add, methods=["POST"]),
            *asset_routes("falter.apps.people", "people.css", "work.js", "manage.js"),
        ]
        return make_application(routes, access, name="people", **options)

    # Those who answer

    async def _page(self, request: Request) -> Response:
        if request.state.who == OWNER:
            return HTMLResponse(self._manage)
        return HTMLResponse(self._work)

    async def _state(self, request: Request) -> Response:
        who = self._annotator(request)
        return json_response(self._describe(who, await self._do(self.assigner.position, who)))

    async def _start(self, request: Request) -> Response:
        who = self._annotator(request)
        return json_response(self._describe(who, await self._do(self.assigner.start, who)))

    async def _answer(self, request: Request) -> Response:
        who = self._annotator(request)
        given = await read_json_body(request, GivenAnswer)
        found = await self._do(self.assigner.answer, who, given.task, given.question, given.answer, given.seconds)
        state = self._describe(who, found)
        if given.task not in self.study.tasks:
            # Before the first task people learn at once what was meant.
            question = self.study.questions[given.question]
            expected = question.expected_as_shown
            options = {option.value: option.label for option in self.study.options(question)}
            state["feedback"] = {
                "right": given.answer == expected,
                "value": expected,
                "expected": escape_invisible(options.get(expected or "", expected or "")),
            }
        return json_response(state)

    async def _undo(self, request: Request) -> Response:
        who = self._annotator(request)
        given = await read_json_body(request, Undone)
        return json_response(self._describe(who, await self._do(self.assigner.undo, who, given.task, given.question)))

    async def _image(self, request: Request) -> Response:
        name = request.path_params["name"]
        if not _IMAGE.fullmatch(name) or name not in self._images:
            raise HTTPException(404, "There is no such image.")
        return image_response(await run_in_threadpool(read_bytes, self.study.image_path(name)))

    def _describe(self, who: str, position: TaskPosition) -> dict[str, Any]:
        """What the page shows: nothing of a question but what people may see."""
        state: dict[str, Any] = {
            "who": who,
            "stage": position.stage,
            "task": position.task_id,
            "answered": position.answered,
            "questions": len(position.questions),
            "tasks_done": position.tasks_done,
            "tasks_left": position.tasks_left,
            "undo": position.last if position.stage in ("task", "finished", "waiting") else None,
        }
        if position.stage in ("task", "qualification") and position.current is not None:
            state["question"] = self._show(self.study.questions[position.current])
            index = position.questions.index(position.current) + 1
            following = [self.study.questions[one].image for one in position.questions[index : index + 1]]
            state["next_image"] = following[0] if following else None
        return state

    def _show(self, question: StudyQuestion) -> dict[str, Any]:
        first = [[question.text, False]]
        second = None if question.second is None else [[question.second, False]]
        if question.second is not None and self.study.form.marks_differences:
            left, right = word_diff(question.text, question.second)
            first = [[one.text, one.changed] for one in left]
            second = [[one.text, one.changed] for one in right]
        return {
            "id": question.question_id,
            "first": _clean(first),
            "second": None if second is None else _clean(second),
            "label": None if question.label is None else escape_invisible(question.label),
            "context": [[escape_invisible(one.speaker), escape_invisible(one.text)] for one in question.context],
            "image": question.image,
            "free_text": self.study.takes_text(question),
            "options": [
                {**msgspec.to_builtins(option), "label": escape_invisible(option.label)}
                for option in self.study.options(question)
            ],
        }

    def _annotator(self, request: Request) -> str:
        who: str = request.state.who
        if who == OWNER:
            raise HTTPException(403, "This link is for watching, not for answering.")
        return who

    async def _do(self, work: Callable[..., T], *values: Any) -> T:
        try:
            return await run_in_threadpool(work, *values)
        except StorageFullError as error:
            raise HTTPException(507, "The disk of the server is full. Your answer is not saved yet.") from error
        except NotAskedError as error:
            raise HTTPException(409, str(error)) from error

    # The person in charge

    def _require_owner(self, request: Request) -> None:
        if request.state.who != OWNER:
            raise HTTPException(404, "Not Found")

    async def _manage_page(self, request: Request) -> Response:
        self._require_owner(request)
        return HTMLResponse(self._manage)

    async def _manage_data(self, request: Request) -> Response:
        self._require_owner(request)
        now = time.monotonic()
        if self._overview is None or now - self._overview[0] > _OVERVIEW_SECONDS:
            self._overview = (now, await self._do(make_overview, self.study, self.store))
        return json_response(self._overview[1])

    async def _mark(self, request: Request) -> Response:
        self._require_owner(request)
        given = await read_json_body(request, AnnotatorAction)
        if given.name not in {one.name for one in await self._do(self.store.annotators)}:
            raise HTTPException(404, "There is no such annotator.")
        link = None
        if given.action == "link":
            link = self.make_link(await self._do(self.store.renew_token, given.name))
        elif given.action in _ACTIONS:
            await self._do(lambda: self.store.mark_annotator(given.name, **_ACTIONS[given.action]))
        else:
            raise HTTPException(400, "This action is unknown.")
        self._overview = None
        return json_response({"link": link})

    async def _add(self, request: Request) -> Response:
        self._require_owner(request)
        name = await read_json_body(request, str)
        if not _NAME.fullmatch(name) or name in {one.name for one in await self._do(self.store.annotators)}:
            raise HTTPException(400, "Give a new pseudonym of small letters, digits and hyphens.")
        link = self.make_link(await self._do(self.store.add_annotator, name))
        self._overview = None
        return json_response({"link": link})


_ACTIONS: dict[str, dict[str, bool]] = {
    "exclude": {"excluded": True},
    "include": {"excluded": False},
    "revoke": {"revoked": True},
    "restore": {"revoked": False},
}


def _clean(segments: list[list[Any]]) -> list[list[Any]]:
    return [[escape_invisible(text), changed] for text, changed in segments]


LINKS_NAME = "links.txt"
_PATIENCE = 5.0
"""Seconds that a request waits for another program; chosen by hand, not measured."""

PSEUDONYMS = (
    *("alder", "aspen", "birch", "cedar", "cherry", "elder", "fern", "hazel", "holly", "iris", "ivy", "juniper"),
    *("laurel", "lilac", "lily", "linden", "maple", "mint", "myrtle", "oak", "olive", "pine", "poppy", "rose"),
    *("rowan", "sage", "sorrel", "spruce", "thyme", "tulip", "violet", "willow", "yarrow", "yew"),
)


class ServedStudy(NamedTuple):
    """A server that is ready, and what to send to whom."""

    server: PageServer
    manage_link: str
    new_links: dict[str, str]
    """By pseudonym the links of annotators that were added now; links that were made before stay good."""


@contextmanager
def serve_study(
    study: Study,
    *,
    annotators: int | Sequence[str] = 0,
    host: str = "127.0.0.1",
    port: int | None = None,
    public_url: str | None = None,
    return_after: float = 3600.0,
) -> Iterator[ServedStudy]:
    """A server of the study's pages; call ``server.run()``, or use it as a context of its own.

    ``annotators`` are pseudonyms, or how many there should be. Without a ``port``, the one of last time is taken if it
    is free, so that links stay good. ``public_url`` is how others reach the server.
    """
    if return_after <= 0:
        raise UsageError(f"a task goes back after some time, not after {return_after} seconds")
    public = None if public_url is None else urlsplit(public_url)
    if public is not None and (public.scheme not in ("http", "https") or not public.hostname):
        raise UsageError(f"{public_url!r:.80} is not an address such as https://study.example")
    # The pages try again by themselves.
    store = AnswerStore(study, patience=_PATIENCE)
    try:
        site = StudySite(study, store, return_after=return_after)
        owner = new_token()
        application = site.application(
            StudyAccess(store, owner),
            hosts=[] if public is None or public.hostname is None else [public.hostname],
            any_address=not is_loopback(host),
        )
        server = _listen(application, host, port, store)
        store.set_setting("port", str(server.port))
        site.make_link = lambda token: server.link(token, base=public_url)
        new_links = {name: site.make_link(store.add_annotator(name)) for name in _missing_names(store, annotators)}
        if new_links:
            _append_links(study.folder / LINKS_NAME, new_links)
        yield ServedStudy(server, server.link(owner, "/manage", base=public_url), new_links)
    finally:
        store.close()


def _listen(application: ASGIApp, host: str, port: int | None, store: AnswerStore) -> PageServer:
    if port is not None:
        return PageServer(application, host=host, port=port)
    last = store.get_setting("port")
    if last is not None:
        try:
            return PageServer(application, host=host, port=int(last))
        except UsageError:
            pass  # Someone else has it now.
    return PageServer(application, host=host)


def _missing_names(store: AnswerStore, annotators: int | Sequence[str]) -> list[str]:
    known = [one.name for one in store.annotators()]
    if not isinstance(annotators, int):
        return [name for name in dict.fromkeys(annotators) if name not in known]
    more = [f"{name}-{number}" for number in range(2, 40) for name in PSEUDONYMS]
    free = [name for name in (*PSEUDONYMS, *more) if name not in known]
    return free[: max(annotators - len(known), 0)]


def _append_links(path: Path, links: dict[str, str]) -> None:
    """Keep the links beside the answers, for the owner's eyes alone."""
    before = read_text(path) if path.is_file() else ""
    write_atomically(path, before + "".join(f"{name} {link}\n" for name, link in links.items()))
    path.chmod(0o600)
