"""Texts that try to break out of a page or out of its reader's eye."""

from __future__ import annotations

import msgspec

from falter.evaluation.reporting import ChartAxis, ChartLine, ChartPoint, LineChart, Section, Table, TableCell
from falter.evaluation.reporting.report_data import PanelSection, ReportData

__all__ = ["HOSTILE", "spoil", "spoiled_section"]

HOSTILE = [
    "<script>window.broken = 1</script>",
    "</script><script>window.broken = 2</script>",
    "<!--<script>",
    '"><img src=x onerror="window.broken = 3">',
    "<svg onload='window.broken = 4'>",
    "{{ 7 * 7 }}{% raw %}",
    "'; window.broken = 5; //",
    '\\"}],"failures":[{"\\u0000',
    "line\u2028separator\u2029end",
    "turned \u202eright to left\u202c \u2066isolate",
    "bell\x07 null\x00 escape\x1b[31m delete\x7f c1\x9b",
    "javascript:window.broken=6",
    "&lt;b&gt; &amp; &#x3c;script&#x3e;",
    "x" * 100_000,
    "<script>" * 12_500,
    "e" + "\u0301" * 3000,
    "\ud83d lone surrogate",
]


def spoiled_section(worst: str) -> Section:
    """A panel's section with a text in every place that may come from data."""
    axis = ChartAxis(0, 1, [(0.0, worst)], worst)
    return Section(
        text=[worst, worst],
        figures=[LineChart(worst, [ChartLine(worst, [ChartPoint(0, 1, title=worst)], 0)], axis, axis)],
        tables=[
            Table(
                title=worst,
                columns=[worst, worst],
                rows=[[worst, TableCell(worst, worst, worst, worst, 0)]],
                published=[[worst, worst]],
                notes=[worst],
            )
        ],
        parts=[Section(title=worst, text=worst, folded=True), Section(title=worst, text=worst)],
    )


def spoil(data: ReportData) -> ReportData:
    """Put hostile text into every place of a report that comes from data or models."""
    worst = "</script></style></title><script>window.broken = 7</script>\"'><img src=x onerror='window.broken = 8'>"
    short = [text for text in HOSTILE if len(text) < 100]
    for place, failure in enumerate(data.failures):
        text = HOSTILE[place % len(HOSTILE)]
        replies = tuple(
            msgspec.structs.replace(
                reply,
                original=msgspec.structs.replace(reply.original, text=text, answer=text[:300], status="unparsed"),
                variant=msgspec.structs.replace(reply.variant, text=None, error=text, status="failed", correct=None),
            )
            for reply in failure.replies
        )
        data.failures[place] = msgspec.structs.replace(
            failure,
            test=failure.test if place % 2 else worst,
            probe_id=text,
            original=msgspec.structs.replace(failure.original, text=f"{text} {place}", gold=text, choices=(text, "no")),
            variant=msgspec.structs.replace(failure.variant, text=text, gold=worst, context=((worst, text),)),
            replies=replies,
            facets={worst: text, "__proto__": text},
        )
    data.blind_checks = [
        one._replace(found=msgspec.structs.replace(one.found, test=worst, questions=worst, common_sense_reason=worst))
        for one in data.blind_checks
    ]
    data.blind_unchecked = [worst]
    data.title = worst
    data.notes = [*short, worst]
    data.models = [
        msgspec.structs.replace(info, name=worst, spec=worst, settings={worst: worst}) for info in data.models
    ]
    data.suites = [
        msgspec.structs.replace(
            info, title=worst, licence=worst, made_by=worst, citation=worst, notes=(worst,), parameters={worst: worst}
        )
        for info in data.suites
    ]
    data.scores = [
        msgspec.structs.replace(
            entry,
            score=msgspec.structs.replace(
                entry.score,
                signature=worst,
                group=msgspec.structs.replace(
                    entry.score.group,
                    test=worst if entry.score.group.test == "visual" else entry.score.group.test,
                    facet=entry.score.group.facet and worst,
                    value=entry.score.group.value and f"{worst}{entry.score.group.value}",
                ),
            ),
        )
        for entry in data.scores
    ]
    data.panels = [
        PanelSection(name=f"panel-{number}", title=text, section=spoiled_section(text))
        for number, text in enumerate([*short, worst])
    ]
    return data
