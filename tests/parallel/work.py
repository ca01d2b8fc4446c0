"""Work for executors: functions of a module, as other processes must be able to import them."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

from falter.core.errors import InputError


class UnpicklableError(Exception):
    """An exception that cannot be rebuilt from its arguments."""

    def __init__(self, first: str, second: str) -> None:
        super().__init__(f"{first} and {second}")


def count_state(folder: Path) -> int:
    """Leaves a trace for every call, and gives the process."""
    (folder / f"{os.getpid()}-{time.monotonic_ns()}").touch()
    return os.getpid()


def failing_state() -> int:
    raise InputError("weights.bin", "is damaged", record="line 3", hint="load it again")


def double(_: None, number: int) -> int:
    return 2 * number


def tell_process(state: int, number: int) -> tuple[int, int, int]:
    return number, state, os.getpid()


def fail_at_seven(_: None, number: int) -> int:
    if number == 7:
        raise InputError("numbers.txt", "is seven", record=f"number {number}", hint="use another")
    return number


def fail_strangely(_: None, number: int) -> int:
    if number == 7:
        raise UnpicklableError("one", "another")
    return number


def give_something_unpicklable(_: None, number: int) -> object:
    return (lambda: number) if number == 3 else number


def die_at_seven(_: None, number: int) -> int:
    if number == 7:
        os._exit(9)
    return number


def wait_long(_: None, number: int) -> int:
    if number:
        time.sleep(600)
    return number


def repeat_many_times(_: None, number: int) -> bytes:
    """Far more than a pipe holds."""
    return bytes([number]) * 1_000_000


def sleep_long(folder: Path, number: int) -> int:
    """Leaves a trace, so that others know when it has begun."""
    (folder / f"{os.getpid()}").touch()
    time.sleep(600)
    return number


def blocked_signals(_: None, number: int) -> list[int]:
    del number
    return [int(one) for one in signal.pthread_sigmask(signal.SIG_BLOCK, ())]
