"""One policy: golds given word for word are read, and nothing else is read more kindly because it is right."""

from __future__ import annotations

import json
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import falter
from falter.data.items import Item, Probe
from falter.data.normalize import normalize
from falter.data.suite import Suite
from falter.evaluation.answers import read_gold
from falter.evaluation.answers.reply_reading import read_reply
from falter.evaluation.runs import Run

CASES = [json.loads(line) for line in (Path(__file__).parent / "cases.jsonl").read_text("utf-8").splitlines()]

REFUSALS = ("cannot tell", "none", "n/a", "unknown", "I don't know", "not sure", "can't see", "nothing", "no image")
DEMANDS = (
    "do not enter",
    "you cannot pass",
    "please wait",
    "stop?",
    "may 16",
    "many",
    "pickup",
    "pickle",
    "is it red?",
)
SYMBOLS = (
    *("10 m²", "½ cup", "1½ cups", "10²", "Coca-Cola™", "#1", "$5", "50%", "1/2", "-5", "+", "-", "?", "!", ".", "*"),
    *("`", "@", "&", "<", ">", "=", "|", "/", "…", "—", "C++", "C#", "a_b", "2*3", "2**3", "5'", '5"', "3°", "№ 5"),
    *("★", "👍", "dog 🐕", "👨‍👩‍👧", "＃１", "㎞", "ﬁre", "x²+y²", "€5", "5 €", "~5", "~~5~~", "°"),
)
MARKUP = (
    *("<think>", "</think>", "<answer>", "<br>", "<b>", "**bold**", "# title", "- item", "> quote", "[1]", "(b)", "1)"),
    *("A.", "A:", "{answer}", '{"answer": "x"}', "\\boxed{3}", "$x$", "```", "user: bob", "answer: 5", "<|im_end|>"),
)
WORDS = (
    *("yes/no", "it's", "it's a dog", "yes, it is", "no, brown", "the", "a", "A", "the end", "The Who", "an apple"),
    *("they are small", "in the picture", "on the left", '"hello"', "'hi'", "“hi”", "don't", "o'clock", "AT&T", "R&B"),
    *("the answer is 5", "there is a cat", "option B", "B", "first", "both", "neither", "https://a.b/c", "some", "or"),
)
OTHER_LANGUAGES = (
    *(
        "한국어",
        "고양이",
        "빨간색",
        "猫",
        "赤い車",
        "犬と猫",
        "是",
        "不知道",
        "кот",
        "да",
        "γάτα",
        "قط",
        "बिल्ली",
        "แมว",
    ),
    *(
        "café",
        "déjà vu",
        "où",
        "garçon",
        "forêt",
        "œuf",
        "él",
        "niño",
        "sí",
        "año",
        "¿qué?",
        "corazón",
        "über",
        "Straße",
    ),
    *("İstanbul", "ἄνθρωπος", "tiếng Việt", "le chat", "el perro", "oui", "non", "una", "ja", "nein"),
)
NASTY = (*REFUSALS, *DEMANDS, *SYMBOLS, *MARKUP, *WORDS, *OTHER_LANGUAGES)
FORMS = ("NFC", "NFD", "NFKC", "NFKD")


def write(folder: Path, probes: list[Probe]) -> Suite:
    return falter.write_suite(probes, folder, name="s", images="none")


def run_texts(suite: Suite, texts: dict[str, str], out: Path) -> Run:
    return falter.run(suite, lambda batch: [texts[one.item_id] for one in batch], name="m", version="1", out=out)


def single(number: object, **fields: object) -> Probe:
    shared = {"suite": "s", "test": "t", "probe_id": f"{number}", "text": f"What is it, {number}?"}
    return Probe.of(Item.make(**(shared | fields)))  # type: ignore[arg-type]


def test_every_answer_given_word_for_word_is_read_and_right(tmp_path: Path) -> None:
    golds = sorted({unicodedata.normalize(form, gold) for gold in NASTY for form in FORMS})
    assert len(golds) > 180
    probes, texts = [], {}
    for number, gold in enumerate(golds):
        others = ("another", "and another")
        people = (gold,) * 6 + ("another",) * 4
        for kind, fields in (
            ("open", {"gold": gold}),
            ("people", {"answers": people}),
            ("choice", {"gold": gold, "choices": (gold, *others)}),
        ):
            probes.append(single(f"{kind} {number}", **fields))
            texts[probes[-1].original.item_id] = f" {gold}\n" if number % 2 else gold
    run = run_texts(write(tmp_path / "suite", probes), texts, tmp_path / "run")
    outcomes = run.outcomes().select("item_id", "outcome").iter_rows()
    assert not {texts[item_id]: outcome for item_id, outcome in outcomes if outcome != "correct"}
    assert run.status_counts() == {"ok": len(probes)}
    assert {row.value for row in run.scores(n_resamples=0).rows if row.measure in ("acc", "vqa_accuracy")} == {1.0}


@pytest.mark.parametrize(
    "text", [one.format(gold) for gold in REFUSALS for one in ("{}", "{}.", "**{}**", "Answer: {}")]
)
def test_a_refusal_is_an_answer_only_where_it_is_the_gold_one(text: str) -> None:
    gold = next(gold for gold in REFUSALS if gold in text)
    alone = read_reply("answer", None, text)
    assert read_reply("answer", None, text, accepted=["a dog"]) == alone
    read = read_reply("answer", None, text, accepted=["a dog", gold])
    assert read == alone if alone.answer is not None else read == ("ok", gold)
    assert normalize(read.answer or "") == normalize(gold)


