"""What was asked of the scores before changes nothing in what they say."""

from __future__ import annotations

import subprocess
import sys

from falter.generation.cooccurrence import Plausibility, load_table
from falter.generation.cooccurrence.mentions import Mentions
from falter.generation.english import default_grammar

_ONTOLOGY = default_grammar().ontology


def _scores(plausibility: Plausibility, beside: frozenset[str]) -> list[object]:
    return [
        plausibility.most_plausible(beside, lambda kind: kind != "dog", least=4, most=15),
        *(plausibility.of_kind(kind, beside) for kind in ("cat", "oven", "sheep")),
        *(plausibility.of_value(value, beside) for value in ("brown", "running")),
    ]


def test_scores_do_not_depend_on_what_was_asked_before() -> None:
    counts = load_table().draw
    asked = [frozenset({"dog", "sofa"}), frozenset({"oven", "pan", "spoon"}), frozenset[str](), frozenset({"dog"})]
    one = Plausibility(counts, _ONTOLOGY)
    image = Mentions(frozenset({"dog", "sofa", "cat"}), frozenset({("dog", "brown")}), frozenset())
    for beside in (*asked, asked[0]):
        assert _scores(one, beside) == _scores(one, beside) == _scores(Plausibility(counts, _ONTOLOGY), beside)
        # Not even where the image that does not count was asked about with the others.
        assert _scores(one.without(image), beside) == _scores(Plausibility(counts, _ONTOLOGY).without(image), beside)


def test_the_table_is_read_without_pandas() -> None:
    load = "from falter.generation.cooccurrence import load_table; load_table()"
    script = f"import sys; {load}; print('pandas' in sys.modules)"
    said = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert said.stdout.strip() == "False"
