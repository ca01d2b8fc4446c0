"""Batches: what shares one, what happens when one does not fit or holds a bad item, and several devices at once."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.inspect import Metadata, type_info
from msgspec.structs import fields
from PIL import Image

from falter.core.errors import UsageError
from falter.data.model import PermanentError, Reply, Request, is_transient
from falter.data.model_options import ModelOptions
from falter.evaluation.models.weights.batching import BatchingConfig, BatchSize, LoadedRequest, length_sorted_batches
from falter.evaluation.models.weights.devices import Placement, is_out_of_memory, placements
from falter.evaluation.models.weights.inference import ImagePrefetcher, infer_unordered, replies_in_order


def request(number: int, *, words: int = 3, image: Path | None = None, task: Any = "answer") -> Request:
    return Request(
        item_id=f"i{number:04}",
        task=task,
        text=" ".join(["word"] * words),
        image=image,
        image_id=None if image is None else image.stem,
    )


class Echo:
    """Replies with the item's own id; may hold only so many, and breaks on some."""

    def __init__(
        self, *, fits: int = 10**6, breaks_on: Sequence[str] = (), error: Callable[[], Exception] = MemoryError
    ):
        self.fits = fits
        self.breaks_on = set(breaks_on)
        self.error = error
        self.batches: list[list[str]] = []
        self.threads: set[str] = set()

    def __call__(self, batch: list[LoadedRequest]) -> list[Reply]:
        ids = [loaded.request.item_id for loaded in batch]
        self.threads.add(threading.current_thread().name)
        if len(ids) > self.fits:
            raise self.error()
        if self.breaks_on & set(ids):
            raise ValueError("one of these cannot be done")
        self.batches.append(ids)
        return [Reply(item_id=item, text=item) for item in ids]


def ask(requests: Sequence[Request], *workers: Any, size: int | None = None, **arranging: Any) -> dict[str, Reply]:
    config = BatchingConfig(**({"load_image": None} | arranging))
    replies = list(infer_unordered(iter(requests), workers, config, size))
    assert Counter(reply.item_id for reply in replies) == Counter(request.item_id for request in requests)
    return {reply.item_id: reply for reply in replies}


@given(
    lengths=st.lists(st.integers(1, 9), max_size=70),
    size=st.integers(1, 9),
    fits=st.integers(1, 9),
    broken=st.sets(st.integers(0, 69), max_size=5),
    devices=st.integers(1, 3),
)
@settings(max_examples=60, deadline=None)
def test_every_request_gets_one_reply_whatever_breaks(
    lengths: list[int], size: int, fits: int, broken: set[int], devices: int
) -> None:
    requests = [request(number, words=words) for number, words in enumerate(lengths)]
    bad = [f"i{number:04}" for number in broken]
    workers = [Echo(fits=fits, breaks_on=bad) for _ in range(devices)]
    replies = ask(requests, *workers, size=size)
    for item, reply in replies.items():
        if item in bad:
            assert reply.status == "failed"
            assert "cannot be done" in (reply.error or "")
        else:
            assert reply.status == "ok"
            assert reply.text == item


def test_batches_are_of_one_kind_and_of_like_length() -> None:
    tasks = ("answer", "match")
    requests = [request(n, words=1 + n * 7 % 5, task=tasks[n % 2]) for n in range(100)]
    batches = list(length_sorted_batches(iter(requests), BatchingConfig(), BatchSize(10)))
    assert sorted(r.item_id for batch in batches for r in batch) == [r.item_id for r in requests]
    assert all(len({r.task for r in batch}) == 1 for batch in batches)
    # 50 of each task over five lengths, ten each: every batch is of one length.
    assert all(len({len(r.text) for r in batch}) == 1 for batch in batches)


def test_questions_about_one_picture_stand_together() -> None:
    images = [Path(f"p{n}.png") for n in range(8)]
    requests = [request(n, image=images[n % 8]) for n in range(32)]
    batches = list(length_sorted_batches(iter(requests), BatchingConfig(), BatchSize(4)))
    assert all(len({r.image for r in batch}) == 1 for batch in batches)


