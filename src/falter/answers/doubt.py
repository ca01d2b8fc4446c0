"""Doubts, refusals and requests: what in a text is no answer, and what the doubt is about.

A doubt about the question itself takes the answer back. A doubt about something else ("though I can't tell the exact
shade") leaves it. What a sentence only supposes, asks or demands is not evidence for anything.
"""

from __future__ import annotations

import re

__all__ = ["is_hedged", "is_idle", "is_unable", "withdraws"]

_END = r"(?=\s*(?:$|[.,;:!?\n…—–)]|\b(?:but|and|so|because|since|though|although|as|or|without|from|with|due|given)\b))"
_ABOUT_IT = (
    rf"(?:{_END}|\s+(?:if|whether|that|this|it|so|which|either|between|(?:for|with)\s+(?:sure|certain|certainty)"
    r"|definitively|conclusively|from|based|without|with|given|at all|about (?:it|that|this)|yes|no"
    r"|the (?:correct |right )?"
    r"answer|the (?:\w+ )?question|your (?:\w+ )?question|questions?|(?:this|these) (?:kind|question|type)\w*)\b)"
)
_KNOW = r"(?:know|tell|say|determine|decide|be (?:sure|certain)|confirm|judge|conclude|ascertain|verify|discern|choose)"
_CANNOT = (
    r"(?:can't|cannot|can not|cant|couldn't|could not|unable to|not able to|not possible to|no way to|don't"
    r"|do not|dont|didn't|won't be able to|wouldn't be able to"
    r"|not (?:\w+ )?enough to|too \w+ to|neither|never)"
)
_HARD = "impossible to|hard to|difficult to|tough to|tricky to|not easy to"
_DOUBTS = re.compile(
    rf"\b{_CANNOT} (?:\w+ly |really |even |quite )?{_KNOW}{_ABOUT_IT}"
    rf"|(?:^|[,.;] |\b(?:it|it's|that's|is|be|very|too|really|quite|rather|somewhat"
    rf"|bit) )(?<!\w shade is )(?:{_HARD}) {_KNOW}{_ABOUT_IT}"
    rf"|\b(?:not|n't) (?:\w+ )?(?:sure|certain|confident|clear|possible|known|obvious)(?: enough)?{_ABOUT_IT}"
    rf"|\b(?:unsure|uncertain|undecided|ambiguous|inconclusive|indeterminate|undetermined|unanswerable){_ABOUT_IT}"
    r"|(?:^|\b(?:it(?:'s| is)|that(?:'s| is)|this is|answer (?:is|remains)|remains|which is|still)) (?:\w+ly "
    r"|still )?"
    rf"(?:unclear|unknown|uncertain){_ABOUT_IT}"
    rf"|^(?:unclear|unknown|unsure|undetermined|indeterminate|not sure|not certain|hard to say|hard to tell"
    rf"|can't tell"
    rf"|cannot tell|inconclusive){_END}"
    r"|\b(?:have )?no (?:idea|clue)\b(?! wh(?:y|o|en|ere))|\bno way (?:to|of) (?:know|tell|say)"
    r"|\bit (?:all )?depends\b"
    r"|\bdepend(?:s|ing) on\b|\banswer (?:could|might|may|can|cannot|can't|isn't|is not|depends|would depend"
    r"|varies)\b"
    r"|\b(?:cannot|can't|can not|could not|couldn't) be (?:determined|answered|identified|known|said|inferred"
    r"|established)"
    r"|\btoss-?up\b|\bneither (?:way|say)\b|\benough (?:\w+ )?(?:information|context|detail|details|evidence)\b"
    r"|\b(?:more|additional|further) (?:information|context|details)\b|\bneed (?:to see|to look|more)\b"
    r"|\bnot (?:show|provide|contain|give|include)\w* (?:\w+ )?enough\b"
    r"|\bmay or may not\b|\bmight or might not\b"
    r"|\bnot (?:\w+ )?(?:visible|shown|specified|mentioned|legible|available|discernible) (?:in|from) (?:the|this)"
    r"|^(?:the|its|his|her|their) [\w ]{1,30} (?:is|are) (?:not|n't) (?:\w+ )?"
    r"(?:visible|shown|specified|mentioned|legible|available|discernible|clear|given|provided|identifiable)"
    r"|\b(?:image|picture|photo|photograph|text|scene) (?:does not|doesn't|did not|didn't) (?:show|say|provide"
    r"|tell|mention"
    r"|contain|include|reveal|specify|indicate) (?:that|this|it|enough|any (?:information|details)|which|whether"
    r"|if|what)",
)
_REFUSES = re.compile(
    r"\bsorry\b|\bi apologi[sz]e\b|\bapologies\b|\bas an ai\b|\bas a (?:\w+[- ])*(?:model|assistant|ai)\b"
    r"|\b(?:i'm|i am) (?:just |only )?an? (?:\w+ )*(?:model|assistant|ai)\b"
    r"|\b(?:can't|cannot|can not|cant|couldn't|could not|unable to|not able to|won't|will not|don't|do not|decline to"
    r"|rather not|refuse to|not going to|won't be able to|not allowed to|not permitted to) (?:\w+ly )?(?:answer"
    r"|help|assist"
    r"|comply|provide|process|respond|comment|do that|engage|fulfil\w*|discuss|say\b(?! (?:so|that)))"
    r"|\b(?:can't|cannot|can not|unable to|not able to|don't|do not|couldn't|didn't|did not) (?:\w+ )?(?:see"
    r"|view|access|open"
    r"|load|receive|find|have access to|have|process|display|analy[sz]e|interpret) (?:to )?(?:the |this |that "
    r"|any |your |an "
    r"|real )*(?:\w+ )?(?:images?|pictures?|photos?|photographs?|attachments?|files?|people|persons?)\b(?! of"
    r"| with| in)"
    r"|\b(?:can't|cannot|unable to|not able to|won't) (?:\w+ )?(?:identify|recogni[sz]e|name) (?:the |this |any "
    r"|real |that )?"
    r"(?:people|persons?|individuals?|man|woman|animal|celebrit\w+)\b"
    r"|\bno (?:image|picture|photo|question|caption|attachment|file)s? (?:was|were|is|are|has|have|in|found|available"
    r"|provided|attached|given|visible|here|uploaded)\b"
    r"|\bthere (?:is|was) no (?:image|picture|photo)\b|\b(?:did not|didn't|haven't|have not"
    r"|forgot to) (?:\w+ )?(?:provide"
    r"|attach|upload|share|include|send)"
    r"|\b(?:happy|glad|pleased|able|ready|here) to (?:help|assist|answer)\b|\b(?:can|could|will|would"
    r"|may) (?:certainly |gladly )?"
    r"(?:help|assist)\b|\bi(?:'m| am) ready\b|\bmy guidelines\b|\b(?:usage|content) polic\w+|\bviolate\b"
    r"|\bhow can i\b|\bwould you like\b|\bwhat would you\b|\btry again\b|\bdid you mean\b|\bdo you mean\b"
    r"|\byou mean\b"
    r"|\b(?:please|could you|can you|kindly|would you)\b[^.!?\n]*\b(?:upload|provide|attach|share|send|describe"
    r"|clarify"
    r"|specify|rephrase|try|give|supply|post|paste|tell)\b"
)
_UNABLE = re.compile(
    r"^(?:\w+, )?(?:i|we|one|you|it is|it's) (?:\w+ )?(?:can't|cannot|can not|couldn't|could not|am unable"
    r"|(?:am |is )?not able"
    r"|don't (?:know|see)|do not (?:know|see)|(?:not possible|impossible|hard|difficult))\b|^(?:can't|cannot"
    r"|unable to)\b"
)
_META = re.compile(
    r"\bi(?:'d|'ll|'m| am| will| would| can| could)? (?:also |certainly |gladly )?(?:understand|be (?:happy"
    r"|glad)|ready|help"
    r"|assist|answer (?:questions|that|this|it|your|you|any|all)|do that|take a look|look into|check|analy[sz]e"
    r"|need|want"
    r"|will|won't|must decline|decline|have to decline)\b"
)
_MODAL = re.compile(
    r"\b(?:maybe|perhaps|possibly|potentially|conceivably|presumably|could|might|may|can be|either|possible"
    r"|possibility"
    r"|supposedly|allegedly|or|(?:hard|difficult|impossible|tricky|tough) to)\b"
)
_DEMANDS = re.compile(
    r"(?:please|kindly|let me|let's|let us|respond|reply|answer (?:with|the|only|in|using|by|yes|this)|choose"
    r"|select|pick"
    r"|tell me|okay,? let|sure,? let|here is|here's|do |does |is |are |can |could |would |will |did |was |were "
    r"|what |which "
    r"|who |where |how |why )"
)
_SUPPOSES = re.compile(
    r"\b(?:please|let me|let's)\b|\b(?:whether|unless|assuming|provided that|otherwise|suppose|depending)\b"
    r"|(?<!as )\bif\b"
    r"|\b(?:the )?(?:options|choices|possible answers) (?:are|were|include)\b|\boptions?:"
)


