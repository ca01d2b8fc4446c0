"""Small dual encoders of real architectures, with processors and tokenizers made on the spot."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

__all__ = ["FAMILIES", "TEXTS", "draw", "plain_scores"]

TEXTS = (
    "A red car.",
    "There is a blue square in the middle of the image, and a man on a horse rides past it.",
    "There is no red car.",
    "The car is red.",
    "the car is blue",
)
_WORDS = tuple(dict.fromkeys(" ".join(TEXTS).lower().replace(".", " .").replace(",", " ,").split()))
_SIDE = 32
_VISION = {
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "image_size": _SIDE,
    "patch_size": 8,
}
_TEXT = {"hidden_size": 24, "intermediate_size": 40, "num_hidden_layers": 2, "num_attention_heads": 4}


def clip(folder: Path, seed: int = 0) -> Path:
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers
    from transformers import CLIPConfig, CLIPModel, CLIPProcessor, CLIPTokenizer

    trained = Tokenizer(models.BPE(end_of_word_suffix="</w>"))
    trained.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    trainer = trainers.BpeTrainer(
        vocab_size=400,
        end_of_word_suffix="</w>",
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        special_tokens=["<|startoftext|>", "<|endoftext|>"],
    )
    trained.train_from_iterator([text.lower() for text in TEXTS], trainer)
    model = _json(trained.to_str())["model"]
    vocabulary = dict(model["vocab"])
    for letter in pre_tokenizers.ByteLevel.alphabet():
        vocabulary.setdefault(f"{letter}</w>", len(vocabulary))
    tokenizer = CLIPTokenizer(vocab=vocabulary, merges=[tuple(pair) for pair in model["merges"]], model_max_length=77)
    config = CLIPConfig(
        text_config={
            **_TEXT,
            "vocab_size": len(tokenizer),
            "max_position_embeddings": 77,
            "bos_token_id": tokenizer.bos_token_id,
            "eos_token_id": tokenizer.eos_token_id,
            "pad_token_id": tokenizer.pad_token_id,
        },
        vision_config=_VISION,
        projection_dim=16,
    )
    images = _images(
        "CLIPImageProcessorPil", crop_size={"height": _SIDE, "width": _SIDE}, size={"shortest_edge": _SIDE}
    )
    return _saved(CLIPModel, config, CLIPProcessor(image_processor=images, tokenizer=tokenizer), folder, seed)


def siglip(folder: Path, seed: int = 0) -> Path:
    import sentencepiece
    from transformers import SiglipConfig, SiglipModel, SiglipProcessor, SiglipTokenizer

    folder.mkdir(parents=True)
    sentences = folder.parent / f"{folder.name}.txt"
    sentences.write_text("\n".join(text.lower() for text in TEXTS * 20))
    pieces = folder.parent / f"{folder.name}-pieces"
    sentencepiece.SentencePieceTrainer.train(
        input=str(sentences), model_prefix=str(pieces), vocab_size=64, pad_id=0, eos_id=1, unk_id=2, bos_id=-1,
        hard_vocab_limit=False, minloglevel=2,
    )  # fmt: skip
    tokenizer = SiglipTokenizer(
        f"{pieces}.model", eos_token="</s>", pad_token="<pad>", unk_token="<unk>", model_max_length=64
    )
    config = SiglipConfig(
        text_config={
            **_TEXT,
            "vocab_size": len(tokenizer),
            "max_position_embeddings": 64,
            "projection_size": 32,
        },
        vision_config=_VISION,
    )
    images = _images("SiglipImageProcessorPil", size={"height": _SIDE, "width": _SIDE})
    return _saved(SiglipModel, config, SiglipProcessor(image_processor=images, tokenizer=tokenizer), folder, seed)


def siglip2(folder: Path, seed: int = 0) -> Path:
    """Images as patches of their own shape, texts without lower case of the tokenizer's own."""
    from transformers import Siglip2Config, Siglip2Model, Siglip2Processor, Siglip2Tokenizer

    signs = ["<pad>", "<eos>", "<bos>", "<unk>", "<mask>", "\u2581", ".", ",", "?"]
    letters = [chr(number) for number in range(97, 123)]
    vocabulary = {piece: number for number, piece in enumerate([*signs, *letters])}
    tokenizer = Siglip2Tokenizer(vocab=vocabulary, merges=[], model_max_length=64)
    config = Siglip2Config(
        text_config={
            **_TEXT,
            "vocab_size": len(tokenizer),
            "max_position_embeddings": 64,
            "projection_size": 32,
        },
        vision_config={**{key: value for key, value in _VISION.items() if key != "image_size"}, "num_patches": 16},
    )
    images = _images("Siglip2ImageProcessorPil", patch_size=8, max_num_patches=16)
    return _saved(Siglip2Model, config, Siglip2Processor(image_processor=images, tokenizer=tokenizer), folder, seed)


