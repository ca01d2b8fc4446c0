"""The few array operations that the batched homotopy needs, in numpy and in torch under the same names."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

__all__ = ["Arrays", "NumpyArrays", "TorchArrays"]


class Arrays(Protocol):
    """Operations over a batch: the first axis is the problem; reductions run over the last axis."""

    def where(self, condition: Any, first: Any, second: Any) -> Any: ...
    def maximum(self, first: Any, second: Any) -> Any: ...
    def minimum(self, first: Any, second: Any) -> Any: ...
    def sign(self, values: Any) -> Any: ...
    def sqrt(self, values: Any) -> Any: ...
    def sum(self, values: Any) -> Any: ...
    def amax(self, values: Any) -> Any: ...
    def count(self, values: Any) -> int: ...
    def arange(self, size: int) -> Any: ...
    def smallest(self, values: Any) -> tuple[Any, Any]: ...
    def matvec(self, matrix: Any, vector: Any) -> Any: ...
    def take_column(self, matrix: Any, column: Any) -> Any: ...
    def pick(self, values: Any, place: Any) -> Any: ...
    def add_outer(self, matrix: Any, vector: Any, factor: Any) -> Any: ...
    def clear(self, matrix: Any, column: Any, which: Any) -> Any: ...
    def masked_inverse(self, matrix: Any, mask: Any) -> Any: ...


class NumpyArrays:
    """Numpy arrays in float64."""

    def where(self, condition: Any, first: Any, second: Any) -> Any:
        return np.where(condition, first, second)

    def maximum(self, first: Any, second: Any) -> Any:
        return np.maximum(first, second)

    def minimum(self, first: Any, second: Any) -> Any:
        return np.minimum(first, second)

    def sign(self, values: Any) -> Any:
        return np.sign(values)

    def sqrt(self, values: Any) -> Any:
        return np.sqrt(values)

    def sum(self, values: Any) -> Any:
        return values.sum(axis=-1)

    def amax(self, values: Any) -> Any:
        return values.max(axis=-1)

    def count(self, values: Any) -> int:
        return int(np.count_nonzero(values))

    def arange(self, size: int) -> Any:
        return np.arange(size)

    def smallest(self, values: Any) -> tuple[Any, Any]:
        place = values.argmin(axis=-1)
        return self.pick(values, place), place

    def matvec(self, matrix: Any, vector: Any) -> Any:
        return np.matmul(matrix, vector[..., None])[..., 0]

    def take_column(self, matrix: Any, column: Any) -> Any:
        return matrix[np.arange(len(matrix)), column]

    def pick(self, values: Any, place: Any) -> Any:
        return values[np.arange(len(values)), place]

    def add_outer(self, matrix: Any, vector: Any, factor: Any) -> Any:
        matrix += (factor[:, None] * vector)[:, :, None] * vector[:, None, :]
        return matrix

    def clear(self, matrix: Any, column: Any, which: Any) -> Any:
        rows, columns = np.flatnonzero(which), column[which]
        matrix[rows, columns, :] = 0.0
        matrix[rows, :, columns] = 0.0
        return matrix

    def masked_inverse(self, matrix: Any, mask: Any) -> Any:
        if not mask.any():
            return np.zeros_like(matrix)
        both = mask[:, :, None] & mask[:, None, :]
        filled = np.where(both, matrix, np.eye(matrix.shape[-1]))
        try:
            inverse = np.linalg.inv(filled)
        except np.linalg.LinAlgError:  # one of them is singular to the last digit
            inverse = np.linalg.pinv(filled, hermitian=True)
        return np.where(both, inverse, 0.0)


class TorchArrays:
    """Torch tensors in float64, on any device."""

    def __init__(self, device: Any) -> None:
        import torch

        self._torch = torch
        self._device = device

    def maximum(self, first: Any, second: Any) -> Any:
        return self._torch.maximum(first, second)

    def minimum(self, first: Any, second: Any) -> Any:
        return self._torch.minimum(first, second)

    def sign(self, values: Any) -> Any:
        return self._torch.sign(values)

    def sqrt(self, values: Any) -> Any:
        return self._torch.sqrt(values)

    def where(self, condition: Any, first: Any, second: Any) -> Any:
        return self._torch.where(condition, first, second)

    def sum(self, values: Any) -> Any:
        return values.sum(dim=-1)

    def amax(self, values: Any) -> Any:
        return values.amax(dim=-1)

    def count(self, values: Any) -> int:
        return int(values.sum())

    def arange(self, size: int) -> Any:
        return self._torch.arange(size, device=self._device)

    def smallest(self, values: Any) -> tuple[Any, Any]:
        found = values.min(dim=-1)
        return found.values, found.indices

    def matvec(self, matrix: Any, vector: Any) -> Any:
        return self._torch.bmm(matrix, vector.unsqueeze(-1)).squeeze(-1)

    def take_column(self, matrix: Any, column: Any) -> Any:
        return matrix[self.arange(len(matrix)), column]

    def pick(self, values: Any, place: Any) -> Any:
        return values.gather(-1, place.unsqueeze(-1)).squeeze(-1)

    def add_outer(self, matrix: Any, vector: Any, factor: Any) -> Any:
        return matrix.baddbmm_((factor.unsqueeze(-1) * vector).unsqueeze(-1), vector.unsqueeze(1))

    def clear(self, matrix: Any, column: Any, which: Any) -> Any:
        rows = which.nonzero().squeeze(-1)
        columns = column[rows]
        matrix[rows, columns, :] = 0.0
        matrix[rows, :, columns] = 0.0
        return matrix

    def masked_inverse(self, matrix: Any, mask: Any) -> Any:
        torch = self._torch
        if not bool(mask.any()):
            return torch.zeros_like(matrix)
        both = mask[:, :, None] & mask[:, None, :]
        filled = torch.where(both, matrix, torch.eye(matrix.shape[-1], dtype=matrix.dtype, device=self._device))
        return torch.where(both, torch.linalg.inv_ex(filled).inverse, 0.0)
