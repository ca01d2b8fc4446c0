"""``back-translation``: a question is translated into German and back, and keeps its answers (Sennrich et al., 2016).

A translation that is its original word for word is no variant, and is counted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

from falter.core.progress import ProgressCallback
from falter.data.items import YES_NO, ImageRef, Item, Probe
from falter.generation.authoring.generator import GenerateContext
from falter.generation.nlp.translation import Translator, load_marian
from falter.generation.sources.protocol import Question, require_questions, text_problem
from falter.suites.rad.answers import plain_words
from falter.suites.rad.candidates import wanted_pairs
from falter.suites.rad.options import RadOptions

BACK_TRANSLATION = "back-translation"
_CHUNK = 1024
_BATCH = 32


def back_translated(options: RadOptions, context: GenerateContext) -> Iterator[Probe]:
    """The pairs of a source, by the models of the options."""
    forward = load_marian(options.forward_model, num_beams=options.num_beams)
    backward = load_marian(options.backward_model, num_beams=options.num_beams)
    if context.manifest is not None:
        context.manifest.parameters["back_translation"] = {
            "forward": {"name": forward.name, "fingerprint": forward.fingerprint},
            "backward": {"name": backward.name, "fingerprint": backward.fingerprint},
            "num_beams": options.num_beams,
        }
    yield from BackTranslation(forward, backward, context).probes()


class BackTranslation:
    """Makes pairs of a question and its translation there and back."""

    def __init__(self, forward: Translator, backward: Translator, context: GenerateContext) -> None:
        self._forward, self._backward = forward, backward
        self._context = context
        self._known: dict[str, str] = {}

    def probes(self) -> Iterator[Probe]:
        """As many pairs as are wanted, drawn by the seed, in the order of the source."""
        questions = self._usable()
        options = self._context.options
        order = list(range(len(questions)))
        Random(f"{options.seed}|{BACK_TRANSLATION}").shuffle(order)
        wanted = wanted_pairs(options.size, self._context.source.name, BACK_TRANSLATION)
        size = len(order) if wanted is None else wanted
        taken: dict[int, str] = {}
        progress = self._context.start_stage("translating", 2 * min(size, len(order)))
        done = 0
        while done < len(order) and len(taken) < size:
            # Some translations are no variants: somewhat more than are wanted are tried at a time.
            chunk = order[done : done + min(_CHUNK, max(_BATCH, 2 * (size - len(taken))))]
            done += len(chunk)
            self._translate([questions[index].text for index in chunk], progress)
            for index in chunk:
                text = self._variant(questions[index].text) if len(taken) < size else None
                if text is not None:
                    taken[index] = text
        for index in sorted(taken):
            image = self._context.image(questions[index].image_id)
            if image is not None:
                yield _probe(questions[index], image, taken[index])

    def _usable(self) -> Sequence[Question]:
        found = []
        for question in require_questions(self._context.source).questions():
            problem = text_problem(question.text) or (None if question.answer else "the question has no answer")
            if problem is None:
                found.append(question)
            else:
                self._reject(problem)
        return found

    def _translate(self, texts: Sequence[str], progress: ProgressCallback) -> None:
        """Translate what is not yet known, each text once."""
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        there = self._forward.translate(new, progress)
        back = self._backward.translate(there, progress)
        self._known.update(zip(new, back, strict=True))

    def _variant(self, text: str) -> str | None:
        translated = self._known[text]
        problem = text_problem(translated)
        if not translated:
            problem = "the translation is empty"
        elif plain_words(translated) == plain_words(text):
            problem = "the translation is its original word for word"
        if problem is None:
            return translated
        self._reject(problem)
        return None

    def _reject(self, problem: str) -> None:
        self._context.rejected[f"{BACK_TRANSLATION}: {problem}"] += 1


def _probe(question: Question, image: ImageRef, translated: str) -> Probe:
    gold = question.answer
    return Probe(
        tuple(
            Item.make(
                suite="rad",
                test=BACK_TRANSLATION,
                probe_id=f"{BACK_TRANSLATION}-{question.id}",
                variant=number,
                expects="each",
                image=image,
                text=text,
                gold=gold,
                answers=question.answers,
                context=question.context,
                choices=question.choices,
                source_id=question.id if number == 0 else None,
                facets={"answer": gold if gold in YES_NO else "other", "labels": "original"},
            )
            for number, text in enumerate((question.text, translated))
        )
    )
