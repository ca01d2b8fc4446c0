"""The tables that scoring needs: items and replies from Parquet, part of a suite, facets, and questions as numbers.

Of a question, judging needs its gold answers, choices and human answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from falter.core.errors import InputError, UsageError
from falter.core.files import open_parquet
from falter.core.tables import format_count
from falter.data.normalize import normalize
from falter.data.suite import ITEM_SCHEMA
from falter.evaluation.measures.outcomes.coding import NONE, Bools, Codes, Lists, Vocabulary, code_rows
from falter.evaluation.score_options import SUBSETS, Subset

if TYPE_CHECKING:
    import polars as pl

_REPEATED = ("suite", "test", "expects", "task", "image_id", "gold")
ITEM_COLUMNS = ("probe_id", "variant", "item_id", *_REPEATED, "answers", "choices")
REPLY_COLUMNS = ("item_id", "status", "answer")
SCORE_COLUMNS = ("score", "score_kind", "choice_scores")
"""What replies to matching items are ranked by."""
WITHOUT_ANSWER = ("unparsed", "truncated")
"""The statuses of replies that hold no answer: what such a reply says is its text."""

_SCHEMA = pa.schema(
    [
        *ITEM_SCHEMA,
        pa.field("status", pa.string(), nullable=False),
        pa.field("answer", pa.string()),
        pa.field("score", pa.float64()),
        pa.field("score_kind", pa.string()),
        pa.field("choice_scores", pa.list_(pa.struct([("choice", pa.string()), ("score", pa.float64())]))),
    ]
)
"""What any of these columns holds, of items and of replies."""
_TEXTS = pa.schema([("status", pa.string()), ("text", pa.string())])

_LISTS = ("choices.list.element", "answers.list.element", "facets.list.element.name", "facets.list.element.value")
_DICTIONARY_COLUMNS = (*_REPEATED, "status", "answer", "score_kind", *_LISTS)

_FLAGS = ("valid", "unanimous")
_FACET_NAMES = "facets.list.element.name"


def read_items(
    path: Path, *, facets: bool = False, probes: Collection[str] | None = None, subset: Subset | None = None
) -> pa.Table:
    """The columns of a suite's items that scoring needs: all items, or those of some probes or of a subset.

    Facets are read where they are asked for, where a subset is, and where texts are matched with images, since such
    tests are also aggregated by facet; texts where there are single open questions.
    """
    columns: tuple[str, ...] = (*ITEM_COLUMNS, "facets") if facets or subset is not None else ITEM_COLUMNS
    items = _read(path, columns)
    more = columns
    if "facets" not in columns and has_matching(items):
        more = (*more, "facets")
    if find_open_questions(items).any():
        more = (*more, "text")
    if more != columns:
        items = _read(path, more)
    if probes is not None:
        items = items.filter(pc.is_in(items["probe_id"], value_set=pa.array(sorted(probes), pa.string())))
    return filter_subset(items, subset)


def read_replies(path: Path, *, scores: bool = False, texts: bool = False) -> pa.Table:
    """The columns of a complete run's replies that scoring needs; ``scores`` where items are matched.

    ``texts`` where there are single open questions; else ``text`` is read of replies without an answer alone, and is no
    column where there are none.
    """
    columns = (*REPLY_COLUMNS, *SCORE_COLUMNS) if scores else REPLY_COLUMNS
    if texts:
        reader = open_parquet(path, (*columns, "text"), hint="make it anew", memory_map=True)
        return reader.read((*columns, "text", *(name for name in reader.names if name == "given")))
    table = _read(path, columns)
    unread = pc.is_in(pc.cast(table["status"], pa.string()), value_set=pa.array(WITHOUT_ANSWER))
    if not pc.any(unread).as_py():
        return table
    reader = open_parquet(path, _TEXTS, hint="make it anew", memory_map=True)
    more = ["text", *(name for name in reader.names if name == "given")]
    found = reader.read(more, where=("status", WITHOUT_ANSWER))
    number = pa.array(np.cumsum(unread.to_numpy()) - 1, mask=~unread.to_numpy().astype(bool))
    for name in more:
        table = table.append_column(name, found[name].take(number))
    return table


def accept_golds(items: pa.Table, replies: pa.Table) -> pa.Table:
    """The replies, of which texts that no rule reads are read with the answers that their items accept.

    Those are the gold answer and the answers of people; a text becomes one of them where it is that word for word.
    """
    if "text" not in replies.column_names:
        return replies
    unread = pc.and_(pc.equal(pc.cast(replies["status"], pa.string()), "unparsed"), pc.is_valid(replies["text"]))
    if "given" in replies.column_names:
        unread = pc.and_not(unread, pc.fill_null(replies["given"], fill_value=False))
    rows = np.flatnonzero(unread.to_numpy())
    if not len(rows):
        return replies
    texts = replies.select(["item_id", "text"]).take(pa.array(rows))
    ids, said = (pc.cast(texts[name], pa.string()).to_pylist() for name in ("item_id", "text"))
    from falter.evaluation.answers import read_reply

    asked: dict[str, list[dict[str, Any]]] = {}
    wanted = pc.is_in(pc.cast(items["item_id"], pa.string()), value_set=pa.array(sorted(set(ids)), pa.string()))
    for item in items.select(["item_id", "task", "choices", "gold", "answers"]).filter(wanted).to_pylist():
        asked.setdefault(item["item_id"], []).append(item)
    answers: dict[int, str] = {}
    for row, item_id, text in zip(rows.tolist(), ids, said, strict=True):
        alike = asked.get(item_id, [])
        # Equal items may be in several probes; what one of them accepts is an answer to the others, right or wrong.
        accepted = [answer for item in alike for answer in (item["gold"], *(item["answers"] or ())) if answer]
        # A choice that is given word for word is read without.
        accepted = [answer for answer in accepted if answer not in (alike[0]["choices"] or ())]
        if accepted:
            asks = alike[0]["task"], alike[0]["choices"]
            read = read_reply(*asks, text, accepted=tuple(dict.fromkeys(accepted)))
            # A text that a rule reads, and that is unparsed all the same, was not read at all.
            if read.answer is not None and read_reply(*asks, text).answer is None:
                answers[row] = read.answer
    if not answers:
        return replies
    changed = np.zeros(len(replies), dtype=bool)
    changed[list(answers)] = True
    for name, values in (("status", ["ok"] * len(answers)), ("answer", list(answers.values()))):
        column = pc.cast(replies[name], pa.string())
        replaced = pc.replace_with_mask(column, pa.array(changed), pa.array(values, pa.string()))
        replies = replies.set_column(replies.column_names.index(name), name, replaced)
    return replies


def replies_from_frame(frame: pl.DataFrame) -> pa.Table:
    """The same columns from replies in memory."""
    from polars import CompatLevel

    missing = [name for name in REPLY_COLUMNS if name not in frame.columns]
    if missing:
        raise InputError("replies", f"lack the columns {', '.join(missing)}")
    more = [name for name in ("text", "given", *SCORE_COLUMNS) if name in frame.columns]
    return frame.select(*REPLY_COLUMNS, *more).to_arrow(compat_level=CompatLevel.oldest())


def tasks_in(items: pa.Table) -> frozenset[str]:
    """The tasks that occur."""
    return frozenset(pc.unique(pc.cast(items["task"], pa.string())).to_pylist())


def suites_in(items: pa.Table) -> list[str]:
    """The suites that occur."""
    return sorted(pc.unique(pc.cast(items["suite"], pa.string())).to_pylist())


def find_open_questions(items: pa.Table) -> Bools:
    """Which items are single open questions: to be answered, without choices and without variants."""
    variant = items["variant"].to_numpy()
    if not len(variant):
        return np.zeros(0, dtype=bool)
    original = variant == 0
    single = original & np.append(original[1:], True)
    answered = pc.equal(pc.cast(items["task"], pa.string()), "answer").to_numpy(zero_copy_only=False)
    has_choices = pc.fill_null(pc.list_value_length(items["choices"]), 0).to_numpy() > 0
    return np.asarray(single & answered & ~has_choices, dtype=bool)


def has_matching(items: pa.Table) -> bool:
    """Whether any item is a text to match with an image, so that the scores of replies are needed."""
    return "match" in tasks_in(items)


def _read(path: Path, columns: Sequence[str]) -> pa.Table:
    schema = pa.schema([field for field in _SCHEMA if field.name in columns])
    reader = open_parquet(path, schema, hint="make it anew", dictionaries=_DICTIONARY_COLUMNS, memory_map=True)
    return reader.read(columns)


def has_human_answers(path: Path) -> bool:
    """Whether several humans answered any item of a suite, so that the rule of VQA accuracy matters."""
    reader = open_parquet(path, ["answers"], hint="make it anew", dictionaries=_DICTIONARY_COLUMNS)
    return any(
        pc.any(pc.greater(pc.list_value_length(batch["answers"]), 1)).as_py()
        for batch in reader.iter_batches(["answers"])
    )


def sort_by_probe(items: pa.Table, where: str = "items.parquet") -> pa.Table:
    """The items with the rows of a probe together and in order; they are sorted only if they are not so already."""
    if _is_sorted(items):
        return items
    items = items.sort_by([("probe_id", "ascending"), ("variant", "ascending")])
    if not _is_sorted(items):
        raise InputError(
            where, "has a probe whose variants do not count 0, 1, 2 ... once each", hint="make the suite anew"
        )
    return items


def _is_sorted(items: pa.Table) -> bool:
    variant = items["variant"].to_numpy()
    if not len(variant):
        return True
    probe = items["probe_id"].combine_chunks() if items["probe_id"].num_chunks != 1 else items["probe_id"].chunk(0)
    same_probe = pc.equal(probe[1:], probe[:-1]).to_numpy(zero_copy_only=False).astype(bool)
    counts_on = variant[1:] == variant[:-1] + 1
    return bool(variant[0] == 0 and (np.where(same_probe, counts_on, variant[1:] == 0)).all())


def choose_subset(path: Path, wanted: Subset | None) -> Subset | None:
    """The subset to score: the one wanted, else the valid pairs of a suite whose pairs are flagged; None elsewhere."""
    if wanted is not None and wanted not in SUBSETS:
        raise UsageError(f"unknown subset {wanted!r}: there are {', '.join(SUBSETS)}")
    flags = _flags_in(path)
    for name in SUBSETS:
        if name == wanted:
            if name != "all" and name not in flags:
                raise UsageError(f"no pair of {path.parent} is marked as {name}: leave --subset out, or give all")
            return name if flags else None
    return "valid" if "valid" in flags else None


def filter_subset(items: pa.Table, subset: Subset | None) -> pa.Table:
    """The items of a subset; an item without the flag belongs to every subset."""
    if subset is None or subset == "all":
        return items
    facet = read_facets(items["facets"], [subset])[subset]
    out = facet.values.index("no") if "no" in facet.values else len(facet.values)
    return items.filter(pa.array(facet.codes != out))


def subset_signature(subset: Subset | None) -> tuple[str, ...]:
    """The part of a signature that names the subset."""
    return () if subset is None else (f"subset:{subset}",)


def facet_names(path: Path) -> list[str]:
    """The facets that occur, by name."""
    reader = open_parquet(path, ["facets"], hint="make it anew", dictionaries=[_FACET_NAMES])
    found: set[str] = set()
    for number in range(reader.file.metadata.num_row_groups):
        column = reader.read_row_group(number, [_FACET_NAMES])["facets"]
        found.update(column.combine_chunks().flatten().field("name").unique().to_pylist())
    return sorted(found)


def _flags_in(path: Path) -> frozenset[str]:
    """Which flags occur; only row groups whose statistics allow for one are read."""
    reader = open_parquet(path, ["facets"], hint="make it anew", dictionaries=[_FACET_NAMES])
    file = reader.file
    index = next((i for i in range(len(file.schema)) if file.schema.column(i).path == _FACET_NAMES), None)
    found: set[str] = set()
    for number in range(file.metadata.num_row_groups) if index is not None else ():
        statistics = file.metadata.row_group(number).column(index).statistics
        if statistics is not None and statistics.has_min_max and statistics.max < min(_FLAGS):
            continue
        column = reader.read_row_group(number, [_FACET_NAMES])["facets"]
        names = column.combine_chunks().flatten().field("name")
        found.update(name for name in names.unique().to_pylist() if name in _FLAGS)
        if len(found) == len(_FLAGS):
            break
    return frozenset(found)


class Facet(NamedTuple):
    """A facet of all items: the code of each item's value (-1 for none), and the values by code."""

    codes: Codes
    values: list[str]


