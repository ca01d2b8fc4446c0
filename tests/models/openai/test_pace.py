"""How many requests are under way at once."""

from __future__ import annotations

import asyncio

from falter.evaluation.models.openai.pacing import ConcurrencyLimiter, Stopped


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


async def fill(limiter: ConcurrencyLimiter) -> list[float]:
    return [await limiter.enter() for _ in range(limiter.limit)]


def finish(limiter: ConcurrencyLimiter, began: list[float], *, well: bool = True) -> None:
    for moment in began:
        (limiter.succeeded if well else limiter.overloaded)(moment)
        limiter.leave()


def test_one_then_four_then_twice_as_many_until_the_first_overrun_then_one_more_in_a_round() -> None:
    async def play() -> list[int]:
        clock = Clock()
        limiter = ConcurrencyLimiter(most=100, timeout=60.0, clock=clock)
        limits = [limiter.limit]
        for _ in range(3):
            began = await fill(limiter)
            clock.now += 1.0
            # All of a round comes in before the next begins.
            for moment in began:
                limiter.succeeded(moment)
            for _ in began:
                limiter.leave()
            limits.append(limiter.limit)
        began = await fill(limiter)
        clock.now += 1.0
        finish(limiter, began, well=False)
        limits.append(limiter.limit)
        for _ in range(2):
            began = await fill(limiter)
            clock.now += 1.0
            for moment in began:
                limiter.succeeded(moment)
            for _ in began:
                limiter.leave()
            limits.append(limiter.limit)
        return limits

    limits = asyncio.run(play())
    assert limits[:2] == [1, 4]
    assert 7 <= limits[2] <= 8
    assert limits[4] == limits[3] // 2, "a whole round of overruns halves once"
    assert limits[4] <= limits[5] <= limits[4] + 1
    assert limits[6] >= limits[4] + 1


def test_no_more_than_the_user_says_and_never_none() -> None:
    async def play() -> tuple[int, int]:
        clock = Clock()
        limiter = ConcurrencyLimiter(most=3, timeout=60.0, clock=clock)
        for _ in range(10):
            began = await fill(limiter)
            clock.now += 0.1
            for moment in began:
                limiter.succeeded(moment)
            for _ in began:
                limiter.leave()
        most = limiter.limit
        for _ in range(10):
            clock.now += 1.0
            finish(limiter, await fill(limiter), well=False)
        return most, limiter.limit

    assert asyncio.run(play()) == (3, 1)


def test_no_growth_into_a_queue() -> None:
    async def play() -> int:
        clock = Clock()
        limiter = ConcurrencyLimiter(most=100, timeout=60.0, clock=clock)
        for _ in range(50):
            began = await fill(limiter)
            # The server does one at a time, and the others queue.
            clock.now += 2.0 * len(began)
            for moment in began:
                limiter.succeeded(moment)
            for _ in began:
                limiter.leave()
        return limiter.limit

    assert asyncio.run(play()) <= 16


def test_a_pause_holds_everybody_and_stopping_wakes_them() -> None:
    async def play() -> list[object]:
        limiter = ConcurrencyLimiter(most=10, timeout=60.0)
        await limiter.enter()
        waiting = [asyncio.create_task(limiter.enter()) for _ in range(3)]
        limiter.pause(1000.0)
        limiter.leave()
        await asyncio.sleep(0.02)
        assert not any(task.done() for task in waiting)
        limiter.stop()
        return await asyncio.gather(*waiting, return_exceptions=True)

    assert [type(outcome) for outcome in asyncio.run(play())] == [Stopped] * 3
    assert issubclass(Stopped, Exception)


def test_after_a_pause_all_goes_on() -> None:
    async def play() -> None:
        limiter = ConcurrencyLimiter(most=10, timeout=60.0)
        limiter.pause(0.01)
        for _ in range(20):
            limiter.succeeded(await limiter.enter())
            limiter.leave()

    asyncio.run(asyncio.wait_for(play(), 120))


def test_first_come_first_served() -> None:
    async def play() -> list[int]:
        limiter = ConcurrencyLimiter(most=1, timeout=60.0)
        served: list[int] = []

        async def ask(number: int) -> None:
            await limiter.enter()
            served.append(number)
            limiter.leave()

        await limiter.enter()
        waiting = [asyncio.create_task(ask(number)) for number in range(3)]
        await asyncio.sleep(0)
        # The newcomer runs after the slot is free, and before those who wait for it run again.
        newcomer = asyncio.create_task(ask(3))
        limiter.leave()
        await asyncio.gather(*waiting, newcomer)
        return served

    assert asyncio.run(asyncio.wait_for(play(), 120)) == [0, 1, 2, 3]
