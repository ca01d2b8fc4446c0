"""The log of replies and their Parquet form: nothing lost, nothing changed on the way."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from falter.core.errors import FalterWarning, InputError
from falter.data.model import Reply
from falter.evaluation.runs.replies import ReplyLog, read_log, read_replies, replies_from_table, write_replies

texts = st.one_of(st.none(), st.text(st.characters(exclude_categories=["Cs"]), max_size=8))
numbers = st.floats(allow_nan=False, allow_infinity=False)


@st.composite
def some_replies(draw: st.DrawFn) -> list[Reply]:
    return [
        Reply(
            item_id=f"item-{number}",
            status=draw(st.sampled_from(["ok", "unparsed", "truncated", "unsupported", "failed"])),
            text=draw(texts),
            answer=draw(texts),
            score=draw(st.one_of(st.none(), numbers)),
            score_kind=draw(st.sampled_from([None, "probability", "similarity", "logprob"])),
            choice_scores=draw(st.one_of(st.none(), st.dictionaries(st.sampled_from("abc"), numbers))),
            error=draw(texts),
        )
        for number in range(draw(st.integers(0, 6)))
    ]


@pytest.mark.parametrize(
    ("damage", "left", "torn"),
    [
        ((b'"no"', b'"on"'), "acd", False),
        ((b'"item_id":"b"', b'"item_id":"x"'), "acd", False),
        ((b'{"item_id":"c"', b'{"item_id'), "abd", False),
        ((b"\n", b" "), "cd", False),
        ((b'"maybe"', b'"sure"'), "abc", True),
        ((b'"maybe"', b'"maybe'), "abc", True),
    ],
)
def test_a_damaged_or_edited_line_is_named_and_does_not_count(
    tmp_path: Path, damage: tuple[bytes, bytes], left: str, torn: bool
) -> None:
    path = tmp_path / "replies.jsonl"
    with ReplyLog(path) as log:
        for item_id, answer in zip("abcd", ("yes", "no", "yes", "maybe"), strict=True):
            log.append([Reply(item_id=item_id, answer=answer)])
    path.write_bytes(path.read_bytes().replace(*damage, 1))
    with pytest.warns(FalterWarning, match=r"replies\.jsonl, line \d.*does not count"):
        content = read_log(path)
    assert "".join(content.replies) == left
    assert (content.good_bytes < path.stat().st_size) == torn, "what follows the last good line is cut off"


@pytest.mark.filterwarnings("ignore:.*without a checksum:falter.core.errors.FalterWarning")
def test_lines_without_a_checksum_are_read_with_one_note(tmp_path: Path) -> None:
    path = tmp_path / "replies.jsonl"
    path.write_bytes(b'{"item_id":"a","answer":"yes"}\n{"item_id":"b","answer":"no"}\n')
    with pytest.warns(FalterWarning, match="without a checksum") as caught, ReplyLog(path) as log:
        log.append([Reply(item_id="c", answer="no")])
    assert len(caught) == 1
    assert [reply.answer for reply in read_log(path).replies.values()] == ["yes", "no", "no"]


def test_replies_reach_the_disk_within_a_second_without_another_batch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced = threading.Event()
    real_sync = os.fsync

    def fsync(handle: int) -> None:
        real_sync(handle)
        synced.set()

    monkeypatch.setattr("falter.evaluation.runs.replies.os.fsync", fsync)
    with ReplyLog(tmp_path / "replies.jsonl") as log:
        log.append([Reply(item_id="a", answer="yes")])
        assert synced.wait(timeout=120)


@settings(max_examples=30, deadline=None)
@given(replies=some_replies())
def test_replies_come_back_from_the_log_and_from_parquet(
    tmp_path_factory: pytest.TempPathFactory, replies: list[Reply]
) -> None:
    folder = tmp_path_factory.mktemp("replies")
    with ReplyLog(folder / "replies.jsonl") as log:
        log.append(replies)
    assert list(read_log(folder / "replies.jsonl").replies.values()) == replies
    write_replies(folder / "replies.parquet", reversed(replies))
    table = read_replies(folder / "replies.parquet")
    assert list(replies_from_table(table)) == replies
    write_replies(folder / "again.parquet", table.slice(3) if len(table) < 3 else table)
    assert len(table) < 3 or (folder / "again.parquet").read_bytes() == (folder / "replies.parquet").read_bytes()
    with ReplyLog(folder / "again.jsonl") as log:
        log.append(replies_from_table(table))
    lines = [sorted(path.read_bytes().splitlines()) for path in (folder / "replies.jsonl", folder / "again.jsonl")]
    assert [len(line) for line in lines[0]] == [len(line) for line in lines[1]], "defaults are left out again"


def test_what_is_no_parquet_file_of_replies_is_named(tmp_path: Path) -> None:
    path = tmp_path / "replies.parquet"
    with pytest.raises(InputError, match="cannot be read: No such file"):
        read_replies(path)
    path.write_bytes(b"nonsense")
    with pytest.raises(InputError, match="cannot be read as Parquet"):
        read_replies(path)
