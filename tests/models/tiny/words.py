"""Real tokenizers, trained on the spot on a few sentences."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

TEXTS = [
    "Is there a red bus near the tall man?",
    "Are there any dogs on the grass to the left of the table?",
    "What color is the car behind the house, green or blue?",
    "Is the person wearing a hat and holding a cup?",
    "Yes, there is. No, there is not. yes no Yes No",
    "Does the caption describe the image correctly? Answer yes or no.",
    "Answer with one of these: wood, metal, chair, table or bed. A. yes B. no",
    "Question: who is riding the horse? Short answer: the woman",
    "There are two cats and three birds under a big white tree. USER: ASSISTANT: user assistant system",
] * 4


def wordpiece() -> Any:
    """A tokenizer of BERT's kind: all words of the sentences, and pieces of one letter for the others."""
    from transformers import BertTokenizer

    words = sorted({word for text in TEXTS for word in re.findall(r"[a-z]+|[^a-z ]", text.lower())})
    letters = "abcdefghijklmnopqrstuvwxyz0123456789"
    pieces = [*words, *(letter for letter in letters if letter not in words), *(f"##{letter}" for letter in letters)]
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    return BertTokenizer(vocab={piece: place for place, piece in enumerate([*special, *pieces])})


def byte_pairs(special: Sequence[str] = (), size: int = 400, **named: Any) -> Any:
    """A tokenizer of GPT-2's kind, with tokens of its own for what a family needs."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    first = ["<pad>", "<s>", "</s>", *special]
    trainer = trainers.BpeTrainer(
        vocab_size=size, special_tokens=first, initial_alphabet=pre_tokenizers.ByteLevel.alphabet()
    )
    tokenizer.train_from_iterator(TEXTS, trainer)
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, bos_token="<s>", eos_token="</s>", pad_token="<pad>", **named
    )
