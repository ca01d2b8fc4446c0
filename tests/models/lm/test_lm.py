"""Language models as blind readers: scores of texts, answers by likelihood, from the command line to the score."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

from falter.core.errors import UsageError
from falter.data.items import ImageRef, Item, Probe
from falter.data.model import Request
from falter.data.model_loading import LoadContext
from falter.data.model_options import ModelOptions
from falter.data.suite import Suite, SuiteManifest, open_suite
from falter.data.suite_writing import create_suite
from falter.evaluation.engine import dry_run, run_suite
from falter.evaluation.models import load_model
from falter.evaluation.models.weights.lm import LanguageModel
from tests.models.in_process import falter_here, scores_in
from tests.models.lm.checkpoints import SENTENCES, gpt2, llama, plain_mean, train_on

pytest.importorskip("torch")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return gpt2(tmp_path_factory.mktemp("lm") / "gpt2")


def loaded(folder: Path, **options: object) -> LanguageModel:
    chosen = msgspec.convert(options, ModelOptions)
    model = load_model(f"lm:{folder}", LoadContext(options=chosen))
    assert isinstance(model, LanguageModel)
    return model


def match(text: str) -> Request:
    return Request(item_id=text, task="match", text=text)


def ask(text: str, *choices: str) -> Request:
    return Request(item_id=f"{text} {choices}", task="answer", text=text, choices=choices or None)


def suite_of_pairs(folder: Path) -> Suite:
    """Captions and foils of hand; no image is at hand, and none is needed."""
    pairs = [(SENTENCES[0], SENTENCES[1]), (SENTENCES[2], SENTENCES[3]), (SENTENCES[5], SENTENCES[4])]
    with create_suite(folder, SuiteManifest(name="pairs")) as writer:
        for number, texts in enumerate(pairs):
            items = [
                Item.make(
                    probe_id=f"p{number}",
                    variant=variant,
                    suite="pairs",
                    test="existence",
                    expects="prefer",
                    task="match",
                    text=text,
                    gold="no" if variant else "yes",
                    image=ImageRef(f"i{number}"),
                )
                for variant, text in enumerate(texts)
            ]
            writer.add(Probe(tuple(items)))
    return open_suite(folder)


def test_what_it_says_of_itself(folder: Path) -> None:
    model = loaded(folder)
    assert model.capabilities.reply_unordered is not None
    assert (model.name, model.capabilities.method) == ("gpt2", "lm:mean,bos:on")
    assert model.capabilities.tasks == {"answer", "match"}
    assert not model.capabilities.needs_image
    assert loaded(folder, lm_score="sum", bos=False).capabilities.method == "lm:sum,bos:off"


@pytest.mark.parametrize("rule", ["mean", "sum"])
@pytest.mark.parametrize("bos", [True, False])
def test_a_match_is_the_log_probability_of_the_raw_text(folder: Path, rule: str, bos: bool) -> None:
    model = loaded(folder, lm_score=rule, bos=bos)
    texts = SENTENCES[:4]
    for text, reply in zip(texts, model.reply([match(text) for text in texts]), strict=True):
        mean, tokens = plain_mean(folder, text, first="<|endoftext|>" if bos else None)
        assert (reply.item_id, reply.status, reply.score_kind) == (text, "ok", "logprob")
        assert reply.score == pytest.approx(mean if rule == "mean" else mean * tokens, abs=1e-5 * tokens)


def test_a_learned_text_scores_higher_and_is_preferred(tmp_path: Path) -> None:
    folder = gpt2(tmp_path / "taught")
    before = loaded(folder).reply([match(SENTENCES[2])])[0].score
    train_on(folder, SENTENCES[2])
    known, unknown = loaded(folder).reply([match(SENTENCES[2]), match(SENTENCES[3])])
    assert before is not None
    assert known.score is not None
    assert unknown.score is not None
    assert known.score > before
    assert known.score > unknown.score


def test_an_answer_is_the_likeliest_choice_in_any_order(tmp_path: Path) -> None:
    folder = llama(tmp_path / "llama")
    model = loaded(folder)
    question = "What color is the sofa?"
    asked = "Question: What color is the sofa? Choices: red, blue or brown. Short answer:"
    assert model.capabilities.prompt.question(ask(question, "red", "blue", "brown")) == asked
    [reply] = model.reply([ask(question, "red", "blue", "brown")])
    plain = {
        choice: plain_mean(folder, f" {choice}", first="<s>", before=asked)[0] for choice in ("red", "blue", "brown")
    }
    assert reply.choice_scores == pytest.approx(plain, abs=1e-5)
    assert reply.answer == max(plain, key=lambda choice: plain[choice])
    # Yes and no are not named in the prompt, so that only their order differs.
    there, back = model.reply([ask("Is there a dog?", "yes", "no"), ask("Is there a dog?", "no", "yes")])
    assert there.answer == back.answer
    assert there.choice_scores == pytest.approx(back.choice_scores, abs=1e-6)


def test_a_taught_answer_is_given(tmp_path: Path) -> None:
    folder = gpt2(tmp_path / "taught")
    train_on(folder, "Question: Is there a dog? Yes or no? Short answer: no")
    [reply] = loaded(folder).reply([ask("Is there a dog?", "yes", "no")])
    assert reply.answer == "no"
    train_on(folder, "Question: Is there a dog? Yes or no? Short answer: yes")
    [reply] = loaded(folder).reply([ask("Is there a dog?", "yes", "no")])
    assert reply.answer == "yes"


def test_system_text_and_examples_come_before_the_question(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "system.txt").write_text("Dogs sit.\n")
    (tmp_path / "shots.yaml").write_text('- {text: "Is there a man?", reply: "no", choices: ["yes", "no"]}\n')
    model = loaded(folder, system=tmp_path / "system.txt", few_shot=tmp_path / "shots.yaml", prompt="plain")
    [reply] = model.reply([ask("Dogs?", "yes", "no")])
    before = "Dogs sit.\n\nIs there a man? no\n\nDogs?"
    mean, _ = plain_mean(folder, " yes", first="<|endoftext|>", before=before)
    assert reply.choice_scores is not None
    assert reply.choice_scores["yes"] == pytest.approx(mean, abs=1e-5)


def test_questions_without_choices_and_texts_without_room(folder: Path) -> None:
    replies = loaded(folder).reply([ask("What is this?"), match("dogs " * 80), match(SENTENCES[0]), match("")])
    assert [reply.status for reply in replies] == ["unsupported", "failed", "ok", "failed"]
    assert "more than the 64" in (replies[1].error or "")


def test_every_batch_size_gives_the_same_replies(folder: Path) -> None:
    model = loaded(folder)
    requests = [match(text) for text in SENTENCES]
    requests += [ask(text, "yes", "no", "a red sofa") for text in SENTENCES[:4]]
    alone = {request.item_id: model.reply([request])[0] for request in requests}
    for size in (2, 3, 5, 32):
        streamed = list(model.reply_unordered(iter(requests), size))
        assert len(streamed) == len(requests)
        for reply in streamed:
            one = alone[reply.item_id]
            assert reply.answer == one.answer
            assert reply.score == pytest.approx(one.score, abs=1e-5)
            assert reply.choice_scores == pytest.approx(one.choice_scores, abs=1e-5)


def test_the_fingerprint_is_that_of_weights_rule_and_prompt(folder: Path, tmp_path: Path) -> None:
    plain = loaded(folder).fingerprint
    assert loaded(folder, device="cpu,cpu", concurrency=3).fingerprint == plain
    others = [
        loaded(folder, lm_score="sum").fingerprint,
        loaded(folder, bos=False).fingerprint,
        loaded(folder, prompt="plain").fingerprint,
        loaded(gpt2(tmp_path / "other", seed=3)).fingerprint,
    ]
    assert len({plain, *others}) == 5


def test_two_copies_reply_as_one(folder: Path) -> None:
    requests = [match(f"{text} {number}") for number in range(4) for text in SENTENCES]
    one = {reply.item_id: reply.score for reply in loaded(folder).reply_unordered(iter(requests), 4)}
    two = {reply.item_id: reply.score for reply in loaded(folder, device="cpu,cpu").reply_unordered(iter(requests), 4)}
    assert two == pytest.approx(one, abs=1e-5)


def test_a_model_without_a_first_token(tmp_path: Path) -> None:
    folder = gpt2(tmp_path / "bare")
    for name in ("tokenizer_config.json", "tokenizer.json", "special_tokens_map.json"):
        path = folder / name
        if path.is_file():
            path.write_text(path.read_text().replace("<|endoftext|>", "zzz"))
    config = json.loads((folder / "tokenizer_config.json").read_text())
    (folder / "tokenizer_config.json").write_text(json.dumps(config | {"bos_token": None, "eos_token": None}))
    with pytest.raises(UsageError, match="give -M bos=false"):
        loaded(folder)
    assert loaded(folder, bos=False).reply([match(SENTENCES[0])])[0].status == "ok"


def test_a_dry_run_counts_what_it_reads_and_nothing_else(folder: Path, tmp_path: Path) -> None:
    model = loaded(folder)
    text, question = SENTENCES[0], ask("Is there a dog?", "yes", "no")
    _, words = plain_mean(folder, text, first="<|endoftext|>")
    # The first token is read and not scored.
    assert model.count_tokens([match(text)]) == words + 1
    assert model.count_tokens([question]) > 2 * model.count_tokens([match("Is there a dog?")])
    told = dry_run(suite_of_pairs(tmp_path / "suite"), model, tmp_path / "run").estimate
    assert told is not None
    assert told.counted_by == "the model's tokenizer"
    assert (told.output_tokens, told.images) == (0, 0)


def test_a_suite_of_pairs_without_pictures(folder: Path, tmp_path: Path) -> None:
    suite = suite_of_pairs(tmp_path / "suite")
    run = run_suite(suite, loaded(folder), tmp_path / "run", spec=f"lm:{folder}")
    assert run.manifest.counts["ok"] == 6
    texts = {item.item_id: item.text for item in suite.items()}
    for row in run.replies().iter_rows(named=True):
        mean, _ = plain_mean(folder, texts[row["item_id"]], first="<|endoftext|>")
        assert row["score"] == pytest.approx(mean, abs=1e-5)


def test_from_the_command_line_to_the_score(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    suite = suite_of_pairs(tmp_path / "suite")
    chosen = ("-M", "lm_score=sum", "-M", "bos=false")
    done = falter_here(
        monkeypatch, capsys, "run", suite.folder, "--model", f"lm:{folder}", "--out", tmp_path / "run", *chosen
    )
    assert done.code == 0, done.err
    scored = falter_here(monkeypatch, capsys, "score", tmp_path / "run", "--json")
    assert scored.code == 0, scored.err
    accuracy = scores_in(scored.out)["existence", "acc_r"]
    assert "|lm:sum|bos:off|" in accuracy["signature"]
    sums = [mean * tokens for mean, tokens in (plain_mean(folder, item.text, first=None) for item in suite.items())]
    assert accuracy["value"] == pytest.approx(sum(a > b for a, b in zip(sums[::2], sums[1::2], strict=True)) / 3)
    gone = falter_here(
        monkeypatch, capsys, "run", suite.folder, "--model", f"lm:{tmp_path / 'gone'}", "--out", tmp_path / "none"
    )
    assert gone.code == 2
    assert "is not there" in gone.err


@pytest.mark.slow
def test_smollm2_from_its_package_prefers_english() -> None:
    pytest.importorskip("gguf")
    try:
        model = load_model("lm:smollm2")
    except UsageError as error:
        pytest.skip(str(error))
    good, bad = model.reply(
        [match("A man is riding a horse on the beach."), match("A horse beach on a the riding man.")]
    )
    assert good.score is not None
    assert bad.score is not None
    # Far likelier than words in any order, and likelier than one in ten thousand a token: the weights are real.
    assert bad.score < good.score - 1
    assert good.score > -5
    [reply] = model.reply([ask("Is the grass in a park usually green?", "yes", "no")])
    assert set(reply.choice_scores or ()) == {"yes", "no"}


def test_very_many_choices_are_scored_in_parts_and_not_listed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    choices = [f"the {number} cars" for number in range(60)]
    request = ask("How many cars?", *choices)
    model = loaded(folder)
    [whole] = model.reply([request])
    monkeypatch.setattr("falter.evaluation.models.weights.lm._MOST_ROWS", 20)
    monkeypatch.setattr("falter.evaluation.models.weights.lm._MOST_TOKENS", 300)
    [parts] = model.reply([request])
    assert parts.choice_scores == pytest.approx(whole.choice_scores, abs=1e-5)
    prompt = model.capabilities.prompt
    assert "the 7 cars" not in prompt.question(request, scored=True)
    assert "the 6 cars; the 7 cars;" in prompt.question(request)
