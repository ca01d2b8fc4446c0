"""A small suite with images, and people who answer its studies over HTTP."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
from PIL import Image

from falter.apps.people.study import Study, StudyQuestion
from falter.data.items import ImageRef, Item, Probe
from falter.data.suite import Suite, SuiteManifest, open_suite
from falter.data.suite_writing import create_suite

__all__ = ["Person", "caption_suite", "question_suite"]

COLORS = ("red", "green", "blue", "black")


def question_suite(folder: Path, *, images: int = 12, per_image: int = 3, text: str = "") -> Suite:
    """Questions with choices in two tests; each probe has an original and one variant."""
    with create_suite(folder, SuiteManifest(name="made")) as writer:
        (writer.folder / "images").mkdir()
        for image in range(images):
            color = COLORS[image % len(COLORS)]
            name = f"images/{image}.png"
            Image.new("RGB", (40 + image, 30), color).save(writer.folder / name)
            ref = ImageRef(f"i{image}", name)
            for number in range(per_image):
                yes = (image + number) % 2 == 0
                test = "rephrase" if number % 2 == 0 else "negation"
                other = COLORS[(image + 1 + number) % len(COLORS)]
                asked = color if yes else other
                shared: dict[str, Any] = {
                    "suite": "made",
                    "test": test,
                    "probe_id": f"{test}-{image}-{number}",
                    "expects": "same" if test == "rephrase" else "different",
                    "choices": ("yes", "no"),
                    "image": ref,
                }
                original = Item.make(text=f"Is patch {number} {asked}?{text}", gold="yes" if yes else "no", **shared)
                turned = test == "negation"
                gold = "yes" if yes != turned else "no"
                wording = f"Is patch {number} not {asked}?" if turned else f"Is it true that patch {number} is {asked}?"
                variant = Item.make(text=wording, gold=gold, variant=1, **shared)
                writer.add(Probe((original, variant)))
    return open_suite(folder)


def caption_suite(folder: Path, *, pairs: int = 40) -> Suite:
    """Captions with one foil each."""
    with create_suite(folder, SuiteManifest(name="made")) as writer:
        (writer.folder / "images").mkdir()
        for number in range(pairs):
            name = f"images/{number}.png"
            Image.new("RGB", (40, 30 + number), COLORS[number % 4]).save(writer.folder / name)
            shared: dict[str, Any] = {
                "suite": "made",
                "test": "verbs" if number % 2 else "nouns",
                "probe_id": f"pair-{number:03d}",
                "task": "match",
                "expects": "prefer",
                "image": ImageRef(f"i{number}", name),
            }
            caption = Item.make(text=f"A man runs {number}.", gold="yes", **shared)
            writer.add(Probe((caption, Item.make(text=f"A man sits {number}.", gold="no", variant=1, **shared))))
    return open_suite(folder)


class Person:
    """Someone who answers what is asked until nothing is left."""

    def __init__(self, study: Study, link: str, choose: Callable[[StudyQuestion], str] | None = None) -> None:
        base, _, token = link.partition("/?token=")
        self.study = study
        self.base = base
        self.client = httpx.Client(
            base_url=base, headers={"Authorization": f"Bearer {token}", "Origin": base}, timeout=120
        )
        self.choose = choose or self.know
        self.acknowledged: dict[tuple[str, str], str] = {}

    @staticmethod
    def know(question: StudyQuestion) -> str:
        """The right answer."""
        assert question.expected_as_shown is not None
        return question.expected_as_shown

    def post(self, path: str, body: Any) -> httpx.Response:
        return self.client.post(path, json=body)

    def state(self) -> dict[str, Any]:
        found: dict[str, Any] = self.client.get("/api/state").json()
        return found

    def step(self, state: dict[str, Any]) -> dict[str, Any]:
        """Do what is next; the new state."""
        if state["stage"] in ("start", "finished"):
            response = self.post("/api/start", {})
        else:
            question = self.study.questions[state["question"]["id"]]
            practice = state["stage"] == "qualification"
            answer = self.know(question) if practice else self.choose(question)
            body = {"task": state["task"], "question": question.question_id, "answer": answer, "seconds": 1.5}
            response = self.post("/api/answer", body)
            if response.status_code == 200 and not practice:
                self.acknowledged[state["task"], question.question_id] = answer
        response.raise_for_status()
        found: dict[str, Any] = response.json()
        return found

    def work(self, most: int = 10_000) -> dict[str, Any]:
        """Answer until nothing is left, or so many steps."""
        state = self.state()
        for _ in range(most):
            if state["stage"] in ("waiting", "failed"):
                break
            state = self.step(state)
        return state
