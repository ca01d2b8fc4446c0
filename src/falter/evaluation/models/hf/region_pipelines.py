"""LXMERT and VisualBERT: answers from a list and scores for a text, from the regions of a detector."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np

from falter.data.items import Task
from falter.data.model import Reply, Request
from falter.data.model_options import ModelOptions
from falter.evaluation.models.hf.pixel_pipelines import Labels, load_labels
from falter.evaluation.models.hf.region_features import Regions, collate_regions, open_region_features
from falter.evaluation.models.prompts import load_prompt
from falter.evaluation.models.weights.batching import LoadedRequest
from falter.evaluation.models.weights.checkpoint import Checkpoint, load_tokenizer
from falter.evaluation.models.weights.devices import Placement, load_torch
from falter.evaluation.models.weights.pipeline import ModelInputs, Pipeline, max_text_tokens, move_to_device, tokenize


class _RegionPipeline(Pipeline):
    """Tokens and regions in, two sorts of scores out; a subclass says where they stand."""

    size_name: str
    """The configuration's name for the size of a region's features."""
    has_head = False
    """Whether a text is scored by a head of its own."""

    def __init__(self, checkpoint: Checkpoint, options: ModelOptions, labels: Labels | None) -> None:
        self._size = int(getattr(checkpoint.config, self.size_name))
        self.tokenizer = load_tokenizer(checkpoint)
        self._regions = open_region_features(options, self._size, checkpoint.name)
        self._most = max_text_tokens(checkpoint.config)
        self._labels = labels
        self._answer_by = options.answer_by
        self._by_head = self.has_head and options.match_by != "yes-no"
        self.prompt = load_prompt(options, default="plain")
        self.fingerprint_parts = (self._regions.fingerprint, *(() if labels is None else labels.names))
        answers = labels is not None
        matches = self._by_head or (labels is not None and labels.know_yes_and_no)
        able: dict[Task, bool] = {"answer": answers, "match": matches}
        asked: dict[Task, bool] = {"answer": answers, "match": matches and not self._by_head}
        self.tasks = frozenset(task for task, can in able.items() if can)
        self.prompted_tasks = frozenset(task for task, can in asked.items() if can)
        decided = f"decide:{options.answer_by}," if answers else ""
        self.method = f"{decided}match:{'head' if self._by_head else 'yes-no'}"

    def load_image(self, request: Request) -> Regions:
        return self._regions(request)

    def dummy_image(self) -> Regions:
        return Regions(np.zeros((2, self._size), np.float32), np.array([[0, 0, 1, 1]] * 2, np.float32))

    def prompt_text(self, request: Request) -> str:
        return request.text if request.task == "match" and self._by_head else self.prompt.question(request)

    def collate(self, loaded: list[LoadedRequest]) -> ModelInputs:
        torch = load_torch()
        requests = [one.request for one in loaded]
        inputs = tokenize(self.tokenizer, [self.prompt_text(request) for request in requests], self._most)
        features, boxes, mask = (torch.from_numpy(part) for part in collate_regions([one.image for one in loaded]))
        return ModelInputs(requests, inputs | self.visual(features, boxes, mask))

    @abstractmethod
    def visual(self, features: Any, boxes: Any, mask: Any) -> dict[str, Any]:
        """The regions under the names that the model takes them by."""

    def answer_logits(self, output: Any) -> Any:
        """One number for each answer."""
        raise NotImplementedError

    def match_logit(self, output: Any) -> Any:
        """How much more a match is believed than none."""
        raise NotImplementedError

    def infer(self, model: Any, place: Placement, batch: ModelInputs) -> list[Reply]:
        with place.running():
            output = model(**move_to_device(batch.inputs, model))
        if batch.requests[0].task == "match" and self._by_head:
            scores = self.match_logit(output).double().cpu().sigmoid()
            return [
                Reply(item_id=request.item_id, score=float(score), score_kind="probability")
                for request, score in zip(batch.requests, scores, strict=True)
            ]
        rows = self.answer_logits(output).float().cpu()
        return [self._answer_reply(request, row) for request, row in zip(batch.requests, rows, strict=True)]

    def _answer_reply(self, request: Request, row: Any) -> Reply:
        if self._labels is None:
            raise TypeError("this model has no answers")
        if request.task == "match":
            return self._labels.match(request, row)
        return self._labels.answer(request, row, self._answer_by)


class _LxmertPipeline(_RegionPipeline):
    size_name = "visual_feat_dim"

    def visual(self, features: Any, boxes: Any, mask: Any) -> dict[str, Any]:
        return {"visual_feats": features, "visual_pos": boxes, "visual_attention_mask": mask}

    def answer_logits(self, output: Any) -> Any:
        return output.question_answering_score


class LxmertVqaPipeline(_LxmertPipeline):
    """LXMERT with the head for questions alone."""

    class_name = "LxmertForQuestionAnswering"

    def __init__(self, checkpoint: Checkpoint, options: ModelOptions) -> None:
        super().__init__(checkpoint, options, load_labels(checkpoint, checkpoint.config.num_qa_labels))


class LxmertPretrainingPipeline(_LxmertPipeline):
    """LXMERT as it was pretrained: it tells whether a text belongs to an image, and answers if answers have names."""

    class_name = "LxmertForPreTraining"
    has_head = True

    def __init__(self, checkpoint: Checkpoint, options: ModelOptions) -> None:
        named = checkpoint.labels is not None and checkpoint.config.task_qa
        labels = load_labels(checkpoint, checkpoint.config.num_qa_labels) if named else None
        super().__init__(checkpoint, options, labels)

    def match_logit(self, output: Any) -> Any:
        score = output.cross_relationship_score
        return score[:, 1] - score[:, 0]


class _VisualBertPipeline(_RegionPipeline):
    size_name = "visual_embedding_dim"

    def visual(self, features: Any, boxes: Any, mask: Any) -> dict[str, Any]:
        del boxes
        kinds = load_torch().ones_like(mask)
        return {"visual_embeds": features, "visual_attention_mask": mask, "visual_token_type_ids": kinds}


class VisualBertVqaPipeline(_VisualBertPipeline):
    """VisualBERT with the head for questions."""

    class_name = "VisualBertForQuestionAnswering"

    def __init__(self, checkpoint: Checkpoint, options: ModelOptions) -> None:
        super().__init__(checkpoint, options, load_labels(checkpoint, checkpoint.config.num_labels))

    def answer_logits(self, output: Any) -> Any:
        return output.logits


class VisualBertMatchingPipeline(_VisualBertPipeline):
    """VisualBERT as it was pretrained: it knows whether a text belongs to an image."""

    class_name = "VisualBertForPreTraining"
    has_head = True

    def __init__(self, checkpoint: Checkpoint, options: ModelOptions) -> None:
        super().__init__(checkpoint, options, None)

    def match_logit(self, output: Any) -> Any:
        # The first of the two stands for a text that belongs to the image, unlike in the other families.
        score = output.seq_relationship_logits
        return score[:, 0] - score[:, 1]