def test_requests_are_drawn_a_window_at_a_time() -> None:
    drawn = 0

    def endless() -> Iterator[Request]:
        nonlocal drawn
        while True:
            yield request(drawn)
            drawn += 1

    stream = infer_unordered(endless(), [Echo()], BatchingConfig(load_image=None), 2)
    for _ in range(3):
        next(stream)
    assert drawn <= 2 * 16
    stream.close()
    assert not [thread.name for thread in threading.enumerate() if thread.name.startswith(("device-", "prepare"))]


def test_the_size_halves_until_it_fits_and_stays_there() -> None:
    echo = Echo(fits=3)
    ask([request(n) for n in range(100)], echo, size=16)
    assert max(map(len, echo.batches)) == 2
    assert len(echo.batches) <= 52


@pytest.mark.parametrize(
    "message",
    [
        "err == 0. DefaultCPUAllocator: not enough memory: you tried to allocate 9",
        "CUDA out of memory. Tried to allocate 2.00 GiB",
    ],
)
def test_the_words_of_torch_for_too_little_memory_are_known(message: str) -> None:
    assert is_out_of_memory(RuntimeError(message))
    assert not is_out_of_memory(RuntimeError("sizes of tensors must match"))


def test_an_item_that_never_fits_fails_with_a_remedy_and_may_be_asked_again() -> None:
    class Heavy(Echo):
        def __call__(self, batch: list[LoadedRequest]) -> list[Reply]:
            if any(loaded.request.item_id == "i0005" for loaded in batch):
                raise MemoryError
            return super().__call__(batch)

    replies = ask([request(n) for n in range(12)], Heavy(), size=2)
    assert [item for item, reply in replies.items() if reply.status != "ok"] == ["i0005"]
    assert is_transient(replies["i0005"])
    assert "-M dtype" in (replies["i0005"].error or "")


def test_where_nothing_fits_the_stream_ends_with_one_line() -> None:
    with pytest.raises(UsageError, match="a single item does not fit the memory: give -M dtype"):
        ask([request(n) for n in range(40)], Echo(fits=0), size=8)


def test_what_the_user_must_mend_ends_the_stream_and_keeps_what_came() -> None:
    class Stops(Echo):
        def __call__(self, batch: list[LoadedRequest]) -> list[Reply]:
            if len(self.batches) == 3:
                raise UsageError("mend this")
            return super().__call__(batch)

    received = []
    with pytest.raises(UsageError, match="mend this"):
        for reply in infer_unordered((request(n) for n in range(100)), [Stops()], BatchingConfig(load_image=None), 4):
            received.append(reply)  # noqa: PERF402  what came before the error is looked at
    assert len(received) == 12


def test_a_device_that_broke_down_ends_the_stream_instead_of_failing_all_the_rest() -> None:
    class Breaks(Echo):
        def __call__(self, batch: list[LoadedRequest]) -> list[Reply]:
            if len(self.batches) == 2:
                raise RuntimeError("CUDA error: device-side assert triggered\nCUDA kernel errors might be ...")
            return super().__call__(batch)

    received = []
    with pytest.raises(
        UsageError, match=r"stopped working \(CUDA error: device-side assert triggered\): replies received"
    ):
        for reply in infer_unordered((request(n) for n in range(100)), [Breaks()], BatchingConfig(load_image=None), 4):
            received.append(reply)  # noqa: PERF402  what came before the error is looked at
    assert [reply.status for reply in received] == ["ok"] * 8


def test_a_bad_picture_fails_alone(tmp_path: Path) -> None:
    good, bad = tmp_path / "good.png", tmp_path / "bad.png"
    Image.new("RGB", (8, 8)).save(good)
    bad.write_bytes(b"no image")
    requests = [request(n, image=bad if n == 3 else good) for n in range(8)]
    echo = Echo()
    config = BatchingConfig()
    replies = {r.item_id: r for r in infer_unordered(iter(requests), [echo], config, 8)}
    assert [item for item, reply in replies.items() if reply.status == "failed"] == ["i0003"]
    assert "not an image" in (replies["i0003"].error or "")
    assert [len(batch) for batch in echo.batches] == [7]


def test_a_picture_is_opened_once_for_all_its_questions(tmp_path: Path) -> None:
    opened: Counter[str | None] = Counter()

    def load(asked: Request) -> str | None:
        opened[asked.image_id] += 1
        return asked.image_id

    requests = [request(n, words=1 + n % 4, image=tmp_path / f"{n % 5}.png") for n in range(60)]
    seen = []

    def worker(batch: list[LoadedRequest]) -> list[Reply]:
        seen.extend((loaded.request.image_id, loaded.image) for loaded in batch)
        return [Reply(item_id=loaded.request.item_id, text="x") for loaded in batch]

    list(infer_unordered(iter(requests), [worker], BatchingConfig(load_image=load), 4))
    assert all(image == image for image, image in seen)
    assert set(opened.values()) == {1}