def read_facets(
    column: pa.ChunkedArray, wanted: Iterable[str] | None = None, *, optional: bool = False
) -> dict[str, Facet]:
    """The wanted facets by name (all where None); an unknown one is an error, or left out where ``optional``."""
    lengths = pc.fill_null(pc.list_value_length(column), 0).to_numpy().astype(np.int64)
    flat = pc.list_flatten(column)
    names = Vocabulary()
    name = names.encode(pc.struct_field(flat, "name"))
    known = sorted(names.words)
    chosen = known if wanted is None else list(dict.fromkeys(wanted))
    unknown = [facet for facet in chosen if facet not in known]
    if unknown and not optional:
        raise UsageError(f"there is no facet {unknown[0]!r}: there are {', '.join(known) or 'none'}")
    values = Vocabulary()
    value = values.encode(pc.struct_field(flat, "value"))
    item = np.repeat(np.arange(len(lengths)), lengths)
    facets = {}
    for facet in (facet for facet in chosen if facet not in unknown):
        rows = np.flatnonzero(name == names.code(facet))
        codes = np.full(len(lengths), NONE, dtype=np.int32)
        codes[item[rows]] = value[rows]
        facets[facet] = Facet(codes, values.words)
    return facets


@dataclass(frozen=True, slots=True)
class Questions:
    """Different questions as far as judging an answer goes."""

    gold: Codes
    gold_read: Codes
    """What the gold answer is read as when it is given as a reply: an open one may lead up to its answer."""
    choices: Lists
    humans: Lists
    humans_read: Lists

    def __len__(self) -> int:
        return len(self.gold)

    def take(self, rows: npt.NDArray[np.integer]) -> Questions:
        humans = self.humans.take(rows)
        read = humans if self.humans_read is self.humans else self.humans_read.take(rows)
        return Questions(self.gold[rows], self.gold_read[rows], self.choices.take(rows), humans, read)


