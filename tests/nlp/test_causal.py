"""Likelihoods of texts: against the library's own loss, for every batch size, and with every way to begin."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from falter.core.causal_lm import Continuation, TooLongError, TransformerLM, find_bos_token, load_causal_lm
from falter.core.errors import InputError, UsageError
from tests.models.lm.checkpoints import SENTENCES, gpt2, llama, masked, plain_mean

pytest.importorskip("torch")


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    root = tmp_path_factory.mktemp("language models")
    return {"gpt2": gpt2(root / "gpt2"), "llama": llama(root / "llama")}


@pytest.fixture(scope="module")
def loaded(folders: dict[str, Path]) -> dict[str, TransformerLM]:
    return {name: load_causal_lm(str(folder)) for name, folder in folders.items()}


@pytest.mark.parametrize("name", ["gpt2", "llama"])
@pytest.mark.parametrize("bos", [True, False])
def test_a_text_scores_as_the_library_has_it(
    name: str, bos: bool, folders: dict[str, Path], loaded: dict[str, TransformerLM]
) -> None:
    model = loaded[name]
    texts = [text for text in SENTENCES if bos or text != "Dogs."]
    found = model.score([Continuation(text) for text in texts], bos=bos, batch_size=4)
    for text, likelihood in zip(texts, found, strict=True):
        mean, tokens = plain_mean(folders[name], text, first=model.bos_token if bos else None)
        assert likelihood.mean == pytest.approx(mean, abs=1e-5)
        assert likelihood.tokens == tokens
        assert likelihood.total == pytest.approx(mean * tokens, abs=1e-4)
        assert likelihood.reduce("sum") == likelihood.total
        assert likelihood.reduce("mean") == likelihood.mean


@pytest.mark.parametrize("name", ["gpt2", "llama"])
def test_what_stands_before_is_not_scored(
    name: str, folders: dict[str, Path], loaded: dict[str, TransformerLM]
) -> None:
    model = loaded[name]
    before = "Question: Is there a dog? Yes or no? Short answer:"
    for ending in (" yes", " no", " a red sofa"):
        [likelihood] = model.score([Continuation(ending, before)])
        mean, tokens = plain_mean(folders[name], ending, first=model.bos_token, before=before)
        assert (likelihood.mean, likelihood.tokens) == (pytest.approx(mean, abs=1e-5), tokens)


@pytest.mark.parametrize("name", ["gpt2", "llama"])
def test_no_batch_size_changes_a_score(name: str, loaded: dict[str, TransformerLM]) -> None:
    passages = [Continuation(text) for text in SENTENCES]
    passages += [Continuation(f" {text}", SENTENCES[0]) for text in SENTENCES[:3]]
    alone = [loaded[name].score([passage])[0] for passage in passages]
    for size in (2, 3, 7, 32):
        together = loaded[name].score(passages, batch_size=size)
        assert [one.tokens for one in together] == [one.tokens for one in alone]
        assert [one.total for one in together] == pytest.approx([one.total for one in alone], abs=1e-4)


def test_a_token_over_the_seam_belongs_to_what_is_scored(loaded: dict[str, TransformerLM]) -> None:
    model = loaded["gpt2"]
    whole = model.encode(Continuation("There are people"))
    # "peop" ends inside a token of the whole text.
    split = model.encode(Continuation("ple", "There are peo"))
    assert split.tokens == whole.tokens
    assert model._tokenizer.decode(whole.tokens[: split.start]) == "<|endoftext|>There are"


def test_texts_that_cannot_be_scored_say_why(loaded: dict[str, TransformerLM]) -> None:
    with pytest.raises(TooLongError, match="no token"):
        loaded["gpt2"].encode(Continuation(""))
    with pytest.raises(TooLongError, match="no token"):
        loaded["gpt2"].encode(Continuation("."), bos=False)
    with pytest.raises(TooLongError, match="more than the 64"):
        loaded["gpt2"].encode(Continuation("dogs " * 70))


@pytest.mark.parametrize(
    ("bos", "eos", "vocabulary", "expected"),
    [
        ("<s>", "</s>", ["<s>", "</s>", "<|endoftext|>"], "<s>"),
        ("<|im_start|>", "<|im_end|>", ["<|endoftext|>", "<|im_start|>", "<|im_end|>"], "<|endoftext|>"),
        (None, "<|im_end|>", ["<|im_end|>", "<|endoftext|>"], "<|endoftext|>"),
        (None, "</s>", ["</s>"], "</s>"),
        ("<|im_start|>", None, ["<|im_start|>"], "<|im_start|>"),
        (None, None, ["a"], None),
    ],
)
def test_the_token_that_begins_a_text(
    bos: str | None, eos: str | None, vocabulary: list[str], expected: str | None
) -> None:
    ids = {token: number + 5 for number, token in enumerate(vocabulary)}
    tokenizer = SimpleNamespace(bos_token=bos, eos_token=eos, get_vocab=lambda: ids)
    assert find_bos_token(tokenizer) == (expected, ids.get(expected or ""))


def test_other_weights_have_another_fingerprint(tmp_path: Path, loaded: dict[str, TransformerLM]) -> None:
    same, other = load_causal_lm(str(gpt2(tmp_path / "same"))), load_causal_lm(str(gpt2(tmp_path / "other", seed=1)))
    assert same.fingerprint == loaded["gpt2"].fingerprint
    assert other.fingerprint != same.fingerprint


class TestRefusals:
    """One clear line each."""

    def test_nothing_there(self, tmp_path: Path) -> None:
        for name in (tmp_path / "gone", tmp_path / "gone.gguf"):
            with pytest.raises(InputError, match="is not there"):
                load_causal_lm(str(name))

    def test_a_folder_without_a_model(self, tmp_path: Path) -> None:
        (tmp_path / "notes.txt").write_text("nothing")
        with pytest.raises(InputError, match=r"neither a config.json nor a .gguf"):
            load_causal_lm(str(tmp_path))
        with pytest.raises(InputError, match="no GGUF"):
            load_causal_lm(str(tmp_path / "notes.txt"))

    def test_several_gguf_files(self, tmp_path: Path) -> None:
        for name in ("a.gguf", "b.gguf"):
            (tmp_path / name).write_bytes(b"GGUF")
        with pytest.raises(InputError, match=r"2 GGUF files.*a\.gguf, b\.gguf"):
            load_causal_lm(str(tmp_path))

    def test_a_broken_gguf_file(self, tmp_path: Path) -> None:
        (tmp_path / "a.gguf").write_bytes(b"GGUF and nothing more")
        with pytest.raises(InputError, match="can be loaded"):
            load_causal_lm(str(tmp_path / "a.gguf"))

    def test_no_package_for_gguf(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        (tmp_path / "a.gguf").write_bytes(b"GGUF")
        monkeypatch.setitem(sys.modules, "gguf", None)
        with pytest.raises(UsageError, match=r"package gguf.*pip install 'falter\[hf\]'"):
            load_causal_lm(str(tmp_path / "a.gguf"))

    def test_a_masked_model(self, tmp_path: Path) -> None:
        folder = masked(tmp_path / "bert")
        with pytest.raises(UsageError, match="no causal language model but BertForMaskedLM"):
            load_causal_lm(str(folder))
        config = (folder / "config.json").read_text().replace("BertForMaskedLM", "BertLMHeadModel")
        (folder / "config.json").write_text(config)
        with pytest.raises(UsageError, match="looks at the words after"):
            load_causal_lm(str(folder))

    def test_no_tokenizer(self, tmp_path: Path) -> None:
        folder = gpt2(tmp_path / "bare")
        for path in folder.glob("tokenizer*"):
            path.unlink()
        with pytest.raises(InputError, match="no tokenizer"):
            load_causal_lm(str(folder))

    def test_weights_that_are_missing(self, tmp_path: Path) -> None:
        from safetensors.torch import load_file, save_file

        folder = gpt2(tmp_path / "half")
        weights = load_file(folder / "model.safetensors")
        kept = {name: tensor for name, tensor in weights.items() if "h.1.mlp" not in name}
        save_file(kept, folder / "model.safetensors", metadata={"format": "pt"})
        with pytest.raises(InputError, match=r"lacks weights: transformer\.h\.1\.mlp"):
            load_causal_lm(str(folder))
        (folder / "model.safetensors").unlink()
        with pytest.raises(InputError, match="no weights"):
            load_causal_lm(str(folder))
