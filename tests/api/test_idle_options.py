"""An option that no model of a command reads is refused: the table says what the code of each backend reads."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import falter
from falter.api.model_jobs import BACKEND_OPTIONS
from falter.core.errors import UsageError
from falter.data.model_options import ModelOptions
from tests.engine.small_suite import make_suite

MODELS = Path(falter.__file__).parent / "evaluation" / "models"
SHARED = tuple(f"weights/{name}" for name in ("batching", "checkpoint", "devices", "inference", "pipeline"))
FILES = {
    "builtin": ("backends",),
    "file": ("predictions",),
    "hf": ("hf", *SHARED),
    "clip": ("weights/clip", "weights/clip_encoders", *SHARED),
    "lm": ("weights/lm", *SHARED),
}
"""The files and folders with the code of each backend; those of the others have its name."""
ELSEWHERE = {"prompt", "system", "few_shot", "prices", "image_tokens"}
"""Read where prompts are loaded and costs are estimated, whatever the backend."""


@pytest.mark.parametrize("backend", sorted(BACKEND_OPTIONS))
def test_a_backend_reads_the_options_of_the_table_and_no_others(backend: str) -> None:
    folders = [MODELS / one for one in FILES.get(backend, (backend,))]
    files = [file for one in folders for file in (one.rglob("*.py") if one.is_dir() else [one.with_suffix(".py")])]
    read = {
        node.attr
        for file in files
        for node in ast.walk(ast.parse(file.read_text()))
        if isinstance(node, ast.Attribute) and ast.unparse(node.value).endswith("options")
    }
    assert (read & set(ModelOptions.__struct_fields__)) - ELSEWHERE == BACKEND_OPTIONS[backend]


@pytest.mark.parametrize(
    ("model", "settings", "said"),
    [
        ("builtin:always-yes", {"options": {"device": "cuda"}}, "--device has no effect: builtin:always-yes does not"),
        ("builtin:always-yes", {"options": {"bos": False}}, "-M bos has no effect"),
        ("builtin:always-yes", {"options": {"max_requests": 3}}, "-M max_requests has no effect: .* calls no server"),
        ("builtin:always-yes", {"options": {"match_by": "letters"}}, "the suite has nothing for .* to match"),
        ("builtin:always-yes", {"train": "vqa:nowhere"}, "holds no|is not a folder"),
        ("file:FILE", {"options": {"prompt": "plain"}}, "--prompt has no effect: .* uses no prompt on this suite"),
        ("file:FILE", {"batch_size": 3}, "--batch-size has no effect: .* replays stored predictions"),
        ("file:FILE", {"cache": "cache"}, "--cache has no effect: .* replays stored predictions"),
        ("file:FILE", {"image_input": "none"}, "replays stored predictions; --image-input"),
    ],
)
def test_what_a_model_does_not_read_is_refused(
    tmp_path: Path, model: str, settings: dict[str, object], said: str
) -> None:
    suite = make_suite(tmp_path / "suite", probes=2)
    (tmp_path / "p.csv").write_text("source_id,answer\nq0-0,yes\n")
    spec = model.replace("FILE", str(tmp_path / "p.csv"))
    with pytest.raises((UsageError, falter.FalterError), match=said):
        falter.run(suite, spec, out=tmp_path / "run", **settings)  # type: ignore[arg-type]
    assert not (tmp_path / "run").exists()
    assert not Path("cache").exists()
