"""Small causal language models of real architectures, with tokenizers trained on the spot."""

from __future__ import annotations

from pathlib import Path
from typing import Any

__all__ = ["SENTENCES", "gpt2", "llama", "masked", "plain_mean", "train_on"]

SENTENCES = (
    "There are no people in the image.",
    "There are people in the image.",
    "A man rides a brown horse along the beach at sunset while a small dog runs behind them.",
    "A horse rides a man.",
    "Exactly 4 zebras.",
    "Two dogs sit on a red sofa near the window.",
    "Dogs.",
)
_MORE = ("Question: Is there a dog? Yes or no? Short answer: yes", "Choices: red, blue or green. Short answer: red")


def gpt2(folder: Path, *, seed: int = 0, words: int = 384) -> Path:
    """Byte-level BPE and ``<|endoftext|>``, as GPT-2 has them."""
    from tokenizers import ByteLevelBPETokenizer
    from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast

    trained = ByteLevelBPETokenizer()
    trained.train_from_iterator([*SENTENCES, *_MORE], vocab_size=words, special_tokens=["<|endoftext|>"])
    end = "<|endoftext|>"
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=trained._tokenizer, bos_token=end, eos_token=end)
    config = GPT2Config(
        vocab_size=len(tokenizer), n_positions=64, n_embd=32, n_layer=2, n_head=4, bos_token_id=0, eos_token_id=0
    )
    return _saved(GPT2LMHeadModel, config, tokenizer, folder, seed)


def llama(folder: Path, *, seed: int = 0) -> Path:
    """Pieces with a mark for the space, ``<s>`` put first by the tokenizer itself, rotary positions, grouped heads."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    trained = Tokenizer(models.BPE(unk_token="<unk>"))
    trained.pre_tokenizer = pre_tokenizers.Metaspace()
    trained.decoder = decoders.Metaspace()
    trainer = trainers.BpeTrainer(vocab_size=300, special_tokens=["<unk>", "<s>", "</s>"])
    trained.train_from_iterator([*SENTENCES, *_MORE], trainer)
    trained.post_processor = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 1)])
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=trained, bos_token="<s>", eos_token="</s>", unk_token="<unk>")
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=128,
    )
    return _saved(LlamaForCausalLM, config, tokenizer, folder, seed)


def masked(folder: Path) -> Path:
    """A masked language model: it loads as a causal one, and looks ahead."""
    from transformers import BertConfig, BertForMaskedLM

    tokenizer = _tokenizer_of(gpt2(folder.parent / f"{folder.name}-words"))
    config = BertConfig(
        vocab_size=len(tokenizer), hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16
    )
    return _saved(BertForMaskedLM, config, tokenizer, folder, 0)


def train_on(folder: Path, text: str, *, steps: int = 40) -> None:
    """Teach the model of a folder one text."""
    import torch
    from transformers import AutoModelForCausalLM

    model = AutoModelForCausalLM.from_pretrained(folder)
    ids = torch.tensor([[0, *_tokenizer_of(folder)(text, add_special_tokens=False)["input_ids"]]])
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for _ in range(steps):
        optimizer.zero_grad()
        model(input_ids=ids, labels=ids).loss.backward()
        optimizer.step()
    model.save_pretrained(folder)


def plain_mean(folder: Path, text: str, *, first: str | None, before: str = "") -> tuple[float, int]:
    """The mean log-probability of a text as the library's own loss gives it, one text at a time, and its tokens."""
    import torch
    from transformers import AutoModelForCausalLM

    tokenizer = _tokenizer_of(folder)
    model = AutoModelForCausalLM.from_pretrained(folder).eval()
    head = [] if first is None else [tokenizer.convert_tokens_to_ids(first)]
    skipped = head + (tokenizer(before, add_special_tokens=False)["input_ids"] if before else [])
    ids = head + tokenizer(before + text, add_special_tokens=False)["input_ids"]
    labels = [-100] * len(skipped) + ids[len(skipped) :]
    with torch.no_grad():
        loss = model(input_ids=torch.tensor([ids]), labels=torch.tensor([labels])).loss
    return -float(loss), len(ids) - max(1, len(skipped))


def _tokenizer_of(folder: Path) -> Any:
    from transformers import AutoTokenizer

    return AutoTokenizer.from_pretrained(folder)


def _saved(kind: Any, config: Any, tokenizer: Any, folder: Path, seed: int) -> Path:
    import torch

    torch.manual_seed(seed)
    model = kind(config)
    with torch.no_grad():
        for weights in model.parameters():
            # As initialised, every token is about equally likely, and mistakes would hardly show.
            weights.add_(0.3 * torch.randn_like(weights))
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder
