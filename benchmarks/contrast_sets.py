"""Contrast sets: questions a second and core, against a plain reading of the published description in the same run.

    python benchmarks/contrast_sets.py [--images N] [--sample N]

Scenes and questions are the world's. Three steps are timed apart: reading texts to queries; matching a test, finding
five changes that turn the answer and evaluating them; writing the first change and reading it back. The reference does
the second step as the paper tells it, without an index: a regular expression for each template, objects of the image
compared by the letters of their names, objects that go with another counted over all graphs, and the texts of all
questions searched for the new one. It knows one answer for what is not annotated, no kinds and no doubt, so it does
less. It is timed on a sample, for it is slow.
"""

from __future__ import annotations

import argparse
import json
import re
import resource
import tempfile
import time
from collections import Counter, defaultdict
from difflib import SequenceMatcher
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from falter.authoring.perturbing import QuestionRewriter
from falter.english import Parse, default_grammar
from falter.english.question_reader import reader_over
from falter.scene import Scene
from falter.sources import open_source
from falter.sources.gqa import GqaSource
from falter.sources.protocol import Question
from falter.suites.contrast_sets.changes import TurningChange, turning_changes
from falter.suites.contrast_sets.question_tests import TESTS, tests_for
from falter.suites.contrast_sets.scene_things import SceneThings, SourcePrior
from falter.world import write_world

RATIO = 85
VARIANTS = 5
SIDES = {"left": "right", "right": "left"}
PATTERNS = {
    "side": re.compile(r"(?:On which side|Which side).* (?:is|are) the (?P<x>[a-z ]+?)(?: on)?\?"),
    "color": re.compile(r"(?:What|Which) color (?:is|are) the (?P<x>[a-z ]+)\?"),
    "near": re.compile(r"(?:Is there|Are there|Do you see) (?:an?|any) (?P<x>[a-z ]+) near the (?P<y>[a-z ]+)\?"),
    "or": re.compile(
        r"(?:Is there|Are there|Do you see) (?:either )?(?:an? |any )?(?P<x>[a-z ]+) or (?:an? )?(?P<y>[a-z]+).*\?"
    ),
    "relation-object": re.compile(r"Is the (?P<x>[a-z ]+) to the (?P<r>left|right) of (?:the|an?) (?P<y>[a-z ]+)\?"),
    "relation": re.compile(r"Is the (?P<x>[a-z ]+) to the (?P<r>left|right) of (?:the|an?) (?P<y>[a-z ]+)\?"),
}


class Read(NamedTuple):
    """A question of a test, as it was read."""

    question: Question
    parse: Parse