def test_opened_pictures_are_let_go_when_they_take_too_much(tmp_path: Path) -> None:
    loads: list[str | None] = []

    def load(asked: Request) -> Image.Image:
        loads.append(asked.image_id)
        return Image.new("RGB", (100, 100))

    images = ImagePrefetcher(load, threads=1, most_bytes=70_000)
    asked = [request(n, image=tmp_path / f"{n}.png") for n in range(3)]
    for each in asked:
        images.get(each).result()
    images.get(asked[2]).result()
    images.get(asked[1]).result()
    assert loads == ["0", "1", "2"]
    images.get(asked[0]).result()
    assert loads == ["0", "1", "2", "0"]
    images.close()


def test_what_cannot_be_prepared_fails_alone() -> None:
    def prepare(batch: list[LoadedRequest]) -> list[LoadedRequest]:
        if any(loaded.request.item_id == "i0007" for loaded in batch):
            raise PermanentError("too many tokens")
        return batch

    replies = ask([request(n) for n in range(20)], Echo(), size=8, collate=prepare)
    assert [(r.item_id, r.error) for r in replies.values() if r.status != "ok"] == [("i0007", "too many tokens")]


def test_two_devices_share_the_work() -> None:
    both = threading.Barrier(2, timeout=120)

    class Meets(Echo):
        def __call__(self, batch: list[LoadedRequest]) -> list[Reply]:
            if not self.batches:
                both.wait()  # passes only if the other device works at the same time
            return super().__call__(batch)

    workers = Meets(), Meets()
    ask([request(n) for n in range(40)], *workers, size=4)
    assert all(worker.batches for worker in workers)


def test_an_automatic_size_grows_where_there_is_room_and_a_given_one_does_not() -> None:
    roomy = Echo()
    ask([request(n) for n in range(2000)], roomy, default_size=4, largest_size=32, can_grow=lambda: True)
    assert max(map(len, roomy.batches)) == 32
    for given_size, room in ((4, True), (None, False)):
        echo = Echo()
        ask([request(n) for n in range(2000)], echo, size=given_size, default_size=4, can_grow=lambda room=room: room)
        assert max(map(len, echo.batches)) == 4


def test_a_size_that_failed_is_not_tried_again() -> None:
    echo = Echo(fits=10)
    tried = []

    def counting(batch: list[LoadedRequest]) -> list[Reply]:
        tried.append(len(batch))
        return echo(batch)

    ask([request(n) for n in range(3000)], counting, default_size=4, largest_size=64, can_grow=lambda: True)
    assert tried.count(16) <= 4  # those that were under way when the first failed
    assert max(map(len, echo.batches)) == 8


def test_replies_go_back_in_order() -> None:
    batch = [request(n) for n in range(5)]
    shuffled = iter([Reply(item_id=f"i{n:04}", text="x") for n in (3, 1, 0, 4, 2)])
    assert [r.item_id for r in replies_in_order(batch, shuffled)] == [r.item_id for r in batch]


def test_devices_and_precisions_are_chosen_or_refused() -> None:
    pytest.importorskip("torch")
    assert placements(ModelOptions(device="cpu,cpu")) == (Placement("cpu", "float32"), Placement("cpu", "float32"))
    assert placements(ModelOptions(device="cpu", dtype="bf16"))[0].dtype == "bfloat16"
    for wrong in ("gpu", "cuda:99", "meta"):
        with pytest.raises(UsageError, match="--device"):
            placements(ModelOptions(device=wrong))
    assert placements(ModelOptions(device="cpu", dtype="float16"))[0].dtype == "float16"
    (shown,) = (one.type for one in fields(ModelOptions) if one.name == "dtype")
    info = type_info(shown)
    assert isinstance(info, Metadata)
    names = (info.extra_json_schema or {})["description"].removeprefix("Precision: ").rstrip(".")
    with pytest.raises(UsageError, match=f"-M dtype 'int3' is not known; choose {names}"):
        ModelOptions(dtype="int3")