@pytest.mark.parametrize(
    "text",
    [
        *("I cannot tell from this image.", "I'm sorry, I don't know.", "Do not enter the room, it says, I think."),
        *("Maybe a dog.", "a dog or a cat", "It may be a dog?", "", "<think>a dog", "What is it?"),
    ],
)
def test_a_refusal_in_other_words_stays_unread(text: str) -> None:
    golds = ("cannot tell", "don't know", "do not enter", "dog", "a dog", "cat", "many")
    read = read_reply("answer", None, text, accepted=golds)
    assert read.answer is None or read == read_reply("answer", None, text)


texts = st.one_of(st.sampled_from([case["text"] for case in CASES]), st.sampled_from(NASTY), st.text(max_size=30))
answers = st.lists(st.one_of(st.sampled_from(NASTY), st.sampled_from([case["text"] for case in CASES])), max_size=12)
choices = st.one_of(st.none(), st.sampled_from([tuple(case["choices"]) for case in CASES if case["choices"]]))


@settings(max_examples=200)
@given(texts, choices, answers, st.booleans(), st.sampled_from(["answer", "match"]))
def test_accepted_answers_turn_nothing_but_unparsed_texts_into_answers(
    text: str, offered: tuple[str, ...] | None, accepted: list[str], cut_off: bool, task: str
) -> None:
    alone = read_reply(task, offered, text, cut_off=cut_off)
    read = read_reply(task, offered, text, cut_off=cut_off, accepted=accepted)
    if alone.status != "unparsed" or task == "match":
        assert read == alone
    else:
        assert read == alone or (read.status == "ok" and read.answer in accepted)


def test_swapped_golds_change_no_reading_and_no_byte(tmp_path: Path) -> None:
    replies = [*NASTY, *(case["text"] for case in CASES[::8])]
    golds = list(NASTY) * 8
    runs = []
    for shift in (0, 17):
        probes = [single(number, gold=golds[number + shift]) for number in range(len(replies))]
        said = {probe.original.item_id: text for probe, text in zip(probes, replies, strict=True)}
        folder = tmp_path / f"{shift}"
        runs.append(run_texts(write(folder / "suite", probes), said, folder / "run"))
    first, second = runs
    assert (first.folder / "replies.parquet").read_bytes() == (second.folder / "replies.parquet").read_bytes()
    assert first.manifest.counts == second.manifest.counts
    unread = 0
    for one, other in zip(*(run.replies().iter_rows(named=True) for run in runs), strict=True):
        if one["answer"] != other["answer"]:
            unread += 1
            # Only a text that no rule reads, and that is the gold answer word for word.
            assert read_reply("answer", None, one["text"]).answer is None
            read = one["answer"] or other["answer"]
            assert normalize(read) == normalize(one["text"]) or read.lower() in one["text"].lower()
    assert unread
    assert first.outcomes()["outcome"].to_list() != second.outcomes()["outcome"].to_list()


@given(st.text(alphabet=st.characters(categories=["L", "N"]), min_size=1, max_size=12))
def test_a_single_word_is_read_as_itself(word: str) -> None:
    answer = read_reply("answer", None, word).answer
    assert answer is None or normalize(answer) == normalize(word) == normalize(read_gold(word))


@pytest.mark.parametrize(
    ("reply", "gold", "right"),
    [
        ("It's a dog.", "it's a dog", True),
        ("dog", "it's a dog", True),
        ("cat", "it's a dog", False),
        ("10 m2", "10 m²", True),
        ("102 m", "10² m", False),
        ("11/2", "1½", False),
        ("1 1/2", "1½", True),
        ("cafe\u0301", "café", True),
        ("cafe", "café", False),
        ("5", "-", False),
        ("★", "♥", False),
        ("unknown", "none", False),
    ],
)
def test_one_form_for_golds_and_replies(tmp_path: Path, reply: str, gold: str, right: bool) -> None:
    probe = single(1, gold=gold)
    run = run_texts(write(tmp_path / "suite", [probe]), {probe.original.item_id: reply}, tmp_path / "run")
    assert (run.outcomes()["outcome"][0] == "correct") == right


def test_choices_of_one_normal_form_are_told_apart(tmp_path: Path) -> None:
    asked = {("-5", "5"): "5", ("C", "C++", "C#"): "C++", ("x+1", "x-1"): "x-1", ("red", "Red", "red"): "red"}
    probes, texts, expected = [], {}, {}
    for choices, gold in asked.items():
        for number, choice in enumerate(choices):
            probe = single(f"{choices} {number}", choices=choices, gold=gold)
            probes.append(probe)
            texts[probe.original.item_id] = choice
            expected[probe.original.item_id] = choice.lower() == gold.lower()
    probes.append(single("open", gold="5"))
    texts[probes[-1].original.item_id], expected[probes[-1].original.item_id] = "five", True
    run = run_texts(write(tmp_path / "suite", probes), texts, tmp_path / "run")
    judged = dict(run.outcomes().select("item_id", "outcome").iter_rows())
    assert {item_id: outcome == "correct" for item_id, outcome in judged.items()} == expected
    assert set(judged.values()) == {"correct", "incorrect"}
