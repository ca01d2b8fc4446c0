"""Region features in every form, and what is wrong with them."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from falter.core.errors import InputError, UsageError
from falter.data.model import PermanentError
from falter.data.model_options import ModelOptions
from falter.evaluation.models.hf.region_features import open_features, open_region_features
from tests.models.tiny.vision_language import REGION_SIZE

from .conftest import Images, Load, regions
from .test_batches import asked_at_once


def written(folder: Path, form: str) -> Path:
    """The features of the three images in one of the forms."""
    made = {f"image{number}": regions(number, 3 + number) for number in range(3)}
    folder.mkdir(exist_ok=True)
    if form == "folder of npz":
        for name, (features, boxes) in made.items():
            np.savez(folder / f"{name}.npz", features=features, boxes=boxes)
        return folder
    if form == "folder of npy":
        for name, (features, boxes) in made.items():
            np.save(folder / f"{name}.npy", features)
            np.save(folder / f"{name}.boxes.npy", boxes)
        return folder
    if form == "parquet":
        columns = {
            "image_id": list(made),
            "features": [features.tolist() for features, _ in made.values()],
            "boxes": [boxes.tolist() for _, boxes in made.values()],
        }
        pq.write_table(pa.table(columns), folder / "features.parquet")
        return folder / "features.parquet"
    lines = []
    for name, (features, boxes) in made.items():
        pixels = (boxes * np.array([40, 30, 40, 30], np.float32)).astype(np.float32)
        coded = [base64.b64encode(array.tobytes()).decode() for array in (pixels, features)]
        lines.append("\t".join([name, "30", "40", "", "", "", "", str(len(features)), *coded]))
    (folder / "features.tsv").write_text("\n".join(lines) + "\n")
    return folder / "features.tsv"


@pytest.mark.parametrize("form", ["folder of npz", "folder of npy", "parquet", "bottom-up tsv"])
def test_every_form_gives_the_same_regions(form: str, tmp_path: Path, images: Images) -> None:
    archive, other = open_features(images.features), open_features(written(tmp_path / "made", form))
    for request in images.requests("match")[::4]:
        for one, same in zip(archive.for_request(request), other.for_request(request), strict=True):
            np.testing.assert_allclose(one, same, atol=1e-6)


def test_a_changed_picture_is_not_given_the_features_of_the_original(images: Images) -> None:
    found = open_features(images.features)
    request = images.requests("match")[0]
    blurred = msgspec.structs.replace(request, image=Path("image0-1f2e3d.jpg"))
    with pytest.raises(PermanentError, match="has no region features for image0-1f2e3d"):
        found.for_request(blurred)
    grey = msgspec.structs.replace(request, image=Path("blank-40x30.png"), image_id="blank-40x30")
    with pytest.raises(PermanentError, match=r"the grey image: .* take --image-input shuffle"):
        found.for_request(grey)
    assert found.for_request(request)


def test_regions_change_the_answer_and_a_missing_picture_fails_alone(load: Load, images: Images) -> None:
    model = load("lxmert_answers")
    requests = images.requests("match")
    scores = {request.image_id: reply.score for request, reply in zip(requests, model.reply(requests), strict=True)}
    assert len(set(scores.values())) == 3
    absent = msgspec.structs.replace(requests[0], item_id="absent", image=Path("absent.png"), image_id="absent")
    replies = model.reply([*requests[:2], absent])
    assert [reply.status for reply in replies] == ["ok", "ok", "failed"]
    assert replies[2].error == "features.npz has no region features for absent"


DETECTOR = """
import numpy as np
class Grid:
    def regions(self, image):
        pixels = np.asarray(image.resize((4, 2)), np.float32).reshape(8, 3) / 255
        boxes = [[x / 4, y / 2, (x + 1) / 4, (y + 1) / 2] for y in range(2) for x in range(4)]
        return np.tile(pixels, (1, 8)), boxes
class Nothing:
    pass
"""


def test_a_detector_of_the_users_takes_the_place_of_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, load: Load, images: Images
) -> None:
    (tmp_path / "my_detector.py").write_text(DETECTOR)
    monkeypatch.chdir(tmp_path)
    model = load("visual_bert_answers", region_features=Path("python:my_detector:Grid"))
    replies = asked_at_once(model, images.requests("match"))
    assert [reply.status for reply in replies] == ["ok"] * 12
    assert model.fingerprint != load("visual_bert_answers").fingerprint
    with pytest.raises(UsageError, match=r"has no method regions\(image\)"):
        load("visual_bert_answers", region_features=Path("python:my_detector:Nothing"))
    with pytest.raises(UsageError, match="cannot be loaded: ModuleNotFoundError"):
        load("visual_bert_answers", region_features=Path("python:no_such_module:Grid"))


@pytest.mark.parametrize(
    ("features", "boxes", "problem"),
    [
        (np.zeros((2, 7)), np.zeros((2, 4)), r"have the shape \(2, 7\), and the model takes \[N, 24\]"),
        (np.zeros((2, REGION_SIZE)), np.zeros((3, 4)), "there are 2 regions"),
        (np.full((2, REGION_SIZE), np.nan), np.zeros((2, 4)), "no numbers"),
        (np.zeros((2, REGION_SIZE)), np.full((2, 4), 480.0), "divide them by width and height"),
    ],
)
def test_regions_that_cannot_be_right_fail_with_the_reason(
    features: Any, boxes: Any, problem: str, tmp_path: Path, images: Images
) -> None:
    np.savez(tmp_path / "features.npz", **{"image0.features": features, "image0.boxes": boxes})
    with pytest.raises(InputError, match=rf"features\.npz, image image0: .*{problem}"):
        open_region_features(ModelOptions(region_features=tmp_path / "features.npz"), REGION_SIZE, "lxmert")
    good = {
        f"a{number}.{what}": np.zeros((2, width))
        for number in range(3)
        for what, width in (("features", 24), ("boxes", 4))
    }
    np.savez(tmp_path / "features.npz", **good, **{"image0.features": features, "image0.boxes": boxes})
    source = open_region_features(ModelOptions(region_features=tmp_path / "features.npz"), REGION_SIZE, "lxmert")
    with pytest.raises(PermanentError, match=problem):
        source(images.requests("match")[0])


def test_files_that_are_none_are_refused(tmp_path: Path, load: Load, images: Images) -> None:
    with pytest.raises(UsageError, match="sees regions, not pixels: give -M region_features"):
        load("lxmert_answers", region_features=None)
    with pytest.raises(InputError, match="there is no such file of region features"):
        load("lxmert_answers", region_features=tmp_path / "absent.npz")
    for name in ("bad.npz", "bad.parquet", "bad.pickle"):
        (tmp_path / name).write_bytes(b"nothing of the sort")
        with pytest.raises(InputError, match=name):
            load("lxmert_answers", region_features=tmp_path / name)


def test_the_features_are_part_of_what_a_model_is(tmp_path: Path, load: Load, images: Images) -> None:
    model = load("lxmert_answers")
    path = written(tmp_path / "made", "parquet")
    other = load("lxmert_answers", region_features=path)
    assert model.fingerprint != other.fingerprint