def blip(folder: Path, seed: int = 0) -> Path:
    from transformers import BlipConfig, BlipForImageTextRetrieval, BlipProcessor

    tokenizer = _bert_tokenizer()
    config = BlipConfig(
        text_config={**_TEXT, "vocab_size": len(tokenizer), "encoder_hidden_size": 32, "max_position_embeddings": 40},
        vision_config=_VISION,
        projection_dim=16,
        image_text_hidden_size=16,
    )
    images = _images("BlipImageProcessorPil", size={"height": _SIDE, "width": _SIDE})
    processor = BlipProcessor(image_processor=images, tokenizer=tokenizer)
    return _saved(BlipForImageTextRetrieval, config, processor, folder, seed)


def align(folder: Path, seed: int = 0) -> Path:
    from transformers import AlignConfig, AlignModel, AlignProcessor

    tokenizer = _bert_tokenizer()
    config = AlignConfig(
        text_config={**_TEXT, "vocab_size": len(tokenizer), "max_position_embeddings": 40},
        vision_config={
            "image_size": _SIDE,
            "width_coefficient": 1.0,
            "depth_coefficient": 0.2,
            "hidden_dim": 16,
            "in_channels": [32, 16],
            "out_channels": [16, 24],
            "kernel_sizes": [3, 3],
            "strides": [1, 2],
            "num_block_repeats": [1, 1],
            "expand_ratios": [1, 2],
            "depthwise_padding": [],
        },
        projection_dim=24,
    )
    images = _images("EfficientNetImageProcessorPil", size={"height": _SIDE, "width": _SIDE})
    return _saved(AlignModel, config, AlignProcessor(image_processor=images, tokenizer=tokenizer), folder, seed)


FAMILIES: dict[str, Callable[..., Path]] = {
    "clip": clip,
    "siglip": siglip,
    "siglip2": siglip2,
    "blip": blip,
    "align": align,
}


def plain_scores(folder: Path, image: Path, texts: tuple[str, ...]) -> list[float]:
    """What the library's own whole model says of one image and one text at a time."""
    import torch
    from PIL import Image
    from transformers import AutoModel, AutoProcessor, BlipForImageTextRetrieval

    family = _json((folder / "config.json").read_text())["model_type"]
    kind = BlipForImageTextRetrieval if family == "blip" else AutoModel
    model, processor = kind.from_pretrained(folder).eval(), AutoProcessor.from_pretrained(folder)
    found = []
    with Image.open(image) as image:
        for text in texts:
            how = (
                {"padding": "max_length", "truncation": True, "max_length": 64}
                if "siglip" in family
                else {"padding": False}
            )
            if family == "siglip2":
                # The processor's own defaults stand above what its part for images was saved with.
                how |= {"patch_size": 8, "max_num_patches": 16}
            inputs = processor(images=image.convert("RGB"), text=[text], return_tensors="pt", **how)
            with torch.no_grad():
                if family == "blip":
                    inputs.pop("token_type_ids", None)
                    found.append(float(model(**inputs, use_itm_head=False).itm_score))
                    continue
                output = model(**inputs)
            if "siglip" in family:
                found.append(float(torch.sigmoid(output.logits_per_image.double())))
            else:
                found.append(float(torch.cosine_similarity(output.image_embeds, output.text_embeds)))
    return found


def draw(folder: Path, count: int = 4) -> list[Path]:
    """Images that differ in colour, shape and size."""
    from PIL import Image

    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(5)
    paths = []
    for number in range(count):
        height, width = 40 + 7 * number, 64 - 5 * number
        noise = rng.integers(0, 90, (height, width, 3), dtype=np.uint8)
        noise[:, : width // 2, number % 3] += 150
        paths.append(folder / f"image-{number}.png")
        Image.fromarray(noise).save(paths[-1])
    return paths


def _bert_tokenizer() -> Any:
    from transformers import BertTokenizer

    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    letters = [chr(number) for number in range(97, 123)]
    words = [*special, *_WORDS, *letters, *(f"##{letter}" for letter in letters), "?"]
    return BertTokenizer(vocab={word: number for number, word in enumerate(dict.fromkeys(words))}, model_max_length=40)


def _images(name: str, **settings: Any) -> Any:
    import transformers

    return getattr(transformers, name)(**settings)


def _saved(kind: Any, config: Any, processor: Any, folder: Path, seed: int) -> Path:
    import torch

    torch.manual_seed(seed)
    model = kind(config).eval()
    with torch.no_grad():
        for name, weights in model.named_parameters():
            # As initialised, all vectors are nearly the same, and mistakes would hardly show.
            if weights.dim() > 1:
                weights.add_(0.15 * torch.randn_like(weights))
            if name == "logit_bias":
                weights.fill_(-2.0)
    model.save_pretrained(folder)
    processor.save_pretrained(folder)
    return folder


def _json(text: str) -> Any:
    import json

    return json.loads(text)
