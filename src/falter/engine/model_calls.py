"""Asking a model a batch, whatever it throws: again where that may help, one by one where one spoils the rest."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from falter.engine.circuit_breaker import Patience
from falter.engine.reply_processing import finish_batch
from falter.errors import FalterError
from falter.models.failures import TransientFailure, failed_reply
from falter.models.protocol import Model
from falter.models.request import Request
from falter.runs.reply import Reply

__all__ = ["Asker"]

ATTEMPTS = 4
FIRST_WAIT = 0.5
LONGEST_WAIT = 30.0


class Asker:
    """Asks batch by batch, and keeps failures back until the model has shown that it works at all."""

    def __init__(self, model: Model, *, sleep: Callable[[float], None] = time.sleep) -> None:
        self._model = model
        self._sleep = sleep
        self._patience = Patience(model.name)

    def ask(self, batch: Sequence[Request]) -> list[Reply]:
        """Finished replies to a batch, with failures held back before."""
        try:
            replies = finish_batch(batch, self._model.reply(batch))
        except FalterError:
            raise
        except Exception as error:
            if len(batch) == 1:
                return self._failed(batch[0], error)
            return [reply for request in batch for reply in self.ask([request])]
        return self._patience.worked(replies)

    def held_back(self) -> list[Reply]:
        """The failures of a run in which nothing else came."""
        return self._patience.held_back()

    def _failed(self, request: Request, error: Exception) -> list[Reply]:
        for attempt in range(1, ATTEMPTS):
            if not isinstance(error, TransientFailure):
                break
            wait = FIRST_WAIT * 2 ** (attempt - 1) if error.wait is None else error.wait
            self._sleep(min(wait, LONGEST_WAIT))
            try:
                return self._patience.worked(finish_batch([request], self._model.reply([request])))
            except FalterError:
                raise
            except Exception as next_error:
                error = next_error
        return self._patience.failed(failed_reply(request.item_id, error))
