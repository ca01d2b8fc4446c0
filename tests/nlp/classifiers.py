"""Small classifiers with random weights, saved as the transformers library saves them."""

from __future__ import annotations

from pathlib import Path

from tests.models.tiny.words import wordpiece

__all__ = ["save_classifier"]


def save_classifier(folder: Path, labels: tuple[str, ...]) -> Path:
    """A BERT of two small layers with these labels."""
    import torch
    from transformers import BertConfig, BertForSequenceClassification

    words = wordpiece()
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=len(words),
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=32,
        id2label=dict(enumerate(labels)),
        label2id={label: index for index, label in enumerate(labels)},
    )
    BertForSequenceClassification(config).save_pretrained(folder)
    words.save_pretrained(folder)
    return folder
