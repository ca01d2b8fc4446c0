"""The solver by torch agrees with the one on the CPU, query by query and penalty by penalty."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from falter.core.errors import UsageError
from falter.lasso import torch_solver
from falter.lasso.cpu_solver import CpuSolver
from falter.lasso.results import Solution, Solver
from falter.lasso.screening import VectorPool
from tests.lasso.problems import clustered, collinear, with_an_empty_query, with_duplicates

torch = pytest.importorskip("torch")

PENALTIES = [0.1, 1e-2, 1e-3]


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def solutions(solver: Solver, queries: np.ndarray, nonnegative: bool) -> dict[tuple[int, int], Solution]:
    found = list(solver.solve(queries, PENALTIES, nonnegative, 1e-9))
    by_query = {(one.step, one.query_index): one for one in found}
    assert len(by_query) == len(found) == len(PENALTIES) * len(queries)
    return by_query


def dense(one: Solution, size: int) -> np.ndarray:
    coefficients = np.zeros(size)
    coefficients[one.columns] = one.values
    return coefficients


@pytest.mark.parametrize("nonnegative", [True, False])
@pytest.mark.parametrize("batch", [3, 64])
@pytest.mark.parametrize("iterations", [40, 1])
def test_both_solvers_agree(nonnegative: bool, batch: int, iterations: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """After one iteration nearly every problem is left to the CPU, which must change nothing."""
    monkeypatch.setattr(torch_solver, "_MAX_ITERATIONS", iterations)
    problem = with_an_empty_query(with_duplicates(clustered(3, 400, 16, 8), 3), 3)
    pool = VectorPool.from_vectors(problem.pool, np.float32)
    on_cpu = solutions(CpuSolver(pool, "f32", None, 1, "numpy"), problem.queries, nonnegative)
    by_torch = solutions(torch_solver.TorchSolver(pool, "cpu", "f32", batch), problem.queries, nonnegative)
    assert all(one.certified for one in (*on_cpu.values(), *by_torch.values()))
    for key, one in on_cpu.items():
        np.testing.assert_allclose(dense(by_torch[key], pool.size), dense(one, pool.size), atol=1e-8)
    assert {len(on_cpu[step, 0].columns) for step in range(len(PENALTIES))} == {0}
    assert all(len(on_cpu[2, query].columns) > len(on_cpu[0, query].columns) for query in range(1, 8))


def test_dependent_columns_and_float64() -> None:
    problem = collinear(clustered(4, 120, 8, 5), 4)
    pool = VectorPool.from_vectors(problem.pool, np.float64)
    found = solutions(torch_solver.TorchSolver(pool, "cpu", "f64", None), problem.queries, True)
    assert all(one.certified for one in found.values())


def test_devices_that_are_absent_are_named() -> None:
    pool = VectorPool.from_vectors(np.eye(3), np.float32)
    with pytest.raises(UsageError, match="no device nonsense"):
        torch_solver.TorchSolver(pool, "nonsense", "f32", None)
    if not torch.cuda.is_available():
        with pytest.raises(UsageError, match="no device cuda"):
            torch_solver.TorchSolver(pool, "cuda", "f32", None)
