"""Vision-language models of the real architectures, tiny and with random weights, saved as checkpoints are."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.models.tiny.words import byte_pairs, wordpiece

ANSWERS = ("yes", "no", "red", "blue", "green", "white", "table", "chair", "wood", "2")
REGION_SIZE = 24
WORDS = 220
"""Rows of the embeddings of words; a tokenizer has fewer."""

_SMALL = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 48}
_VISION = {**_SMALL, "image_size": 32, "patch_size": 8}


def _saved(folder: Path, model: Any, *parts: Any) -> Path:
    """Weights spread widely enough that answers differ, and everything on disk."""
    import torch

    generator = torch.Generator().manual_seed(7)
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.dim() > 1:
                parameter.normal_(0, 0.25, generator=generator)
    model.save_pretrained(folder)
    for part in parts:
        part.save_pretrained(folder)
    return folder


def vilt_config() -> Any:
    from transformers import ViltConfig

    return ViltConfig(
        **_SMALL,
        vocab_size=WORDS,
        max_position_embeddings=160,
        image_size=32,
        patch_size=8,
        id2label=dict(enumerate(ANSWERS)),
        label2id={name: place for place, name in enumerate(ANSWERS)},
    )


def _vilt(folder: Path, class_name: str) -> Path:
    import transformers

    images = transformers.ViltImageProcessorPil(size={"shortest_edge": 32}, size_divisor=8)
    processor = transformers.ViltProcessor(images, wordpiece())
    return _saved(folder, getattr(transformers, class_name)(vilt_config()), processor)


def vilt_answers(folder: Path) -> Path:
    return _vilt(folder, "ViltForQuestionAnswering")


def vilt_matches(folder: Path) -> Path:
    return _vilt(folder, "ViltForImageAndTextRetrieval")


def _lxmert(folder: Path, class_name: str) -> Path:
    import transformers

    config = transformers.LxmertConfig(
        hidden_size=32,
        num_attention_heads=2,
        intermediate_size=48,
        vocab_size=WORDS,
        max_position_embeddings=160,
        l_layers=1,
        r_layers=1,
        x_layers=1,
        visual_feat_dim=REGION_SIZE,
        num_qa_labels=len(ANSWERS),
        num_object_labels=4,
        num_attr_labels=4,
    )
    return _saved(folder, getattr(transformers, class_name)(config), wordpiece())


def lxmert_answers(folder: Path) -> Path:
    import json

    _lxmert(folder, "LxmertForQuestionAnswering")
    (folder / "label2ans.json").write_text(json.dumps(ANSWERS))
    return folder


def lxmert_pretrained(folder: Path) -> Path:
    return _lxmert(folder, "LxmertForPreTraining")


def _visual_bert(folder: Path, class_name: str) -> Path:
    import transformers

    config = transformers.VisualBertConfig(
        **_SMALL,
        vocab_size=WORDS,
        max_position_embeddings=160,
        visual_embedding_dim=REGION_SIZE,
        id2label=dict(enumerate(ANSWERS)),
        label2id={name: place for place, name in enumerate(ANSWERS)},
    )
    return _saved(folder, getattr(transformers, class_name)(config), wordpiece())


def visual_bert_answers(folder: Path) -> Path:
    return _visual_bert(folder, "VisualBertForQuestionAnswering")


def visual_bert_matches(folder: Path) -> Path:
    return _visual_bert(folder, "VisualBertForPreTraining")


def _blip(folder: Path, class_name: str) -> Path:
    import transformers

    words = wordpiece()
    # BLIP's answers begin with a token of their own.
    words.add_special_tokens({"bos_token": "[DEC]"})
    text = {
        **_SMALL,
        "vocab_size": len(words),
        "max_position_embeddings": 160,
        "encoder_hidden_size": 32,
        "bos_token_id": words.bos_token_id,
        "eos_token_id": words.sep_token_id,
        "sep_token_id": words.sep_token_id,
        "pad_token_id": words.pad_token_id,
    }
    config = transformers.BlipConfig(text_config=text, vision_config=_VISION, image_text_hidden_size=16)
    images = transformers.BlipImageProcessorPil(size={"height": 32, "width": 32})
    processor = transformers.BlipProcessor(images, words)
    return _saved(folder, getattr(transformers, class_name)(config), processor)


def blip_answers(folder: Path) -> Path:
    return _blip(folder, "BlipForQuestionAnswering")


def blip_matches(folder: Path) -> Path:
    return _blip(folder, "BlipForImageTextRetrieval")


_QFORMER = {**_SMALL, "encoder_hidden_size": 32, "vocab_size": WORDS, "max_position_embeddings": 160}


def blip2_answers(folder: Path) -> Path:
    """BLIP-2 over OPT."""
    import transformers

    words = byte_pairs()
    images = transformers.BlipImageProcessorPil(size={"height": 32, "width": 32})
    processor = transformers.Blip2Processor(images, words, num_query_tokens=4)
    text = transformers.OPTConfig(
        hidden_size=32,
        word_embed_proj_dim=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        ffn_dim=48,
        vocab_size=len(words),
        max_position_embeddings=256,
        pad_token_id=0,
        bos_token_id=1,
        eos_token_id=2,
    )
    config = transformers.Blip2Config(
        text_config=text.to_dict(),
        vision_config=_VISION,
        qformer_config=_QFORMER,
        num_query_tokens=4,
        image_token_index=words.convert_tokens_to_ids("<image>"),
    )
    return _saved(folder, transformers.Blip2ForConditionalGeneration(config), processor)


def blip2_matches(folder: Path) -> Path:
    import transformers

    words = wordpiece()
    images = transformers.BlipImageProcessorPil(size={"height": 32, "width": 32})
    processor = transformers.Blip2Processor(images, words, num_query_tokens=4)
    config = transformers.Blip2Config(
        vision_config=_VISION,
        qformer_config={**_QFORMER, "vocab_size": len(words), "use_qformer_text_input": True},
        num_query_tokens=4,
        image_token_index=words.convert_tokens_to_ids("<image>"),
        image_text_hidden_size=16,
    )
    return _saved(folder, transformers.Blip2ForImageTextRetrieval(config), processor)


def git(folder: Path) -> Path:
    import transformers

    words = wordpiece()
    config = transformers.GitConfig(
        **_SMALL,
        vision_config=_VISION,
        vocab_size=len(words),
        max_position_embeddings=160,
        bos_token_id=words.cls_token_id,
        eos_token_id=words.sep_token_id,
        pad_token_id=words.pad_token_id,
    )
    images = transformers.CLIPImageProcessorPil(size={"shortest_edge": 32}, crop_size={"height": 32, "width": 32})
    return _saved(folder, transformers.GitForCausalLM(config), transformers.GitProcessor(images, words))


_LLAMA = {**_SMALL, "num_key_value_heads": 2, "max_position_embeddings": 512, "bos_token_id": 1, "eos_token_id": 2}
_LLAVA_CHAT = (
    "{% for m in messages %}{{ m['role'].upper() }}: {% for c in m['content'] if c['type'] == 'image' %}<image>\n"
    "{% endfor %}{% for c in m['content'] if c['type'] == 'text' %}{{ c['text'] }} {% endfor %}{% endfor %}"
    "{% if add_generation_prompt %}ASSISTANT:{% endif %}"
)
_CHATML = (
    "{% for m in messages %}<|im_start|>{{ m['role'] }}\n{% for c in m['content'] %}{% if c['type'] == 'image' %}"
    "PICTURE{% else %}{{ c['text'] }}{% endif %}{% endfor %}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


def llava(folder: Path) -> Path:
    """LLaVA: a CLIP tower and a Llama."""
    import transformers

    words = byte_pairs(["<image>"])
    images = transformers.CLIPImageProcessorPil(size={"shortest_edge": 32}, crop_size={"height": 32, "width": 32})
    processor = transformers.LlavaProcessor(
        images,
        words,
        patch_size=8,
        vision_feature_select_strategy="default",
        num_additional_image_tokens=1,
        chat_template=_LLAVA_CHAT,
    )
    config = transformers.LlavaConfig(
        vision_config=transformers.CLIPVisionConfig(**_VISION),
        text_config=transformers.LlamaConfig(**_LLAMA, vocab_size=len(words), pad_token_id=0),
        image_token_index=words.convert_tokens_to_ids("<image>"),
        vision_feature_layer=-2,
    )
    return _saved(folder, transformers.LlavaForConditionalGeneration(config), processor)


def idefics3(folder: Path) -> Path:
    """Idefics3, of which SmolVLM is a version: several images, cut into tiles."""
    import transformers

    words = byte_pairs(
        ["<image>", "<fake_token_around_image>", "<end_of_utterance>", "<global-img>", "<|im_start|>", "<|im_end|>"]
    )
    images = transformers.Idefics3ImageProcessorPil(
        size={"longest_edge": 64}, max_image_size={"longest_edge": 32}, do_image_splitting=True
    )
    processor = transformers.Idefics3Processor(
        images, words, image_seq_len=4, chat_template=_CHATML.replace("PICTURE", "<image>")
    )
    config = transformers.Idefics3Config(
        vision_config={**_VISION},
        text_config=transformers.LlamaConfig(**_LLAMA, vocab_size=len(words), pad_token_id=0).to_dict(),
        image_token_id=words.convert_tokens_to_ids("<image>"),
        pad_token_id=0,
        scale_factor=2,
    )
    return _saved(folder, transformers.Idefics3ForConditionalGeneration(config), processor)


def qwen2_vl(folder: Path) -> Path:
    """Qwen2-VL: images of any size, positions in three dimensions."""
    import transformers

    marks = ["<|im_start|>", "<|im_end|>", "<|vision_start|>", "<|vision_end|>", "<|image_pad|>", "<|video_pad|>"]
    words = byte_pairs(marks)
    words.chat_template = _CHATML.replace("PICTURE", "<|vision_start|><|image_pad|><|vision_end|>")
    images = transformers.Qwen2VLImageProcessorPil(
        patch_size=4, merge_size=2, temporal_patch_size=2, min_pixels=16 * 16, max_pixels=32 * 32
    )
    ids = {
        name: words.convert_tokens_to_ids(f"<|{name}|>")
        for name in ("vision_start", "vision_end", "image_pad", "video_pad")
    }
    config = transformers.Qwen2VLConfig(
        vision_config={
            "depth": 2,
            "embed_dim": 32,
            "hidden_size": 32,
            "num_heads": 2,
            "mlp_ratio": 2,
            "patch_size": 4,
            "spatial_merge_size": 2,
            "temporal_patch_size": 2,
        },
        text_config={
            **_LLAMA,
            "vocab_size": len(words),
            "pad_token_id": 0,
            "rope_parameters": {"rope_type": "default", "mrope_section": [2, 3, 3], "rope_theta": 10000.0},
        },
        vision_start_token_id=ids["vision_start"],
        vision_end_token_id=ids["vision_end"],
        image_token_id=ids["image_pad"],
        video_token_id=ids["video_pad"],
    )
    return _saved(folder, transformers.Qwen2VLForConditionalGeneration(config), images, words)


def paligemma(folder: Path) -> Path:
    """PaliGemma: no chat, and a question that reads itself both ways."""
    import transformers

    words = byte_pairs(["<image>"])
    images = transformers.SiglipImageProcessorPil(size={"height": 32, "width": 32})
    images.image_seq_length = 16
    processor = transformers.PaliGemmaProcessor(images, words)
    config = transformers.PaliGemmaConfig(
        vision_config=transformers.SiglipVisionConfig(**_VISION, projection_dim=32, vision_use_head=False).to_dict(),
        text_config=transformers.GemmaConfig(**_LLAMA, head_dim=16, vocab_size=len(words), pad_token_id=0).to_dict(),
        image_token_index=words.convert_tokens_to_ids("<image>"),
        projection_dim=32,
        hidden_size=32,
    )
    return _saved(folder, transformers.PaliGemmaForConditionalGeneration(config), processor)


def internvl(folder: Path) -> Path:
    """InternVL: a square image and its tiles, on a Qwen2."""
    import json

    import transformers

    marks = {
        "start_image_token": "<img>",
        "end_image_token": "</img>",
        "context_image_token": "<IMG_CONTEXT>",
        "video_token": "<video>",
    }
    words = byte_pairs([*marks.values(), "<|im_start|>", "<|im_end|>"], extra_special_tokens=marks)
    words.chat_template = _CHATML.replace("PICTURE", "<IMG_CONTEXT>")
    images = transformers.GotOcr2ImageProcessorPil(size={"height": 32, "width": 32}, max_patches=2)
    config = transformers.InternVLConfig(
        vision_config={**_VISION, "image_size": [32, 32], "patch_size": [8, 8]},
        text_config=transformers.Qwen2Config(**_LLAMA, vocab_size=len(words), pad_token_id=0).to_dict(),
        image_token_id=words.convert_tokens_to_ids("<IMG_CONTEXT>"),
        downsample_ratio=0.5,
    )
    _saved(folder, transformers.InternVLForConditionalGeneration(config), images, words)
    (folder / "processor_config.json").write_text(
        json.dumps({"processor_class": "InternVLProcessor", "image_seq_length": 4})
    )
    return folder


def blip2_t5(folder: Path) -> Path:
    """BLIP-2 over T5, which has an encoder."""
    import transformers

    words = byte_pairs()
    images = transformers.BlipImageProcessorPil(size={"height": 32, "width": 32})
    processor = transformers.Blip2Processor(images, words, num_query_tokens=4)
    text = transformers.T5Config(
        d_model=32,
        d_kv=16,
        num_heads=2,
        d_ff=48,
        num_layers=2,
        vocab_size=len(words),
        pad_token_id=0,
        eos_token_id=2,
        decoder_start_token_id=0,
    )
    config = transformers.Blip2Config(
        text_config=text.to_dict(),
        vision_config=_VISION,
        qformer_config=_QFORMER,
        num_query_tokens=4,
        image_token_index=words.convert_tokens_to_ids("<image>"),
    )
    return _saved(folder, transformers.Blip2ForConditionalGeneration(config), processor)


def florence2(folder: Path) -> Path:
    """Florence-2: a DaViT tower and a BART."""
    import transformers

    words = byte_pairs(["<image>"], extra_special_tokens={"image_token": "<image>"})
    images = transformers.CLIPImageProcessorPil(size={"height": 32, "width": 32}, do_center_crop=False)
    images.image_seq_length = 5
    processor = transformers.Florence2Processor(images, words)
    config = transformers.Florence2Config(
        text_config={
            "model_type": "bart",
            "vocab_size": len(words),
            "d_model": 32,
            "encoder_layers": 2,
            "decoder_layers": 2,
            "encoder_attention_heads": 2,
            "decoder_attention_heads": 2,
            "encoder_ffn_dim": 48,
            "decoder_ffn_dim": 48,
            "pad_token_id": 0,
            "bos_token_id": 1,
            "eos_token_id": 2,
            "decoder_start_token_id": 2,
            "max_position_embeddings": 256,
        },
        vision_config={
            "embed_dim": [8] * 4,
            "depths": [1] * 4,
            "num_heads": [1] * 4,
            "num_groups": [1] * 4,
            "patch_stride": [4, 2, 2, 1],
            "window_size": 4,
            "projection_dim": 32,
        },
        image_token_id=words.convert_tokens_to_ids("<image>"),
        projection_dim=32,
    )
    return _saved(folder, transformers.Florence2ForConditionalGeneration(config), processor)


CLASSIFIERS = (vilt_answers, lxmert_answers, visual_bert_answers)
MATCHERS = (vilt_matches, lxmert_pretrained, visual_bert_matches, blip_matches, blip2_matches)
WRITERS = (blip_answers, blip2_answers, blip2_t5, git, florence2, llava, idefics3, qwen2_vl, internvl, paligemma)

BUILDERS: dict[str, Callable[[Path], Path]] = {made.__name__: made for made in (*CLASSIFIERS, *MATCHERS, *WRITERS)}
