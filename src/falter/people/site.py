"""The pages of a study: one for those who answer, one for the person in charge."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from typing import Any, TypeVar

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from falter.files import read_bytes
from falter.people.assign import Assigner, NotAskedError, TaskPosition
from falter.people.overview import Overview, make_overview
from falter.people.store import AnswerStore, StorageFullError
from falter.people.study import Study, StudyQuestion
from falter.reporting.look import page_environment
from falter.reporting.word_diff import word_diff
from falter.safe import escape_invisible
from falter.serving.access import find_by_token, hash_token
from falter.serving.application import image_response, json_response, make_application, read_json_body
from falter.serving.assets import asset_routes

__all__ = ["OWNER", "StudyAccess", "StudySite"]

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
        environment = page_environment("falter.people")
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
            *asset_routes("falter.people", "people.css", "work.js", "manage.js"),
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
