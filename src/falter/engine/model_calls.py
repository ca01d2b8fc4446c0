"""Calling a model with a batch: retried where that may help, item by item where one item spoils the rest."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from falter.engine.circuit_breaker import CircuitBreaker, ModelBrokenError
from falter.engine.reply_processing import ReplyCountError, process_batch
from falter.errors import FalterError
from falter.models.failures import TransientError, failed_reply
from falter.models.protocol import Model
from falter.models.request import Request
from falter.runs.reply import Reply

__all__ = ["ModelCaller"]

ATTEMPTS = 4
FIRST_WAIT = 0.5
LONGEST_WAIT = 30.0


class ModelCaller:
    """Calls a model batch by batch, and holds failures back until it has replied once."""

    def __init__(self, model: Model, *, sleep: Callable[[float], None] = time.sleep) -> None:
        self._model = model
        self._sleep = sleep
        self._breaker = CircuitBreaker(model.name)

    def call(self, batch: Sequence[Request]) -> list[Reply]:
        """Processed replies to a batch, after the failures held back before."""
        try:
            replies = process_batch(batch, self._model.reply(batch))
        except FalterError:
            raise
        except ReplyCountError as error:
            raise self._broken(error) from error
        except (Exception, SystemExit) as error:  # sys.exit() in a model ends no run.
            if len(batch) == 1:
                return self._failed(batch[0], error)
            return [reply for request in batch for reply in self.call([request])]
        return self._breaker.on_success(replies)

    def held_back(self) -> list[Reply]:
        """The failures of a run without any reply."""
        return self._breaker.held_back()

    def _broken(self, error: ReplyCountError) -> ModelBrokenError:
        """Which reply belongs to which request is not known, so none of them is taken."""
        return ModelBrokenError(
            f"{self._model.name} {error}; it must return one per request; its replies so far are kept; fix it and "
            "rerun the command to resume"
        )

    def _failed(self, request: Request, error: BaseException) -> list[Reply]:
        for attempt in range(1, ATTEMPTS):
            if not isinstance(error, TransientError):
                break
            wait = FIRST_WAIT * 2 ** (attempt - 1) if error.wait is None else error.wait
            self._sleep(min(wait, LONGEST_WAIT))
            try:
                return self._breaker.on_success(process_batch([request], self._model.reply([request])))
            except FalterError:
                raise
            except ReplyCountError as wrong:
                raise self._broken(wrong) from wrong
            except (Exception, SystemExit) as next_error:
                error = next_error
        return self._breaker.on_failure(failed_reply(request.item_id, error))
