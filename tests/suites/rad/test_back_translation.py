"""Back-translation: by real Marian models of random weights, and by translators whose results are known."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

import falter
from falter.core.errors import InputError, UsageError
from falter.core.progress import ProgressCallback, no_progress
from falter.data.items import Probe
from falter.data.sources import open_source
from falter.generation.authoring.generator import GenerateContext
from falter.generation.authoring.options import GenerateOptions
from falter.generation.nlp.translation import load_marian
from falter.suites.rad.back_translation import BackTranslation
from falter.suites.rad.inspection import audit

pytestmark = pytest.mark.bundle("rad")

ROWS = [
    ("What color is the dog?", "brown"),
    ("How many cats are there?", "2"),
    ("Is it raining?", "no"),
    ("What color is the dog?", "white"),
    ("Who is it?", "man"),
]


@pytest.fixture(scope="module")
def marian(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A Marian model with a vocabulary of its own and random weights."""
    torch = pytest.importorskip("torch")
    before = torch.get_num_threads()
    # Several threads would wait for each other longer than such a model takes.
    torch.set_num_threads(1)
    transformers = pytest.importorskip("transformers")
    sentencepiece = pytest.importorskip("sentencepiece")
    folder = tmp_path_factory.mktemp("marian")
    text = folder / "text.txt"
    text.write_text("\n".join(question for question, _ in ROWS * 5))
    sentencepiece.SentencePieceTrainer.train(
        input=str(text), model_prefix=str(folder / "source"), vocab_size=45, hard_vocab_limit=False, minloglevel=2
    )
    (folder / "source.model").rename(folder / "source.spm")
    (folder / "target.spm").write_bytes((folder / "source.spm").read_bytes())
    pieces = sentencepiece.SentencePieceProcessor(model_file=str(folder / "source.spm"))
    words = [pieces.id_to_piece(number) for number in range(pieces.get_piece_size())]
    words = ["</s>", "<unk>", *(word for word in words if not word.startswith("<")), "<pad>"]
    (folder / "vocab.json").write_text(json.dumps({word: number for number, word in enumerate(words)}))
    config = transformers.MarianConfig(
        vocab_size=len(words),
        d_model=16,
        encoder_layers=1,
        decoder_layers=1,
        encoder_attention_heads=2,
        decoder_attention_heads=2,
        encoder_ffn_dim=16,
        decoder_ffn_dim=16,
        max_position_embeddings=16,
        pad_token_id=len(words) - 1,
        eos_token_id=0,
        decoder_start_token_id=len(words) - 1,
        forced_eos_token_id=0,
    )
    transformers.set_seed(0)
    transformers.MarianMTModel(config).save_pretrained(folder)
    (folder / "tokenizer_config.json").write_text(json.dumps({"source_lang": "en", "target_lang": "de"}))
    yield folder
    torch.set_num_threads(before)


class Known:
    """Translates by a table; every text once."""

    name = fingerprint = "known"

    def __init__(self, **translations: str) -> None:
        self.translations = translations
        self.asked: list[str] = []

    def translate(self, texts: Sequence[str], progress: ProgressCallback = no_progress) -> list[str]:
        self.asked += texts
        return [self.translations.get(text.split()[0].lower() if text else "", text) for text in texts]


def write(folder: Path) -> str:
    rows = [{"image": "a", "question": text, "answer": answer} for text, answer in ROWS]
    (folder / "own.jsonl").write_text("\n".join(map(json.dumps, rows)))
    return f"table:{folder / 'own.jsonl'}"


def make(spec: str, forward: Known, size: int | None = None) -> tuple[list[Probe], GenerateContext]:
    source = open_source(spec)
    options = GenerateOptions(images="none", size=size)
    context = GenerateContext(source=source, options=options)
    return list(BackTranslation(forward, Known(), context).probes()), context


def test_a_translation_that_is_its_original_is_counted_and_answers_stay(tmp_path: Path) -> None:
    forward = Known(what="Which color does the dog have?", how="how many cats are there", who="")
    probes, context = make(write(tmp_path), forward)
    assert [(one.original.text, one.variants[0].text, one.variants[0].gold) for one in probes] == [
        ("What color is the dog?", "Which color does the dog have?", "brown"),
        ("What color is the dog?", "Which color does the dog have?", "white"),
    ]
    assert context.rejected == {
        "back-translation: the translation is its original word for word": 2,
        "back-translation: the translation is empty": 1,
    }
    assert sorted(forward.asked) == sorted({text for text, _ in ROWS}), "a text is translated once"
    assert [audit(one, None) for one in probes] == ["", ""]
    wrong = Probe((probes[0].original, probes[0].variants[0].change(gold="red")))
    assert audit(wrong, None) == "the answers are not those of the original"


def test_as_many_pairs_as_are_wanted(tmp_path: Path) -> None:
    forward = Known(what="Which color?", how="What number of cats?", who="What man?", **{"is": "Does it rain?"})
    everything, _ = make(write(tmp_path), forward)
    some, _ = make(write(tmp_path), forward, size=2)
    assert len(everything) == 5
    assert len(some) == 2
    assert {one.probe_id for one in some} < {one.probe_id for one in everything}


def test_marian_models_are_loaded_and_give_the_same_again(marian: Path, tmp_path: Path) -> None:
    texts = [text for text, _ in ROWS]
    first = load_marian(str(marian), num_beams=2, batch_size=2)
    assert first.translate(texts) == load_marian(str(marian), num_beams=2, batch_size=2).translate(texts)
    suite = falter.generate(
        "rad",
        write(tmp_path),
        out=tmp_path / "suite",
        tests=["back-translation"],
        images="none",
        forward_model=str(marian),
        backward_model=str(marian),
        num_beams=1,
    )
    told = suite.manifest.parameters["back_translation"]
    assert told["forward"]["fingerprint"] == first.fingerprint
    assert told["num_beams"] == 1
    pairs = suite.manifest.counts["tests"]["back-translation"]["probes"]
    assert pairs + sum(suite.manifest.counts["refused"].values()) == len(ROWS)


def test_without_a_hub_an_id_that_is_not_on_disk_is_one_line_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("sentencepiece")
    transformers = pytest.importorskip("transformers")
    monkeypatch.setattr("falter.core.optional_packages.is_hub_reachable", lambda: False)
    # It would try five times, and tell of each.
    monkeypatch.setattr(transformers.AutoConfig, "from_pretrained", lambda *_, **__: pytest.fail("asked the hub"))
    with pytest.raises(UsageError, match=r"^some/opus-mt is no folder here and the hub cannot be reached"):
        load_marian("some/opus-mt")


def test_what_is_no_marian_model_is_one_line(marian: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is not a folder"):
        load_marian(str(tmp_path / "absent"))
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "config.json").write_text('{"model_type": "gpt2"}')
    with pytest.raises(UsageError, match="is no Marian model but gpt2"):
        load_marian(str(tmp_path / "other"))
    (tmp_path / "other" / "config.json").write_bytes((marian / "config.json").read_bytes())
    with pytest.raises(InputError, match="has no tokenizer that can be loaded"):
        load_marian(str(tmp_path / "other"))
