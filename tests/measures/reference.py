"""The measures once more, by plain loops over dictionaries; nothing of falter.evaluation.measures is used."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any

from msgspec import structs

from falter.data.items import Item, Probe
from falter.data.normalize import normalize

LEFT_OUT = ("unsupported", "failed", "missing")


def vqa_accuracy(answer: str, people: list[str]) -> Fraction:
    """The official definition, word for word: leave one out, then the mean."""
    scores = []
    for left_out in range(len(people)):
        others = people[:left_out] + people[left_out + 1 :]
        scores.append(min(Fraction(1), Fraction(sum(other == answer for other in others), 3)))
    return sum(scores, Fraction(0)) / len(scores)


def judge(item: Item, replies: Mapping[str, tuple[str, str | None]]) -> tuple[str, str | None, Fraction]:
    """The class of a reply, the normalized answer, and its credit."""
    if item.item_id not in replies:
        return "missing", None, Fraction(0)
    status, answer = replies[item.item_id]
    if status in ("failed", "unsupported"):
        return status, None, Fraction(0)
    said = None if answer is None or status == "unparsed" else normalize(answer)
    if said is None or not any(map(str.isalnum, said)):
        return "unparsed", None, Fraction(0)
    if item.answers is not None and len(item.answers) > 1:
        worth = vqa_accuracy(said, [normalize(one) for one in item.answers])
    else:
        worth = Fraction(said == normalize(item.gold or ""))
    if worth > Fraction(1, 2):
        return "correct", said, worth
    if item.choices and said not in [normalize(choice) for choice in item.choices]:
        return "off_list", said, worth
    return "incorrect", said, worth


def mean(values: list[float]) -> tuple[float | None, int]:
    return (sum(values) / len(values) if values else None), len(values)


def add_rates(found: dict[str, list[float]], item: Item, judged: tuple[str, str | None, Fraction]) -> None:
    """What one answer adds to VQA accuracy and to the rates."""
    name, said, worth = judged
    if item.answers is not None and len(item.answers) > 1:
        found["vqa_accuracy"].append(float(worth))
    if not item.choices:
        return
    choices = [normalize(choice) for choice in item.choices]
    if sorted(choices) == ["no", "yes"]:
        found["yes_rate"].append(said == "yes")
        found["no_rate"].append(said == "no")
        found["other_rate"].append(said is not None and said not in ("yes", "no"))
    else:
        found["first_choice_rate"].append(said == choices[0])
    found["off_list_rate"].append(name == "off_list")


def totals(
    probes: Iterable[Probe], replies: Mapping[str, tuple[str, str | None]], texts: Mapping[str, str | None]
) -> dict[str, dict[str, tuple[float | None, int]]]:
    """The same of all tests as one: of all their questions, and of the pairs whose answers must stay, or change."""
    wanted = {"overall": ("same", "different", "each"), "same": ("same",), "different": ("different",)}
    found = {}
    for name, expected in wanted.items():
        own = [
            Probe(tuple(structs.replace(item, test=name) for item in one.items))
            for one in probes
            if one.original.expects in expected and (one.variants or name == "overall")
        ]
        found |= measure(own, replies, texts)
    return found


def measure(
    probes: Iterable[Probe], replies: Mapping[str, tuple[str, str | None]], texts: Mapping[str, str | None]
) -> dict[str, dict[str, tuple[float | None, int]]]:
    """By test and measure: the value and its n; counts as values. ``texts`` are the replies as they came."""
    lists: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    counts: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    strata: dict[str, dict[Any, list[tuple[str, str]]]] = defaultdict(lambda: defaultdict(list))
    yes_no: dict[str, list[tuple[bool, bool]]] = defaultdict(list)
    for probe in probes:
        original = probe.original
        found, test = lists[original.test], original.test
        first = judge(original, replies)
        whole_set: list[tuple[bool, bool, bool]] = []
        if not probe.variants:
            counts[test]["rows"] += 1
            counts[test]["pairs"] += 0
            counts[test]["questions"] += 1
            if first[0] in LEFT_OUT:
                counts[test][first[0]] += 1
            else:
                counts[test]["unparsed"] += first[0] == "unparsed"
                found["acc"].append(first[0] == "correct")
                add_rates(found, original, first)
                if sorted(normalize(choice) for choice in original.choices or ()) == ["no", "yes"]:
                    yes_no[test].append((original.gold == "yes", first[1] == "yes"))
        for variant in probe.variants:
            counts[test]["rows"] += 1
            counts[test]["pairs"] += 1
            second = judge(variant, replies)
            classes = (first[0], second[0])
            gone = next((name for name in LEFT_OUT if name in classes), None)
            if gone:
                counts[test][gone] += 1
                whole_set.append((False, False, False))
                continue
            counts[test]["unparsed"] += "unparsed" in classes
            right = [name == "correct" for name in classes]
            both_said = first[1] is not None and second[1] is not None
            agree = both_said and first[1] == second[1]
            consistent = agree if variant.expects == "same" else both_said and not agree
            says = [
                one[1] or normalize(texts[item.item_id] or "") for one, item in ((first, original), (second, variant))
            ]
            found["acc"] += right
            found["acc_original"].append(right[0])
            found["acc_perturbed"].append(right[1])
            found["c_acc"].append(all(right))
            if variant.expects in ("same", "different"):
                found["cons"].append((says[0] == says[1]) == (variant.expects == "same"))
                listed = all(name in ("correct", "incorrect") for name in classes)
                found["cons_strict"].append(consistent and listed)
                if original.choices and variant.choices and len(original.choices) == len(variant.choices) > 1:
                    strata[test][variant.expects, len(original.choices)].append(classes)
            if variant.expects == "same" and all(len(item.answers or ()) > 1 for item in (original, variant)):
                found["vqa_accuracy_original"].append(float(first[2]))
                found["vqa_accuracy_perturbed"].append(float(second[2]))
            add_rates(found, original, first)
            add_rates(found, variant, second)
            whole_set.append((True, all(right), consistent))
        if whole_set and all(kept for kept, _, _ in whole_set):
            found["set_acc"].append(all(right for _, right, _ in whole_set))
            found["set_cons"].append(all(held for _, _, held in whole_set))
    result: dict[str, dict[str, tuple[float | None, int]]] = {}
    for test in counts:
        result[test] = {name: mean(values) for name, values in lists[test].items()}
        result[test]["cons_independent"] = independent(strata[test])
        result[test] |= precision_recall_f1(yes_no[test])
        for name in ("pairs", "unparsed", *LEFT_OUT, *(["questions"] if counts[test]["questions"] else [])):
            result[test][name] = (float(counts[test][name]), counts[test]["rows"])
    return result


def precision_recall_f1(pairs: list[tuple[bool, bool]]) -> dict[str, tuple[float | None, int]]:
    """Of gold and answer, whether they are yes: P and R by definition, F1 as their harmonic mean."""
    precision = mean([float(gold) for gold, said in pairs if said])
    recall = mean([float(said) for gold, said in pairs if gold])
    f1: tuple[float | None, int] = (None, 0)
    if precision[1] or recall[1]:
        p, r = precision[0] or 0.0, recall[0] or 0.0
        f1 = (2 * p * r / (p + r) if p + r else 0.0), len(pairs)
    return {"precision": precision, "recall": recall, "f1": f1}


def independent(strata: Mapping[tuple[str, int], list[tuple[str, str]]]) -> tuple[float | None, int]:
    """Try every two answers that two independent repliers might give, and add up where they keep the expectation."""
    total, pairs = 0.0, 0
    for (expects, k), classes in strata.items():
        n = len(classes)
        golds = (0, 0) if expects == "same" else (0, 1)
        chances = []
        for side in (0, 1):
            chance: dict[Any, float] = defaultdict(float)
            for one in classes:
                if one[side] == "correct":
                    chance[golds[side]] += 1 / n
                elif one[side] == "incorrect":
                    for choice in range(k):
                        if choice != golds[side]:
                            chance[choice] += 1 / n / (k - 1)
                else:
                    chance[f"equal to nothing, side {side}"] += 1 / n
            chances.append(chance)
        expected = sum(
            p * q for a, p in chances[0].items() for b, q in chances[1].items() if (a == b) == (expects == "same")
        )
        total += n * expected
        pairs += n
    return (total / pairs if pairs else None), pairs
