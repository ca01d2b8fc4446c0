"""Shouting: the same question in capital letters; the answer must stay."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from falter.extend import (
    DIFFER,
    ONE,
    GenerateContext,
    GenerateOptions,
    HasQuestions,
    Item,
    Measure,
    Panel,
    Probe,
    ReportView,
    Section,
    Source,
    SuiteBundle,
    bars,
)


class Shouting:
    """Each question of the source, and the same in capitals."""

    requires = (HasQuestions,)

    def tests(self) -> Sequence[str]:
        return ("capitals",)

    def probes(self, source: HasQuestions, options: GenerateOptions, context: GenerateContext) -> Iterator[Probe]:
        for question in context.draw(source.questions()):  # options.size of them, by options.seed
            image = context.image(question.image_id)  # None: missing or damaged, and counted
            if image is None or question.answer is None:
                continue
            shared = {
                "suite": "shouting",
                "test": "capitals",
                "probe_id": f"capitals-{question.id}",
                "expects": "same",
                "image": image,
                "gold": question.answer,
                "answers": question.answers,
                "source_id": question.id,
            }
            original = Item.make(text=question.text, **shared)
            yield Probe.of(original, Item.make(text=question.text.upper(), variant=1, **shared))


def audit(probe: Probe, source: Source | None) -> str:
    """What is wrong with a probe, or an empty text."""
    same = probe.variants[0].text == probe.original.text.upper()
    return "" if same else "the variant is not the original in capitals"


FLIPS = Measure(
    name="flips",
    title="flips",
    description="The share of pairs whose two answers differ.",
    grain="pair",
    sums={"part": DIFFER, "n": ONE},
    higher_is_better=False,
    headline=True,
)


def panel(view: ReportView) -> Section:
    """The flips of every model, as bars."""
    return Section(text="Capitals change no meaning.", figures=[bars(view.scores("flips"), view.models)])


BUNDLE = SuiteBundle(
    name="shouting",
    title="Shouting: questions in capital letters",
    generator=Shouting(),
    audit=audit,
    measures=(FLIPS,),
    panels=(Panel(name="shouting", title="Does shouting change answers?", build=panel),),
)
