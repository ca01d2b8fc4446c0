"""On the world, the scenes answer RAD's originals and variants as their labels say: RAD is 1 both ways."""

from __future__ import annotations

from pathlib import Path

import pytest

import falter

pytestmark = pytest.mark.bundle("rad")


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("rad") / "world"
    falter.write_world(folder, scenes=60, seed=9, images=False)
    return folder


@pytest.mark.parametrize(
    ("source", "tests"), [("vqa", ("color", "how-many", "what-kind")), ("visdial", ("color", "how-many"))]
)
def test_the_oracle_is_robust_on_every_pair(world: Path, tmp_path: Path, source: str, tests: tuple[str, ...]) -> None:
    split = world / "train"
    suite = falter.generate(
        "rad", f"{source}:{split}", out=tmp_path / "rad", images="none", tests=tests, per_question=3
    )
    run = falter.run(suite, "builtin:oracle", scenes=f"gqa:{split}", out=tmp_path / "run")
    scores = run.scores(measures=("pairs", "unsupported", "acc", "rad_forward", "rad_backward"), n_resamples=0)
    found = {(one.test, one.measure): one.value for one in scores if one.facet is None}
    for test in tests:
        assert (found[test, "pairs"] or 0) > 1
        assert found[test, "unsupported"] == 0
        assert found[test, "acc"] == found[test, "rad_forward"] == found[test, "rad_backward"] == 1
