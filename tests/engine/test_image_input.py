"""The picture taken away, greyed, swapped: what the model really gets, and that everything knows of it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from falter.core.errors import InputError, UsageError
from falter.core.files import sha256_of_file
from falter.data.items import Probe
from falter.data.model import Capabilities, Reply, Request, load_image
from falter.data.run_options import ImageInput
from falter.data.suite import Suite, SuiteManifest, open_suite
from falter.data.suite_writing import create_suite
from falter.evaluation.engine import ReplyCache, dry_run, run_suite
from falter.evaluation.engine.requests import ShuffledImages, _ShownImage
from falter.evaluation.runs import RunSettings
from tests.engine.small_suite import Recorder, make_item, make_suite


@pytest.fixture
def suite(tmp_path: Path) -> Suite:
    """Six images of different sizes, each with an original and a blurred picture, and one question without any."""
    folder = tmp_path / "suite"
    (folder / "images").mkdir(parents=True)
    made = {}
    for number in range(6):
        for kind in ("plain", "blurred"):
            path = folder / "images" / f"{number}-{kind}.png"
            Image.new("RGB", (20 + number, 10), (40 * number, 7 if kind == "plain" else 99, 0)).save(path)
            made[number, kind] = sha256_of_file(path)
    with create_suite(tmp_path / "written", SuiteManifest(name="small")) as writer:
        for number in range(6):
            items = [
                make_item(
                    number,
                    variant,
                    f"Is it {number}?",
                    image=f"images/{number}-{kind}.png",
                    image_id=f"i{number}",
                    image_sha256=made[number, kind],
                )
                for variant, kind in enumerate(("plain", "blurred"))
            ]
            writer.add(Probe(tuple(items)))
        writer.add(Probe((make_item(6, 0, "Is it text?"), make_item(6, 1, "Is it no text?"))))
    (folder / "images").rename(tmp_path / "written" / "images")
    return open_suite(tmp_path / "written")


class Looker(Recorder):
    """Remembers what it was shown, and has looked at it: a picture whose bytes are not the declared ones is refused."""

    def __init__(self) -> None:
        super().__init__(self._look)
        self.shown: dict[str, Request] = {}
        self.seen: dict[str, tuple[tuple[int, int], object]] = {}

    def _look(self, request: Request) -> Reply:
        self.shown[request.item_id] = request
        if request.image is not None:
            picture = load_image(request)
            self.seen[request.item_id] = (picture.size, picture.getcolors())
        return Reply(item_id=request.item_id, text="yes")


def looked(suite: Suite, out: Path, image: ImageInput | None, seed: int = 0) -> Looker:
    model = Looker()
    run = run_suite(suite, model, out, RunSettings(image_input=image, seed=seed), batch_size=3)
    assert run.manifest.counts["ok"] == 14
    assert sorted(path.name for path in out.iterdir()) == ["replies.parquet", "run.json"]
    assert run.manifest.model.name == ("recorder" if image is None else f"recorder (image: {image})")
    return model


def test_without_a_picture_nothing_of_it_is_left(suite: Suite, tmp_path: Path) -> None:
    model = looked(suite, tmp_path / "run", "none")
    assert all((one.image, one.image_id, one.image_sha256) == (None, None, None) for one in model.shown.values())


def test_a_grey_picture_has_the_size_and_nothing_else(suite: Suite, tmp_path: Path) -> None:
    model = looked(suite, tmp_path / "run", "blank")
    for item in suite.items():
        shown = model.shown[item.item_id]
        if item.image_id is None:
            assert shown.image is None
            continue
        number = int(item.image_id[1:])
        assert model.seen[item.item_id] == ((20 + number, 10), [((20 + number) * 10, (127, 127, 127))])
        assert shown.image_id == f"blank-{20 + number}x10"


def test_a_swapped_picture_is_another_and_the_same_for_all_items_of_an_image(suite: Suite, tmp_path: Path) -> None:
    model = looked(suite, tmp_path / "run", "shuffle")
    instead: dict[str, set[str | None]] = {}
    for item in suite.items():
        if item.image_id is not None:
            shown = model.shown[item.item_id]
            instead.setdefault(item.image_id, set()).add(shown.image_id)
            assert shown.image is not None
            # The blurred picture gives way to the other's blurred one, so that a pair does not become one picture.
            assert shown.image.stem.split("-")[1] == ("blurred" if item.variant else "plain")
    assert all(len(others) == 1 and others != {image_id} for image_id, others in instead.items())
    assert {other for others in instead.values() for other in others} == set(instead)
    again, another = (looked(suite, tmp_path / f"seed{seed}", "shuffle", seed) for seed in (0, 5))
    assert again.shown == model.shown
    assert another.shown != model.shown


@settings(max_examples=40, deadline=None)
@given(images=st.sets(st.text("ab/é1", min_size=1, max_size=5), min_size=2, max_size=12), seed=st.integers(0, 99))
def test_no_image_keeps_its_own_and_each_is_used_once(images: set[str], seed: int) -> None:
    pictures = {image: [_ShownImage(Path(f"x/{image}"), image, None)] for image in images}
    swap = ShuffledImages(pictures, seed)
    requests = [
        Request(item_id="x", task="answer", text="?", image=Path(f"x/{image}"), image_id=image)
        for image in sorted(images)
    ]
    others = [swap(request).image_id for request in requests]
    assert all(other != request.image_id for other, request in zip(others, requests, strict=True))
    assert set(others) == images


def test_a_limited_run_swaps_as_the_whole_one(suite: Suite, tmp_path: Path) -> None:
    whole = looked(suite, tmp_path / "whole", "shuffle")
    model = Looker()
    run_suite(suite, model, tmp_path / "part", RunSettings(image_input="shuffle", limit=3))
    assert model.shown
    assert all(whole.shown[item_id] == shown for item_id, shown in model.shown.items())


def test_the_settings_are_part_of_the_run_and_of_the_cache(suite: Suite, tmp_path: Path) -> None:
    asked = []
    with ReplyCache(tmp_path / "cache") as cache:
        for image in (None, "none", "blank", "shuffle", "shuffle"):
            model = Looker()
            run_suite(suite, model, tmp_path / f"run{len(asked)}", RunSettings(image_input=image), cache=cache)
            asked.append(len(model.asked))
        # Questions without a picture are the same in each. A swapped picture is asked anew with the other's question.
        assert asked == [14, 12, 12, 12, 0]
        for image in ("none", "blank", "shuffle"):
            plan = dry_run(suite, Looker(), tmp_path / "dry", RunSettings(image_input=image), cache=cache)
            assert plan.estimate is not None
            assert (plan.estimate.cached, plan.estimate.requests) == (14, 0)
            assert plan.model == f"recorder (image: {image})"
    with pytest.raises(UsageError, match="its image is blank, not None"):
        run_suite(suite, Looker(), tmp_path / "run2")


class Sighted(Recorder):
    capabilities = Capabilities(needs_image=True, batch_size=4)


def test_a_model_that_cannot_do_without_a_picture_is_refused_before_anything(suite: Suite, tmp_path: Path) -> None:
    model = Sighted()
    for ask in (run_suite, dry_run):
        with pytest.raises(UsageError, match="needs an image; use --image-input blank"):
            ask(suite, model, tmp_path / "run", RunSettings(image_input="none"))
    assert not (tmp_path / "run").exists()
    assert model.asked == []


def test_one_that_needs_pictures_but_can_be_asked_without(suite: Suite, tmp_path: Path) -> None:
    model = Sighted()
    model.declare(accepts_text_only=True)
    run = run_suite(suite, model, tmp_path / "run", RunSettings(image_input="none"))
    assert run.manifest.counts == {"ok": 14, "unparsed": 0, "unsupported": 0, "failed": 0}
    with_pictures = run_suite(suite, model, tmp_path / "normal")
    assert with_pictures.manifest.counts["unsupported"] == 2


def test_pictures_must_be_at_hand_to_be_swapped_or_measured(suite: Suite, tmp_path: Path) -> None:
    (suite.folder / "images" / "2-plain.png").unlink()
    for image in ("blank", "shuffle"):
        with pytest.raises(InputError, match="1 are not available"):
            run_suite(suite, Sighted(), tmp_path / image, RunSettings(image_input=image))  # type: ignore[arg-type]
    blank = Looker()
    run_suite(suite, blank, tmp_path / "blank", RunSettings(image_input="blank"))
    sizes: Sequence[tuple[int, int]] = sorted(size for size, _ in blank.seen.values())
    assert (224, 224) in sizes


def test_a_suite_without_pictures_has_none_to_swap(tmp_path: Path) -> None:
    with create_suite(tmp_path / "suite", SuiteManifest(name="text")) as writer:
        writer.add(Probe((make_item(0, 0, "Is it?"), make_item(0, 1, "Is it not?"))))
    with pytest.raises(UsageError, match="--image-input shuffle needs at least 2"):
        run_suite(open_suite(tmp_path / "suite"), Looker(), tmp_path / "run", RunSettings(image_input="shuffle"))


def test_no_trace_of_grey_pictures_stays_when_a_run_is_stopped(tmp_path: Path) -> None:
    suite = make_suite(tmp_path / "suite")

    def stop(request: Request) -> str:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_suite(suite, Recorder(stop), tmp_path / "run", RunSettings(image_input="blank"))
    left = tmp_path / "run" / ".pictures.tmp-dead"
    left.mkdir()
    (left / "blank-9x9.png").write_bytes(b"x")
    run_suite(suite, Recorder(), tmp_path / "run", RunSettings(image_input="blank"))
    assert sorted(path.name for path in (tmp_path / "run").iterdir()) == ["replies.parquet", "run.json"]