# Most texts hold none of these, and looking for them is faster than matching.
_IN_REFUSALS = (
    *(
        "sorry",
        "apolog",
        " ai",
        "model",
        "assistant",
        "n't",
        "not",
        "cant",
        "unable",
        "decline",
        "refuse",
        "rather",
        "no ",
    ),
    *("forgot", "happy", "glad", "pleased", "ready", "here to", "able to", "help", "assist", "guideline", "polic"),
    *("violate", "how can i", "you", "please", "kindly", "try again"),
)
_IN_DOUBTS = (
    *("n't", "not", "cant", "dont", "unable", "unsure", "uncertain", "undec", "ambig", "inconcl", "determin", "unans"),
    *("unclear", "unknown", "no ", "depend", "answer", "toss", "enough", "more ", "additional", "further", "need"),
    *("may or", "might or", "impossible", "hard ", "difficult", "tough", "tricky", "too ", "never", "neither"),
)
_IN_MODALS = (
    *("maybe", "perhaps", "possib", "potential", "conceiv", "presum", "could", "might", "may", "can be", "either"),
    *("suppose", "alleged", "or", "hard", "difficult", "tricky", "tough"),
)
_IN_SUPPOSITIONS = (
    *("please", "let me", "let's", "whether", "unless", "assuming", "provided", "otherwise", "suppose", "depending"),
    *("if", "option", "choice", "possible answer"),
)


def withdraws(text: str) -> bool:
    """Whether a text takes any answer back: a refusal, a request for the image, a doubt about the question itself.

    >>> withdraws("yes, but i'm not sure."), withdraws("yes, but i can't tell the breed.")
    (True, False)
    """
    if any(part in text for part in _IN_REFUSALS) and _REFUSES.search(text):
        return True
    if any(part in text for part in _IN_DOUBTS) and _DOUBTS.search(text):
        return True
    return ("i " in text or "i'" in text) and _META.search(text) is not None


def is_unable(text: str) -> bool:
    """Whether a text begins with what its writer is not able to do."""
    return _UNABLE.search(text) is not None


def is_hedged(clause: str) -> bool:
    """Whether a clause only says what may be."""
    return any(part in clause for part in _IN_MODALS) and _MODAL.search(clause) is not None


def is_idle(sentence: str) -> bool:
    """Whether a sentence asks, demands or supposes something, instead of stating it."""
    if "?" in sentence and sentence.rstrip("\"')* ").endswith("?"):
        return True
    return _DEMANDS.match(sentence) is not None or (
        any(part in sentence for part in _IN_SUPPOSITIONS) and _SUPPOSES.search(sentence) is not None
    )
