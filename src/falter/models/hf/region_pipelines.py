"""LXMERT and VisualBERT: answers from a list and scores for a text, from the regions of a detector."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np

from falter.models.hf.labels import Labels, labels_of
from falter.models.hf.pipeline import Prepared, Road, on_device
from falter.models.hf.region_features import Regions, batch_of_regions, region_source
from falter.models.hf.tokens import longest_text, tokens_of
from falter.models.options import ModelOptions
from falter.models.prompts import prompt_for
from falter.models.request import Request
from falter.models.weights.batching_config import Loaded
from falter.models.weights.checkpoint import Checkpoint
from falter.models.weights.devices import Placement, load_torch
from falter.models.weights.processor import load_tokenizer
from falter.probes import Task
from falter.runs.reply import Reply

__all__ = ["LxmertAnswers", "LxmertPretrained", "VisualBertAnswers", "VisualBertMatches"]


class _Regional(Road):
    """Tokens and regions in, two sorts of scores out; a subclass says where they stand."""

    size_name: str
    """The configuration's name for the size of a region's features."""
    has_head = False
    """Whether a text is scored by a head of its own."""

    def __init__(self, checkpoint: Checkpoint, options: ModelOptions, labels: Labels | None) -> None:
        self._size = int(getattr(checkpoint.config, self.size_name))
        self.tokenizer = load_tokenizer(checkpoint)
        self._regions = region_source(options, self._size, checkpoint.name)
        self._most = longest_text(checkpoint.config)
        self._labels = labels
        self._decide = options.decide
        self._by_head = self.has_head and options.match_by != "yes-no"
        self.prompt = prompt_for(options, default="plain")
        self.identity = (self._regions.fingerprint, *(() if labels is None else labels.names))
        answers = labels is not None
        matches = self._by_head or (labels is not None and labels.know_yes_and_no)
        able: dict[Task, bool] = {"answer": answers, "match": matches}
        asked: dict[Task, bool] = {"answer": answers, "match": matches and not self._by_head}
        self.tasks = frozenset(task for task, can in able.items() if can)
        self.prompted_tasks = frozenset(task for task, can in asked.items() if can)
        decided = f"decide:{options.decide}," if answers else ""
        self.method = f"{decided}match:{'head' if self._by_head else 'yes-no'}"

    def load(self, request: Request) -> Regions:
        return self._regions(request)

    def trial_picture(self) -> Regions:
        return Regions(np.zeros((2, self._size), np.float32), np.array([[0, 0, 1, 1]] * 2, np.float32))

    def said(self, request: Request) -> str:
        return request.text if request.task == "match" and self._by_head else self.prompt.question(request)

    def prepare(self, loaded: list[Loaded]) -> Prepared:
        torch = load_torch()
        requests = [one.request for one in loaded]
        inputs = tokens_of(self.tokenizer, [self.said(request) for request in requests], self._most)
        features, boxes, mask = (torch.from_numpy(part) for part in batch_of_regions([one.picture for one in loaded]))
        return Prepared(requests, inputs | self.visual(features, boxes, mask))

    @abstractmethod
    def visual(self, features: Any, boxes: Any, mask: Any) -> dict[str, Any]:
        """The regions under the names that the model takes them by."""

    def answer_logits(self, output: Any) -> Any:
        """One number for each answer."""
        raise NotImplementedError

    def match_logit(self, output: Any) -> Any:
        """How much more a match is believed than none."""
        raise NotImplementedError

    def ask(self, model: Any, place: Placement, prepared: Prepared) -> list[Reply]:
        with place.running():
            output = model(**on_device(prepared.inputs, model))
        if prepared.requests[0].task == "match" and self._by_head:
            scores = self.match_logit(output).double().cpu().sigmoid()
            return [
                Reply(item_id=request.item_id, score=float(score), score_kind="probability")
                for request, score in zip(prepared.requests, scores, strict=True)
            ]
        rows = self.answer_logits(output).float().cpu()
        return [self._answered(request, row) for request, row in zip(prepared.requests, rows, strict=True)]

    def _answered(self, request: Request, row: Any) -> Reply:
        if self._labels is None:
            raise TypeError("this model has no answers")
        if request.task == "match":
            return self._labels.match(request, row)
        return self._labels.answer(request, row, self._decide)


class _Lxmert(_Regional):
    size_name = "visual_feat_dim"

    def visual(self, features: Any, boxes: Any, mask: Any) -> dict[str, Any]:
        return {"visual_feats": features, "visual_pos": boxes, "visual_attention_mask": mask}

    def answer_logits(self, output: Any) -> Any:
        return output.question_answering_score


class LxmertAnswers(_Lxmert):
    """LXMERT with the head for questions alone."""

    class_name = "LxmertForQuestionAnswering"

    def __init__(self, checkpoint: Checkpoint, options: ModelOptions) -> None:
        super().__init__(checkpoint, options, labels_of(checkpoint, checkpoint.config.num_qa_labels))


class LxmertPretrained(_Lxmert):
    """LXMERT as it was pretrained: it tells whether a text belongs to a picture, and answers if answers have names."""

    class_name = "LxmertForPreTraining"
    has_head = True

    def __init__(self, checkpoint: Checkpoint, options: ModelOptions) -> None:
        named = checkpoint.labels is not None and checkpoint.config.task_qa
        labels = labels_of(checkpoint, checkpoint.config.num_qa_labels) if named else None
        super().__init__(checkpoint, options, labels)

    def match_logit(self, output: Any) -> Any:
        score = output.cross_relationship_score
        return score[:, 1] - score[:, 0]


class _VisualBert(_Regional):
    size_name = "visual_embedding_dim"

    def visual(self, features: Any, boxes: Any, mask: Any) -> dict[str, Any]:
        del boxes
        kinds = load_torch().ones_like(mask)
        return {"visual_embeds": features, "visual_attention_mask": mask, "visual_token_type_ids": kinds}


class VisualBertAnswers(_VisualBert):
    """VisualBERT with the head for questions."""

    class_name = "VisualBertForQuestionAnswering"

    def __init__(self, checkpoint: Checkpoint, options: ModelOptions) -> None:
        super().__init__(checkpoint, options, labels_of(checkpoint, checkpoint.config.num_labels))

    def answer_logits(self, output: Any) -> Any:
        return output.logits


class VisualBertMatches(_VisualBert):
    """VisualBERT as it was pretrained: it knows whether a text belongs to a picture."""

    class_name = "VisualBertForPreTraining"
    has_head = True

    def __init__(self, checkpoint: Checkpoint, options: ModelOptions) -> None:
        super().__init__(checkpoint, options, None)

    def match_logit(self, output: Any) -> Any:
        # The first of the two stands for a text that belongs to the picture, unlike in the other families.
        score = output.seq_relationship_logits
        return score[:, 0] - score[:, 1]