def main() -> None:
    """Print one line a step."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--images", type=int, default=3000)
    parser.add_argument("--sample", type=int, default=150)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        write_world(Path(folder) / "world", scenes=options.images, seed=0, images=False)
        source = open_source(f"gqa:{folder}/world/train")
        assert isinstance(source, GqaSource)
        reference = Reference(Path(folder) / "world" / "train", options.sample)
        by_test = read_all(source)
        ours = {test: rate_of_ours(test, found, source) for test, found in by_test.items()}
        for test in TESTS:
            found, (perturb, write) = by_test[test], ours[test]
            plain = reference.rate(test, [one.question for questions in found.values() for one in questions])
            asked = sum(map(len, found.values()))
            print(
                f"{test:<16} {asked:>6} questions  match, perturb, evaluate {perturb:>8,.0f}/s  "
                f"write {write:>7,.0f}/s  reference {plain:>6,.0f}/s  ratio {perturb / plain:>6.1f} (goal {RATIO})"
            )
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:,.0f} MB")


def read_all(source: GqaSource) -> dict[str, dict[str, list[Read]]]:
    """The questions by test and image."""
    reader = reader_over(default_grammar())
    found: dict[str, dict[str, list[Read]]] = {test: defaultdict(list) for test in TESTS}
    questions = list(source.questions())
    start = time.process_time()
    read = [(question, reader.read(question.text)) for question in questions]
    print(f"{len(questions)} questions, read {len(questions) / (time.process_time() - start):,.0f}/s")
    for question, parse in read:
        for test in () if parse is None else tests_for(parse, reader.grammar.ontology):
            if parse is not None and test in found:
                found[test][question.image_id].append(Read(question, parse))
    return found


def rate_of_ours(test: str, by_image: dict[str, list[Read]], source: GqaSource) -> tuple[float, float]:
    """Questions a second: finding changes that turn the answer; writing the first."""
    grammar = default_grammar()
    ontology = grammar.ontology
    prior = SourcePrior(source.scenes(), ontology)
    graphs = {image: source.scene(image) for image in by_image}
    changed: list[tuple[Read, TurningChange]] = []
    start = time.process_time()
    for image, questions in by_image.items():
        graph = graphs[image]
        assert graph is not None
        things = SceneThings(Scene(graph, ontology), ontology, prior)
        for read in questions:
            if test in tests_for(read.parse, ontology):
                gold = things.answer(read.parse.meaning)
                if gold is not None:
                    changes = turning_changes(read.parse, gold, test, TESTS[test].atoms, things, VARIANTS)
                    changed += [(read, changes[0])] if changes else []
    perturbed = time.process_time() - start
    rewriter = QuestionRewriter(reader_over(grammar))
    start = time.process_time()
    for read, change in changed:
        rewriter.write(read.question.text, read.parse, change.change)
    written = time.process_time() - start
    return sum(map(len, by_image.values())) / perturbed, len(changed) / written


class Reference:
    """The published description in plain Python."""

    def __init__(self, folder: Path, sample: int) -> None:
        self._graphs: dict[str, Any] = json.loads((folder / "train_sceneGraphs.json").read_text())
        asked = json.loads((folder / "train_balanced_questions.json").read_text())
        self._asked: list[tuple[str, str]] = [(one["imageId"], one["question"]) for one in asked.values()]
        self._sample = sample

    def rate(self, test: str, questions: list[Question]) -> float:
        """Questions a second over a sample."""
        drawn = Random(test).sample(questions, min(self._sample, len(questions)))
        start = time.process_time()
        for question in drawn:
            self._perturb(test, question)
        return len(drawn) / (time.process_time() - start)

    def _perturb(self, test: str, question: Question) -> list[tuple[str, str]]:
        found = PATTERNS[test].match(question.text)
        if found is None:
            return []
        graph = self._graphs[question.image_id]
        objects: dict[str, Any] = graph["objects"]
        if test == "relation":
            changed = [
                (question.text.replace(found["r"], SIDES[found["r"]]), "no" if question.answer == "yes" else "yes")
            ]
        elif test in ("side", "color"):
            changed = self._other_things(test, found["x"], question, graph)
        else:
            changed = self._other_kinds(test, found, question, objects)
        return [one for one in changed if (question.image_id, one[0]) not in self._asked]

    def _other_things(self, test: str, name: str, question: Question, graph: Any) -> list[tuple[str, str]]:
        """Other objects of the image that are there once, by how alike their names are."""
        names = [one["name"] for one in graph["objects"].values()]
        others = [one for one in graph["objects"].values() if one["name"] != name and names.count(one["name"]) == 1]
        others.sort(key=lambda one: -SequenceMatcher(None, name, one["name"]).ratio())
        changed = []
        for one in others:
            middle = (one["x"] + one["w"] / 2) / graph["width"]
            answer = ("left" if middle < 0.5 else "right") if test == "side" else next(iter(one["attributes"]), "")
            if answer and answer != question.answer:
                changed.append((question.text.replace(name, one["name"]), answer))
        return changed

    def _other_kinds(
        self, test: str, found: re.Match[str], question: Question, objects: dict[str, Any]
    ) -> list[tuple[str, str]]:
        """Kinds that occur with the other object in other graphs."""
        beside: Counter[str] = Counter()
        for graph in self._graphs.values():
            names = {one["name"] for one in graph["objects"].values()}
            if found["y"] in names:
                beside.update(names)
        here = {one["name"] for one in objects.values()}
        changed = []
        for name, _ in beside.most_common():
            there = name in here
            if test == "relation-object":
                there = self._holds(name, found["r"], found["y"], objects)
            answer = "yes" if there else "no"
            if name != found["x"] and answer != question.answer:
                changed.append((question.text.replace(found["x"], name), answer))
        return changed

    @staticmethod
    def _holds(name: str, side: str, target: str, objects: dict[str, Any]) -> bool:
        return any(
            relation["name"] == f"to the {side} of" and objects[relation["object"]]["name"] == target
            for one in objects.values()
            if one["name"] == name
            for relation in one["relations"]
        )


if __name__ == "__main__":
    main()
