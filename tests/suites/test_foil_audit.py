"""Captions and foils that were made from annotations are read back and checked against the scenes of their images."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

import falter
from falter.core.errors import UsageError
from falter.data.items import ImageRef, Probe
from falter.data.sources import open_source
from falter.generation.english import default_grammar
from falter.generation.inspection.audit import audit
from falter.generation.scene import SceneGraph, SceneObject
from falter.generation.scene.graph import Box, Relation
from falter.suites.valse.audit import StatementReader
from falter.suites.valse.foiling import FoilCandidate, SourceCaption
from falter.suites.valse.generator import make_pair
from falter.world.write_world import write_world
from tests.nlp.wordnet_there import needs_wordnet

BOX = Box(1, 1, 9, 9)
COMPLETE = frozenset({"objects", "pushing", "wearing", "mood", "color", "pose"})


class OneScene:
    """A happy man in a red hat pushes a cart in a kitchen; there are two dogs."""

    name, licence = "one", ""

    def describe(self) -> dict[str, Any]:
        return {"name": self.name}

    def image_ids(self) -> Sequence[str]:
        return ["7"]

    def image_path(self, image_id: str) -> Path | None:
        return None

    def scenes(self) -> Iterator[SceneGraph]:
        yield self.graph

    def scene(self, image_id: str) -> SceneGraph | None:
        return self.graph if image_id == "7" else None

    @property
    def graph(self) -> SceneGraph:
        man = SceneObject(
            id="1",
            name="man",
            box=BOX,
            attributes=("happy", "standing"),
            relations=(Relation("pushing", "2"), Relation("wearing", "3")),
        )
        things = (
            man,
            SceneObject(id="2", name="cart", box=BOX),
            SceneObject(id="3", name="hat", box=BOX, attributes=("red",)),
            *(SceneObject(id=id_, name="dog", box=BOX) for id_ in ("4", "5")),
            SceneObject(id="6", name="girl", box=BOX, attributes=("sad",)),
        )
        return SceneGraph(
            image_id="7",
            width=99,
            height=99,
            objects={one.id: one for one in things},
            location="kitchen",
            complete=COMPLETE,
        )


def pair(caption: str, foil: str, image: str = "7") -> Probe:
    made = FoilCandidate(caption=caption, foil=foil, caption_spans=(), foil_spans=(), word="", foil_word="")
    return make_pair("foil-it", "foil-it", SourceCaption("1", image, caption), made, ImageRef(image, None, ""), "one")


def verdicts(probe: Probe) -> tuple[int, int, int]:
    found = audit([probe], OneScene(), default_grammar())
    return found.agree, found.disagree, sum(found.not_audited.values())


RIGHT = (
    ("A man pushes a cart.", "A girl pushes a cart."),
    ("A man is pushing a cart.", "A man is pushing a dog."),
    ("A man is pushing a cart and he is happy.", "A man is pushing a cart and he is sad."),
    ("A man is pushing a cart and he is wearing a hat.", "A man is pushing a cart and he is wearing a scarf."),
    ("There are exactly 2 dogs in the picture.", "There are exactly 3 dogs in the picture."),
    ("There are dogs.", "There are no dogs."),
    ("There are no cats.", "There are cats."),
    ("There are two dogs and a man.", "There are two cats and a man."),
    ("a man pushing a cart. is he happy? yes.", "a man pushing a cart. is he happy? no."),
    ("a man pushing a cart. is he lying down? no.", "a man pushing a cart. is he lying down? yes."),
    ("a man wearing a hat. is it blue? no.", "a man wearing a hat. is it blue? yes."),
    ("a man. is this outside? no.", "a man. is this outside? yes."),
    ("a man and a girl. is she sad? yes.", "a man and a girl. is she sad? no."),
)


@pytest.mark.parametrize(("caption", "foil"), RIGHT)
def test_right_labels_agree_and_swapped_ones_do_not(caption: str, foil: str) -> None:
    assert verdicts(pair(caption, foil)) == (2, 0, 0)
    assert verdicts(pair(foil, caption)) == (0, 2, 0)


@pytest.mark.parametrize("image", ["7.jpg", "7"])
def test_images_may_be_named_by_their_files(image: str) -> None:
    assert verdicts(pair("A man pushes a cart.", "A girl pushes a cart.", image)) == (2, 0, 0)


@pytest.mark.parametrize(
    ("caption", "foil"),
    [
        # Who chases whom is not annotated whole here.
        ("A man pushes a cart.", "A man chases a dog."),
        ("Colorless green ideas sleep furiously.", "A cart pushes a man."),
        ("a man and a hat. is it his? yes.", "a man and a hat. is it his? no."),
    ],
)
def test_what_is_not_read_or_not_settled_is_not_audited(caption: str, foil: str) -> None:
    assert verdicts(pair(caption, foil)) == (0, 0, 2)


def test_a_true_foil_is_found_though_the_caption_is_not_read() -> None:
    assert verdicts(pair("Somebody pushes something.", "A man pushes a cart.")) == (0, 2, 0)


def test_of_an_image_without_a_scene_nothing_is_said() -> None:
    assert verdicts(pair("A man pushes a cart.", "A girl pushes a cart.", "8")) == (0, 0, 2)


def test_pairs_that_were_written_from_queries_need_scenes() -> None:
    probe = pair("A man pushes a cart.", "A girl pushes a cart.")
    known = Probe((msgspec.structs.replace(probe.original, meaning="{}"), *probe.variants))
    with pytest.raises(UsageError, match="--scenes"):
        audit([known], None, default_grammar())


def test_who_wears_glasses_wears_no_drinking_glasses() -> None:
    read = StatementReader(default_grammar()).read("A man is wearing glasses.")
    assert read is not None
    assert [query.describe() for query in read.queries] == ["there is man wearing glasses"]


def test_a_pronoun_stands_for_what_can_be_so() -> None:
    """A sun is not checkered."""
    read = StatementReader(default_grammar()).read("a sun and a balloon. is it checkered? yes.")
    assert read is not None
    assert [query.describe() for query in read.queries][-1] == "there is checkered balloon"


def test_they_are_several_of_a_kind() -> None:
    """A table is not what they are."""
    read = StatementReader(default_grammar()).read("a table and glasses. are they purple? no.")
    assert read is not None
    assert [query.describe() for query in read.queries][-1] == "not (there are purple glasses (2+))"
    assert StatementReader(default_grammar()).read("a table. are they purple? no.") is None
    read = StatementReader(default_grammar()).read("glasses and a box. is it made of plastic? yes.")
    assert read is not None
    assert [query.describe() for query in read.queries][-1] == "there is plastic box"


@needs_wordnet
def test_what_is_made_from_a_world_agrees_with_its_scenes(tmp_path: Path) -> None:
    write_world(tmp_path / "world", 50, 6, images=False, mix="contrastive")
    train = tmp_path / "world/train"
    scenes = open_source(f"gqa:{train}")
    for source, instruments in (
        ("swig", ("action-replacement", "actant-swap")),
        ("foil-it", ("foil-it",)),
        ("visdial", ("coreference-standard",)),
        ("vqa", ("existence", "counting-small", "counting-adversarial")),
    ):
        for instrument in instruments:
            out = tmp_path / instrument
            suite = falter.generate(
                "valse", f"{source}:{train}", out=out, instrument=(instrument,), images="none", language_model="none"
            )
            found = audit(suite.probes(), scenes, default_grammar())
            assert found.disagree == 0, instrument
            assert found.agree >= 0.6 * found.items > 0, instrument
