"""What a run will take: tokens, images, time and cost."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import msgspec

from falter.data.model import Model, Request
from falter.data.model_options import ModelOptions
from falter.evaluation.engine.cache import ReplyCache, cache_key
from falter.evaluation.engine.requests import RequestTransform, flatten_context
from falter.evaluation.models.token_costs import Prices

TOKENS_PER_WORD = 1.3
_AT_ONCE = 256


class CostEstimate(msgspec.Struct, frozen=True, kw_only=True):
    """What a run will take; None where that is unknown."""

    requests: int
    """Requests that the cache does not answer."""
    cached: int = 0
    input_tokens: int = 0
    """Of texts and of images."""
    image_tokens: int | None = None
    """Those of the images among them; None where nobody counted them."""
    images_counted_by: str | None = None
    """By which rule; None where the images have a price of their own."""
    counted_by: str = f"words x {TOKENS_PER_WORD}"
    """Who counted the tokens of the texts: the model's own tokenizer, or a rule of thumb."""
    output_tokens: int = 0
    """At most so many, by --max-new-tokens."""
    images: int = 0
    """Images sent, one per request that has one."""
    seconds: float | None = None
    seconds_from: str | None = None
    cost: float | None = None
    """At most, as the output is."""
    currency: str | None = None


class Estimator:
    """Sees every request that will be asked, and adds up."""

    def __init__(
        self,
        model: Model,
        options: ModelOptions,
        *,
        transform: RequestTransform,
        prices: Prices | None = None,
        cache: ReplyCache | None = None,
    ) -> None:
        self._model = model
        self._options = options
        self._transform = transform
        self._prices = prices
        self._cache = None if model.capabilities.replays else cache
        self._waiting: list[Request] = []
        declared = model.capabilities
        self._count = declared.count_tokens
        # Yardsticks and files write nothing; weights that score the choices write nothing either.
        speaks = self._count is not None or declared.prompt_used() is not None
        generates = speaks and options.answer_by == "generate"
        default: Collection[str] = declared.tasks if generates else ()
        self._writes = default if declared.generates is None else declared.generates
        # Weights of one's own cost nothing, unless the table of prices says what.
        self._is_paid = prices is not None and (declared.remote or prices.knows(model.name))
        self._seen: set[str] = set()
        self._requests = self._cached = self._images = self._written = 0
        self._tokens = 0.0
        self._count_images = declared.count_image_tokens
        self._image_tokens = 0.0

    def __call__(self, request: Request) -> None:
        """Take a request into account."""
        shown = self._transform(request)
        if not self._model.capabilities.reads_context:
            shown = flatten_context(shown)
        if self._cache is not None and request.item_id not in self._seen:
            # A cache answers the first time that an item is asked, and no repetition of it.
            self._seen.add(request.item_id)
            if self._cache.get(cache_key(self._model, shown), request.item_id) is not None:
                self._cached += 1
                return
        self._requests += 1
        self._images += shown.image is not None and self._model.capabilities.needs_image
        self._written += shown.task in self._writes
        self._waiting.append(shown)
        if len(self._waiting) >= _AT_ONCE:
            self._add_up()

    def estimate(self) -> CostEstimate:
        """The sums over all that was seen."""
        self._add_up()
        output = self._written * self._options.max_new_tokens
        seconds, seconds_from = self._seconds()
        image_tokens, images_counted_by = self._images_counted()
        tokens = round(self._tokens) + (image_tokens or 0)
        cost = currency = None
        if self._prices is not None and self._is_paid:
            name = self._model.name
            cost = self._prices.charged(name, tokens, output, images=self._images)
            currency = self._prices.currency(name)
        return CostEstimate(
            requests=self._requests,
            cached=self._cached,
            input_tokens=tokens,
            image_tokens=image_tokens,
            images_counted_by=images_counted_by,
            counted_by=self._counted_by(),
            output_tokens=output,
            images=self._images,
            seconds=seconds,
            seconds_from=seconds_from,
            cost=cost,
            currency=currency,
        )

    def _images_counted(self) -> tuple[int | None, str | None]:
        """The tokens of all images, and who says so: the user, the table of prices, or the model."""
        price = None
        if self._prices is not None and self._prices.knows(self._model.name):
            price = self._prices.get(self._model.name)
        if not self._images or (price is not None and price.per_image is not None):
            return None, None
        if price is not None and price.image_tokens is not None and self._options.image_tokens is None:
            return round(self._images * price.image_tokens), f"{price.image_tokens:g} an image, by -M prices"
        if self._count_images is None:
            return None, "not counted: this model declares no rule for them"
        return round(self._image_tokens), self._model.capabilities.image_token_counter

    def _counted_by(self) -> str:
        return f"words x {TOKENS_PER_WORD}" if self._count is None else self._model.capabilities.token_counter

    def _seconds(self) -> tuple[float | None, str | None]:
        declared = self._model.capabilities.seconds_per_item
        if declared is not None:
            return self._requests * float(declared), "the model's own word"
        known = None if self._cache is None else self._cache.seconds_per_item(self._model.fingerprint)
        return (None, None) if known is None else (self._requests * known, "runs before this one")

    def _add_up(self) -> None:
        waiting, self._waiting = self._waiting, []
        if self._count_images is not None and waiting:
            self._image_tokens += float(self._count_images(waiting))
        if self._count is not None:
            self._tokens += float(self._count(waiting)) if waiting else 0.0
        else:
            self._tokens += TOKENS_PER_WORD * sum(len(text.split()) for text in self._texts(waiting))

    def _texts(self, requests: Sequence[Request]) -> list[str]:
        """All that is said for these requests: the prompt, where there is one, with its system text and examples."""
        texts = []
        for request in requests:
            prompt = self._model.capabilities.prompt_used(request.task)
            if prompt is None:
                texts.append(request.text)
                texts.extend(turn.text for turn in request.context or ())
                continue
            texts.append(prompt.question(request))
            texts.append(prompt.system or "")
            texts.extend(f"{text} {reply}" for text, _, reply in prompt.shown_examples(request.task))
        return texts
