"""A second opinion on a suite's labels: who is asked, and how what they say is shown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from falter.api.paths import PathOrStr, SourceLike, as_source
from falter.errors import UsageError
from falter.tables import Block, Column, Grid

if TYPE_CHECKING:
    from falter.inspection.second_opinion import SecondOpinion
    from falter.probes import Suite

__all__ = ["ask_witnesses", "opinion_blocks"]


def ask_witnesses(
    suite: Suite, scenes: SourceLike | None, captions: Sequence[PathOrStr], hierarchy: PathOrStr | None, seed: int
) -> SecondOpinion:
    """Compare the labels of a suite with WordNet where it is installed, and with the files that are given."""
    from falter.english import default_grammar
    from falter.inspection.second_opinion import second_opinion
    from falter.inspection.witnesses import (
        CaptionWitness,
        HierarchyWitness,
        Witness,
        WordNetWitness,
        read_hierarchy,
    )
    from falter.nlp import load_wordnet
    from falter.sources import HasCaptions, require_scenes
    from falter.sources.coco_captions import read_captions

    source = as_source(scenes)
    if source is None:
        raise UsageError("a second opinion needs the annotated objects; pass --scenes SOURCE")
    ontology = default_grammar().ontology
    witnesses: list[Witness] = []
    notes = []
    try:
        witnesses.append(WordNetWitness(ontology, load_wordnet()))
    except UsageError as error:
        notes.append(f"not compared with WordNet: {error}")
    if hierarchy is not None:
        witnesses.append(HierarchyWitness(ontology, read_hierarchy(Path(hierarchy))))
    if captions:
        witnesses.append(CaptionWitness(ontology, read_captions(Path(path) for path in captions)))
    elif isinstance(source, HasCaptions):
        said = {image: texts for image in source.image_ids() if (texts := source.captions(image))}
        witnesses.append(CaptionWitness(ontology, said))
    return second_opinion(suite, require_scenes(source), witnesses, seed=seed, notes=notes)


def opinion_blocks(opinion: SecondOpinion) -> Iterator[Block]:
    """The table of rates, and the labels that were contradicted."""
    from rich.text import Text

    def column(title: str, cells: Iterable[str], *, right: bool = True) -> Column:
        return Column(title, [Text(cell) for cell in cells], right=right)

    rates = opinion.rates
    yield ""
    yield Grid(
        [column("second opinion", (one.witness for one in rates), right=False)],
        [
            column("claim", (one.claim for one in rates), right=False),
            column("questions", (f"{one.items:,}" for one in rates)),
            column("contradicted", (f"{one.contradicted:,}" for one in rates)),
            column("rate", (f"{one.rate:.2%}" if one.items else "-" for one in rates)),
            column("95 % interval", (f"{one.low:.2%} to {one.high:.2%}" if one.items else "-" for one in rates)),
        ],
    )
    yield from opinion.notes
    for one in opinion.contradictions:
        yield f"  {one.witness}: image {one.image_id}: {one.text} -> {one.gold}"
