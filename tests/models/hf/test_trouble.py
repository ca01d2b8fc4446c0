"""Whatever is wrong with a checkpoint: one clear line that says what to do."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from falter.core.errors import FalterError, UsageError
from falter.data.model_loading import LoadContext
from falter.data.model_options import ModelOptions
from falter.evaluation.models import load_model
from falter.evaluation.models.weights.checkpoint import explain_load_errors
from tests.models.tiny.words import byte_pairs

from .conftest import Images, Load

Break = Callable[[Path], Any]


def refused(spec: str, **options: Any) -> str:
    with pytest.raises(FalterError) as caught:
        load_model(spec, LoadContext(options=ModelOptions(device="cpu", **options)))
    line = str(caught.value)
    assert "\n" not in line
    assert len(line) < 600, line
    return line


def edited(path: Path, **changes: Any) -> None:
    content = json.loads(path.read_text())
    path.write_text(json.dumps({name: value for name, value in (content | changes).items() if value is not None}))


def without(*names: str) -> Break:
    def remove(folder: Path) -> None:
        for name in names:
            (folder / name).unlink()

    return remove


def cut_short(folder: Path) -> None:
    weights = folder / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:5000])


def split_and_lost(folder: Path) -> None:
    (folder / "model.safetensors").unlink()
    index = {"metadata": {}, "weight_map": {"vilt.embeddings.cls_token": "model-00001-of-00002.safetensors"}}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))


def without_the_head(folder: Path) -> None:
    from safetensors.torch import load_file, save_file

    tensors = load_file(folder / "model.safetensors")
    kept = {name: tensor for name, tensor in tensors.items() if not name.startswith("classifier")}
    save_file(kept, folder / "model.safetensors", metadata={"format": "pt"})


def with_another_tokenizer(folder: Path) -> None:
    byte_pairs(size=900, special=[f"<{number}>" for number in range(500)]).save_pretrained(folder)


def with_other_pictures(folder: Path) -> None:
    """The processor of a model with larger images, at fixed positions."""
    for path in folder.glob("*processor_config.json"):
        content = json.loads(path.read_text())
        target = content.get("image_processor", content)
        target["size"] = {"height": 56, "width": 56}
        path.write_text(json.dumps(content))


BROKEN: list[tuple[str, Break, str]] = [
    ("vilt_answers", without("config.json"), r"has no config.json \(give the folder that save_pretrained wrote"),
    ("vilt_answers", lambda folder: (folder / "config.json").write_text("{"), "the configuration cannot be read"),
    ("vilt_answers", without("model.safetensors"), r"the weights cannot be read: .* \(put model.safetensors"),
    ("vilt_answers", split_and_lost, r"the weights cannot be read: .* \(put model.safetensors \(all of its parts\)"),
    ("vilt_answers", cut_short, r"the weights cannot be read: .*or download it again"),
    ("vilt_answers", without_the_head, r"the weights lack 6 tensors that a ViltForQuestionAnswering needs"),
    ("vilt_answers", without("processor_config.json"), r"processor.*\(put preprocessor_config.json"),
    ("vilt_answers", without("tokenizer.json", "tokenizer_config.json"), r"has no tokenizer: .*\(put tokenizer.json"),
    (
        "lxmert_answers",
        without("tokenizer.json", "tokenizer_config.json"),
        r"has no tokenizer: .*\(put tokenizer.json",
    ),
    (
        "vilt_answers",
        with_another_tokenizer,
        r"its tokenizer has \d+ tokens and its weights know 220: they do not belong",
    ),
    ("blip_matches", with_other_pictures, r"its processor and its weights do not go together"),
    ("vilt_answers", lambda f: edited(f / "config.json", model_type="newer_than_us"), "pip install -U transformers"),
    (
        "vilt_answers",
        lambda f: edited(f / "config.json", architectures=["ViltForMaskedLM"]),
        "neither answers questions",
    ),
    (
        "vilt_answers",
        lambda f: edited(f / "config.json", model_type="own", auto_map={"AutoConfig": "own.OwnConfig"}),
        "brings its own Python code, .* give -M trust_remote_code=true",
    ),
]


@pytest.mark.parametrize(("name", "harm", "line"), BROKEN, ids=[f"{n}-{i}" for i, (n, *_) in enumerate(BROKEN)])
def test_a_broken_checkpoint_is_refused_with_a_remedy(
    name: str, harm: Break, line: str, checkpoint: Callable[[str], Path], tmp_path: Path, images: Images
) -> None:
    import re

    folder = shutil.copytree(checkpoint(name), tmp_path / "broken")
    harm(folder)
    said = refused(f"hf:{folder}", region_features=images.features)
    assert str(folder) in said or "broken" in said
    assert re.search(line, said), said


def test_a_configuration_without_its_class_is_told_by_the_weights(
    checkpoint: Callable[[str], Path], tmp_path: Path, images: Images
) -> None:
    for name, abilities in (("blip_matches", {"match"}), ("visual_bert_answers", {"answer", "match"})):
        folder = shutil.copytree(checkpoint(name), tmp_path / name)
        edited(folder / "config.json", architectures=None)
        options = ModelOptions(device="cpu", region_features=images.features)
        assert load_model(f"hf:{folder}", LoadContext(options=options)).capabilities.tasks == abilities


def test_a_checkpoint_that_only_reads_text_or_only_encodes_is_sent_elsewhere(tmp_path: Path) -> None:
    import transformers

    text = transformers.GPT2Config(n_embd=8, n_layer=1, n_head=1, vocab_size=32)
    transformers.GPT2LMHeadModel(text).save_pretrained(tmp_path / "gpt2")
    assert "reads text only (GPT2LMHeadModel)" in refused(f"hf:{tmp_path / 'gpt2'}")
    assert f"give it as lm:{tmp_path / 'gpt2'}" in refused(f"hf:{tmp_path / 'gpt2'}")
    transformers.CLIPConfig(architectures=["CLIPModel"]).save_pretrained(tmp_path / "clip")
    assert f"give it as clip:{tmp_path / 'clip'}" in refused(f"hf:{tmp_path / 'clip'}")
    transformers.BertConfig(architectures=["BertModel"]).save_pretrained(tmp_path / "bert")
    assert "neither answers questions" in refused(f"hf:{tmp_path / 'bert'}") or "reads text only" in refused(
        f"hf:{tmp_path / 'bert'}"
    )


@pytest.mark.parametrize("name", ["./nowhere", "no/such/folder", "/no/such/folder", "~/nowhere"])
def test_a_folder_that_is_not_there_is_not_looked_for_on_the_hub(name: str) -> None:
    assert "there is no such folder (give a folder with config.json, or an id like org/name)" in refused(f"hf:{name}")


def test_a_folder_below_home_is_found(checkpoint: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch) -> None:
    folder = checkpoint("vilt_matches")
    monkeypatch.setenv("HOME", str(folder.parent))
    model = load_model(f"hf:~/{folder.name}", LoadContext(options=ModelOptions(device="cpu")))
    assert model.name == folder.name


def test_a_file_and_unknown_settings_are_refused(tmp_path: Path) -> None:
    (tmp_path / "model.gguf").write_bytes(b"GGUF")
    assert "is a file, not a checkpoint" in refused(f"hf:{tmp_path / 'model.gguf'}")
    assert "only labels=FILE can stand" in refused("hf:org/name,shots=3")


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (
            OSError("We couldn't connect to 'https://huggingface.co' to load the files, and couldn't find them."),
            "org/name is no folder here and the hub cannot be reached (no network, or HF_HUB_OFFLINE is set): download",
        ),
        (OSError("org/name is not a local folder and is not a valid model identifier listed"), "check the name"),
        (OSError("You are trying to access a gated repo."), "accept its terms there"),
        (
            ImportError("Package `num2words` is required. Install it with `pip install num2words`"),
            "pip install num2words",
        ),
        (ImportError("X requires the Torchvision library but it was not found"), "pip install torchvision"),
        (MemoryError(), "does not fit the memory: give -M dtype=bf16"),
    ],
)
def test_what_the_hub_and_the_machine_say_becomes_one_line(error: Exception, line: str) -> None:
    """What needs a network or a full memory to happen, by the words that transformers uses."""
    with pytest.raises(FalterError) as caught, explain_load_errors("org/name", "weights"):
        raise error
    assert line in str(caught.value)


def too_much_for_more_than(fits: int) -> Callable[[Any, Any, dict[str, Any]], None]:
    """Makes a model ask for more memory than any machine has when a batch is larger than this."""
    import torch

    def hook(module: Any, given: Any, named: dict[str, Any]) -> None:
        if len(named["input_ids"]) > fits:
            torch.empty(2**48)

    return hook


def test_a_batch_that_does_not_fit_the_memory_is_asked_in_smaller_ones(
    checkpoint: Callable[[str], Path], load: Load, images: Images
) -> None:
    requests = images.requests("match")
    expected = load("vilt_matches").reply(requests)
    model = load_model(f"hf:{checkpoint('vilt_matches')}", LoadContext(options=ModelOptions(device="cpu")))
    weights = model._copies[0][0]  # type: ignore[attr-defined]
    hook = weights.register_forward_pre_hook(too_much_for_more_than(2), with_kwargs=True)
    found = model.reply(requests)
    assert [reply.score for reply in found] == pytest.approx([reply.score for reply in expected], abs=1e-5)
    hook.remove()
    weights.register_forward_pre_hook(too_much_for_more_than(0), with_kwargs=True)
    with pytest.raises(
        UsageError, match="a single item does not fit the memory: give -M dtype=bf16, a smaller --batch-size"
    ):
        model.reply(requests)


def test_the_command_line_prints_one_line_and_nothing_else(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], checkpoint: Callable[[str], Path]
) -> None:
    from falter.cli.main import main

    monkeypatch.setattr("sys.argv", ["falter", "list", "model", f"hf:{checkpoint('lxmert_answers')}"])
    with pytest.raises(SystemExit) as stopped:
        main()
    assert stopped.value.code == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith("falter: ")
    assert shown.err.count("\n") == 1
    assert "sees regions, not pixels: give -M region_features" in shown.err


def test_a_question_that_leaves_no_room_for_the_answer_fails_alone(load: Load, images: Images) -> None:
    import msgspec

    requests = images.requests("answer", ("yes", "no"))[:3]
    long = msgspec.structs.replace(requests[1], item_id="long", text="a bus " * 200)
    for name in ("git", "blip2_answers", "llava"):
        replies = load(name).reply([requests[0], long, requests[2]])
        assert [reply.status for reply in replies] == ["ok", "failed", "ok"], replies
        assert "tokens, and the model takes" in (replies[1].error or "")
