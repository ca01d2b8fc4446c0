"""Debiasing: pairs go until words no longer give captions away, by one scorer, and others judge it."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from PIL import Image

from falter.api.debiasing import Debiasing, debias
from falter.api.inspecting import inspect
from falter.core.errors import InputError, UsageError
from falter.data.items import ImageRef, Item, Probe
from falter.data.suite import Suite, SuiteManifest, open_suite
from falter.data.suite_writing import create_suite
from falter.data.votes import Vote, read_votes, write_votes
from falter.generation.inspection.adversarial_filter import WORDS, filter_pairs
from falter.generation.inspection.debias import DebiasedTest, debias_suite
from falter.generation.inspection.foil_pairs import FoilPair
from tests.cli.in_process import falter_here
from tests.models.lm.checkpoints import gpt2, llama

VERBS = ("carries", "chases", "greets", "meets", "paints", "watches")
NOUNS = ("clerk", "judge", "nurse", "pilot", "queen", "tutor")


def made_pairs(number: int, biased: float, seed: int = 1) -> list[FoilPair]:
    """A share of the captions that verbs early in the alphabet give away; the others are tossed."""
    rng = Random(seed)
    pairs = []
    for one in range(number):
        verbs = rng.sample(VERBS, 2)
        first, second = sorted(verbs) if rng.random() < biased else verbs
        subject, object_ = rng.choice(NOUNS), rng.choice(NOUNS)
        pairs.append(
            FoilPair(f"A {subject} {first} a {object_}.", f"A {subject} {second} a {object_}.", f"image-{one // 2}")
        )
    return pairs


def write(folder: Path, tests: dict[str, list[FoilPair]], **facets: str) -> Suite:
    with create_suite(folder, SuiteManifest(name="mine", title="Mine", licence="CC0", seed=3)) as writer:
        (writer.folder / "images").mkdir()
        Image.new("RGB", (4, 4)).save(writer.folder / "images/shared.png")
        for test, pairs in tests.items():
            for number, pair in enumerate(pairs):
                shared: dict[str, Any] = {
                    "probe_id": f"{test}-{number}",
                    "suite": "mine",
                    "test": test,
                    "task": "match",
                    "expects": "prefer",
                    "image": ImageRef(pair.group, "images/shared.png"),
                    "facets": facets if number % 10 == 0 else {},
                }
                caption = Item.make(text=pair.caption, gold="yes", **shared)
                writer.add(Probe((caption, Item.make(text=pair.foil, gold="no", variant=1, **shared))))
    return open_suite(folder)


@pytest.fixture(scope="module")
def biased(tmp_path_factory: pytest.TempPathFactory) -> Suite:
    digits = [
        FoilPair(f"There are exactly {4 + n % 5} cups.", f"There are exactly {n % 4} cups.", str(n)) for n in range(80)
    ]
    tests = {"verbs": made_pairs(400, 0.6), "numbers": digits, "few": made_pairs(20, 1.0)}
    return write(tmp_path_factory.mktemp("biased") / "suite", tests, valid="no")


@pytest.fixture(scope="module")
def debiased(biased: Suite) -> dict[str, DebiasedTest]:
    return {one.test: one for one in debias(biased, out=biased.folder.with_name("debiased"), scorers=())}


def test_what_words_give_away_is_dropped_and_others_judge(biased: Suite, debiased: dict[str, DebiasedTest]) -> None:
    verbs = debiased["verbs"]
    assert verbs.pairs == 360, "pairs that annotators rejected are not taken"
    assert verbs.not_taken == 40
    assert verbs.before is not None and verbs.after is not None
    assert verbs.before.accuracy > 0.65 and verbs.before.flagged and verbs.before.solved_by == "n-grams"
    assert verbs.after.accuracy <= 0.6 and not verbs.after.flagged
    assert verbs.scorers_before[WORDS] > 0.65 and verbs.scorers_after[WORDS] <= 0.5
    assert 180 <= verbs.kept < 360
    left = open_suite(biased.folder.with_name("debiased"))
    assert left.manifest.counts["tests"]["verbs"]["probes"] == verbs.kept


def test_the_table_fits_80_columns_in_a_pipe(debiased: dict[str, DebiasedTest]) -> None:
    told = str(Debiasing(debiased.values()))
    assert "verbs" in told and "further pairs" in told
    assert max(map(len, told.splitlines())) <= 80


def test_words_that_are_balanced_stay_balanced() -> None:
    rng = Random(5)
    pairs = []
    for number in range(400):
        # As many of the one as of the other, but the place gives three of four away.
        one, other = ("on", "under") if number % 2 else ("under", "on")
        usual = {"on": "shelves", "under": "bridges"}[one if rng.random() < 0.75 else other]
        pairs.append(FoilPair(f"A cup {one} {usual}.", f"A cup {other} {usual}.", str(number)))
    filtered = filter_pairs(pairs, {}, least=200)
    assert filtered.before[WORDS] > 0.7 and filtered.after[WORDS] < 0.6
    kept = [pairs[number].caption.split()[2] for number in filtered.kept]
    assert kept.count("on") == kept.count("under") < 200


def test_one_way_words_are_flagged_and_exempt(biased: Suite, debiased: dict[str, DebiasedTest]) -> None:
    numbers = debiased["numbers"]
    assert numbers.kept == numbers.pairs == 72
    assert "nothing can be balanced" in numbers.exempt
    assert numbers.after is not None and numbers.after.flagged and numbers.after.one_way
    assert debiased["few"].after is None and debiased["few"].kept == 18
    said = str(inspect(biased, sample=0, blind=True))
    assert "numbers: FLAGGED" in said and "one way only" in said
    assert "verbs: FLAGGED" in said and "falter debias" in said


def test_manifest_images_and_votes_are_carried_over(tmp_path: Path) -> None:
    suite = write(tmp_path / "suite", {"verbs": made_pairs(120, 0.8)})
    ids = [probe.probe_id for probe in suite.probes()]
    write_votes(suite.folder, [Vote(annotator="ann", answer="caption", probe_id=one) for one in ids])
    for name in ("one", "two"):
        debias(tmp_path / "suite", out=tmp_path / name, scorers=())
    assert (tmp_path / "one/items.parquet").read_bytes() == (tmp_path / "two/items.parquet").read_bytes()
    assert (tmp_path / "one/suite.json").read_bytes() == (tmp_path / "two/suite.json").read_bytes()
    left = open_suite(tmp_path / "one")
    manifest = left.manifest
    assert (manifest.name, manifest.title, manifest.licence, manifest.seed) == ("mine", "Mine", "CC0", 3)
    assert manifest.made_by == "falter debias"
    assert manifest.sources[-1]["items_sha256"] == suite.manifest.items_sha256
    assert (left.folder / "images/shared.png").is_file()
    kept = {probe.probe_id for probe in left.probes()}
    assert {vote.probe_id for vote in read_votes(left.folder)} == kept < set(ids)


def test_no_image_is_written_outside_the_new_suite(tmp_path: Path) -> None:
    suite = write(tmp_path / "suite", {"verbs": made_pairs(60, 0.8)})
    (tmp_path / "suite/images/named.png").write_bytes((tmp_path / "suite/images/shared.png").read_bytes())
    with create_suite(tmp_path / "hostile", SuiteManifest(name="mine")) as writer:
        (writer.folder / "images").mkdir()
        (writer.folder / "images/named.png").write_bytes(b"an image")
        for probe in suite.probes():
            items = (item.change(image="../hostile/images/named.png") for item in probe.items)
            writer.add(Probe(tuple(items)))
    debias(tmp_path / "hostile", out=tmp_path / "deep/out", scorers=())
    assert not (tmp_path / "deep/hostile").exists()
    assert not list((tmp_path / "deep/out").rglob("*.png"))


def test_a_further_scorer_ends_even_and_may_not_judge_itself(tmp_path: Path) -> None:
    class Early:
        """Prefers the text that comes first in the alphabet."""

        name = "early"

        def gaps(self, pairs: Any) -> Any:
            return np.array([1.0 if pair.caption < pair.foil else -1.0 for pair in pairs])

    suite = write(tmp_path / "suite", {"verbs": made_pairs(200, 0.5)})
    (done,) = debias_suite(suite, tmp_path / "out", scorers=[Early()], min_kept=0.3)
    assert done.scorers_before["early"] > 0.6 and done.scorers_after["early"] <= 0.5
    with pytest.raises(UsageError, match="early cannot judge"):
        debias_suite(suite, tmp_path / "no", scorers=[Early()], judges=[Early()])


def test_one_language_model_chooses_and_another_judges(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    one, two = gpt2(tmp_path / "one"), llama(tmp_path / "two")
    suite = write(tmp_path / "suite", {"verbs": made_pairs(60, 0.5)})
    scorers, judges = [f"lm:{one}"], [f"lm:{two}"]
    (done,) = debias(suite, out=tmp_path / "out", scorers=scorers, judges=judges, min_kept=0.2)
    assert set(done.scorers_before) == {WORDS, "lm:one"}
    assert done.scorers_after["lm:one"] <= 0.5
    assert done.before is not None and set(done.before.scorers) == {"length", "lm:two"}
    assert open_suite(tmp_path / "out").manifest.parameters["judges"][-1] == "lm:two"


def test_the_share_to_keep_is_kept() -> None:
    pairs = made_pairs(100, 1.0)
    found = filter_pairs(pairs, {}, least=80)
    assert len(found.kept) == 80
    assert list(found.kept) == sorted(found.kept)
    assert found.after[WORDS] > 0.5


def test_foils_of_one_caption_stay_or_go_together() -> None:
    pairs = made_pairs(200, 0.9)
    units = [str(number // 2) for number in range(200)]
    kept = filter_pairs(pairs, {}, least=100, units=units).kept
    assert len(kept) < 200
    assert all((number ^ 1) in set(kept) for number in kept)


def test_bad_use_is_one_line(biased: Suite, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="the suite itself"):
        debias(biased, out=biased.folder)
    with pytest.raises(UsageError, match="no pairs of the test 'nouns'"):
        debias(biased, out=tmp_path / "out", tests=["nouns"])
    with pytest.raises(UsageError, match="share of pairs"):
        debias(biased, out=tmp_path / "out", min_kept=0)
    with pytest.raises(InputError, match="no captions and foils"):
        debias(write(tmp_path / "empty", {}), out=tmp_path / "out")
    (tmp_path / "full").mkdir()
    (tmp_path / "full/file").write_text("mine")
    with pytest.raises(UsageError, match="already exists"):
        debias(biased, out=tmp_path / "full")
    done = falter_here("debias", biased.folder, "--out", tmp_path / "out", "--scorer", "gpt")
    assert done.code == 2
    assert done.stderr.count("\n") == 1 and "lm:smollm2" in done.stderr


def test_from_the_command_line(biased: Suite, tmp_path: Path) -> None:
    done = falter_here(
        "debias", biased.folder, "--out", tmp_path / "out", "--test", "verbs", "--scorer", "words", "--json"
    )
    assert done.code == 0, done.stderr
    (verbs, *others) = json.loads(done.stdout)
    assert verbs["kept"] < verbs["pairs"]
    assert all(one["kept"] == one["pairs"] for one in others)
