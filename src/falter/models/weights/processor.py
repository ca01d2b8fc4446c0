"""The processor or the tokenizer that a checkpoint came with."""

from __future__ import annotations

from typing import Any

from falter.errors import InputError
from falter.models.weights.checkpoint import Checkpoint
from falter.models.weights.devices import needed_package
from falter.models.weights.load_errors import explain_load_errors

__all__ = ["check_tokenizer", "check_vocabulary", "load_processor", "load_tokenizer"]


def load_processor(checkpoint: Checkpoint) -> Any:
    """What makes tokens and pixels of a question and an image."""
    transformers = needed_package("transformers")
    with explain_load_errors(checkpoint.source, "processor"):
        try:
            processor = transformers.AutoProcessor.from_pretrained(checkpoint.source, **checkpoint.arguments)
        except (ImportError, ValueError) as error:
            # The part for films needs torchvision; images do not need that part.
            processor = _without_films(checkpoint, transformers)
            if processor is None:
                raise
            del error
    if getattr(processor, "image_processor", None) is None or getattr(processor, "tokenizer", None) is None:
        raise InputError(
            checkpoint.source,
            f"has no processor for images and text, only a {type(processor).__name__}",
            hint="put preprocessor_config.json and the tokenizer's files beside the weights",
        )
    check_tokenizer(checkpoint.source, processor.tokenizer)
    if not getattr(processor, "chat_template", None) and "image" in str(processor.tokenizer.chat_template):
        # Some checkpoints keep the template for images with the tokenizer.
        processor.chat_template = processor.tokenizer.chat_template
    return processor


def load_tokenizer(checkpoint: Checkpoint) -> Any:
    """The tokenizer alone, for models that see regions instead of pixels."""
    transformers = needed_package("transformers")
    with explain_load_errors(checkpoint.source, "tokenizer"):
        tokenizer = transformers.AutoTokenizer.from_pretrained(checkpoint.source, **checkpoint.arguments)
    check_tokenizer(checkpoint.source, tokenizer)
    return tokenizer


def check_vocabulary(checkpoint: Checkpoint, tokenizer: Any, model: Any) -> None:
    """Stop where the tokenizer counts further than the model: it belongs to another one."""
    embeddings = model.get_input_embeddings()
    known = getattr(embeddings, "num_embeddings", None)
    if known is not None and len(tokenizer) > known:
        raise InputError(
            checkpoint.source,
            f"its tokenizer has {len(tokenizer)} tokens and its weights know {known}: they do not belong together",
            hint="put the tokenizer's files beside the weights that they came with",
        )


def check_tokenizer(source: str, tokenizer: Any) -> None:
    """Refuse one without words, which is made in silence where files are missing; give one without padding a token."""
    words = tokenizer.get_vocab().keys() - set(tokenizer.all_special_tokens) - tokenizer.get_added_vocab().keys()
    if not words:
        raise InputError(
            source,
            "has no tokenizer: its vocabulary is empty",
            hint="put tokenizer.json or vocab.txt and tokenizer_config.json beside the weights",
        )
    if tokenizer.pad_token is None:
        tokenizer.pad_token = tokenizer.eos_token or tokenizer.unk_token


def _without_films(checkpoint: Checkpoint, transformers: Any) -> Any:
    """The same processor without its part for films; None where that was not the trouble."""
    from transformers.models.auto.processing_auto import processor_class_from_name

    named = transformers.models.auto.processing_auto.PROCESSOR_MAPPING_NAMES.get(checkpoint.model_type)
    made = processor_class_from_name(named) if isinstance(named, str) else None
    if made is None or "video_processor" not in made.get_attributes():
        return None
    parts = {
        "image_processor": transformers.AutoImageProcessor.from_pretrained(checkpoint.source, **checkpoint.arguments),
        "tokenizer": transformers.AutoTokenizer.from_pretrained(checkpoint.source, **checkpoint.arguments),
    }
    if set(made.get_attributes()) != {*parts, "video_processor"}:
        return None
    settings, _ = made.get_processor_dict(checkpoint.source, **checkpoint.arguments)

    class ForImages(made):  # type: ignore[misc, valid-type]
        """Takes no films."""

        def check_argument_for_proper_class(self, argument_name: str, argument: Any) -> Any:
            if argument_name == "video_processor":
                return type(None)
            return super().check_argument_for_proper_class(argument_name, argument)

        @classmethod
        def get_attributes(cls) -> list[str]:
            return [*parts, "video_processor"]

    kept = ("chat_template", "image_seq_len", "image_seq_length", "num_image_tokens")
    given = {name: settings[name] for name in kept if settings.get(name) is not None}
    template = given.pop("chat_template", None) or parts["tokenizer"].chat_template
    return ForImages(**parts, video_processor=None, chat_template=template, **given)