def read_questions(items: pa.Table, words: Vocabulary) -> tuple[Codes, Questions]:
    """By item the number of its question, and the questions; a question with human answers is a number of its own."""
    choices = Lists.from_column(items["choices"], words)
    if len(alike := choices.repeating()):
        # Of "-5" and "5", or "C" and "C++", only one is right.
        words.keep_apart(_alike_words(items["choices"].take(pa.array(alike)).to_pylist()))
        choices = Lists.from_column(items["choices"], words)
    gold = words.encode(items["gold"])
    humans = Lists.from_column(items["answers"], words)
    is_open = (choices.lengths == 0) & (gold != NONE)
    gold_read, humans_read = gold, humans
    if is_open.any() or len(humans.words):
        from falter.evaluation.answers import read_gold

        gold_read = np.where(is_open, words.encode(items["gold"], read_gold), gold)
        humans_read = Lists.from_column(items["answers"], words, read_gold)
        if np.array_equal(humans_read.words, humans.words):
            humans_read = humans
    alone = np.flatnonzero(humans.lengths)
    own = np.zeros(len(gold), dtype=np.int32)
    own[alone] = np.arange(1, len(alone) + 1)
    code, _ = code_rows([gold + 1, gold_read + 1, choices.code(), own])
    example = np.zeros(int(code.max()) + 1 if len(code) else 0, dtype=np.int64)
    example[code] = np.arange(len(code))
    return code, Questions(gold, gold_read, choices, humans, humans_read).take(example)


def _alike_words(lists: list[list[str]]) -> set[str]:
    """The choices that have the normal form of another choice of their list."""
    found: set[str] = set()
    for choices in map(set, lists):
        forms = Counter(map(normalize, choices))
        found.update(choice for choice in choices if forms[normalize(choice)] > 1)
    return found


def refuse_unlabelled(question: Codes, questions: Questions, matching: Bools | None, where: str) -> None:
    unlabelled = (questions.gold == NONE) & (questions.humans.lengths < 2)
    if not unlabelled.any():
        return
    of_item = unlabelled[question] if matching is None else unlabelled[question] & ~matching
    number = int(of_item.sum())
    if number:
        raise InputError(
            where, f"has {format_count(number, 'questions')} without a right answer", hint="score a suite with labels"
        )
