"""Doubts, refusals and requests: what in a text is no answer, and what the doubt is about.

A doubt about the question itself takes the answer back. A doubt about something else ("though I can't tell the exact
shade") leaves it. What a sentence only supposes, asks or demands is not evidence for anything.
"""

from __future__ import annotations

import re
from functools import lru_cache

from falter.evaluation.answers.lexicon import SENTENCE_END

__all__ = ["is_hedged", "is_idle", "is_unable", "withdraws", "without_courtesies"]


def _one_of(words: str, *phrases: str) -> str:
    """A pattern for any of some words (in one string) and phrases."""
    return f"(?:{'|'.join((*words.split(), *phrases))})"


_CANNOT = _one_of(
    "can't cannot cant couldn't won't",
    *("can not", "could not", "will not", "(?:is |am |are )?unable to", "not able to", "not possible to", "no way to"),
    *("won't be able to", "wouldn't be able to", "would not be able to"),
)
_DO_NOT = _one_of("don't dont didn't wouldn't", "do not", "did not", "would not", "never", "neither")
_TOO_HARD = _one_of("", "impossible to", "hard to", "difficult to", "tough to", "tricky to", "not easy to")
_KNOW = _one_of(
    "know tell say determine decide confirm judge conclude ascertain verify discern choose select answer",
    "be (?:sure|certain)",
)

_END = r"(?=\s*(?:$|[.,;:!?\n…—–)]|(?:but|and|so|because|since|though|although|as|or|due|given)\b))"
"""Where a clause ends: nothing is said of what the doubt is about."""

_ITSELF = _one_of(
    "if whether that this it so either between definitively conclusively from based without with given yes no "
    "questions",
    *("for (?:sure|certain)", "with certainty", "at all", "about (?:it|that|this)", "the (?:correct |right )?answer"),
    *("(?:the|your|this|that|these) (?:[a-z]+ )?questions?", "(?:this|these) (?:kind|type)s?"),
    "which(?= (?:one|it|of)|$|[.,])",
)
_ABOUT_IT = rf"(?:{_END}|\s+{_ITSELF}\b)"
"""What a doubt is about when it is about the question: nothing else, or "if", "whether", "that", "the answer"."""

_THAT_IS = _one_of("it's that's remains still", "(?:it|that|this|which) is", "answer (?:is|remains)")
_SURE = _one_of("sure certain confident clear possible known obvious")
_UNSURE = _one_of("unsure uncertain undecided ambiguous inconclusive indeterminate undetermined unanswerable")
_DOUBTS = re.compile(
    "|".join(
        (
            rf"\b(?:{_CANNOT}|{_DO_NOT}) (?:[a-z]+ly |really |even |quite |yet )?{_KNOW}{_ABOUT_IT}",
            # "It is hard to tell" is about the question, "the shade is hard to tell" is not.
            rf"(?:^|[,.;\n] ?|\b(?:it|it's|it is|that's|that is|be|very|too|really|quite|rather"
            rf"|bit) ){_TOO_HARD} {_KNOW}{_ABOUT_IT}",
            rf"\b(?:not|[a-z]+n't) (?:[a-z0-9%]+ )?{_SURE}(?: enough)?{_ABOUT_IT}",
            rf"\b{_UNSURE}{_ABOUT_IT}",
            rf"(?:^|\b{_THAT_IS} )(?:[a-z]+ly |still )?(?:unclear|unknown|uncertain){_ABOUT_IT}",
            rf"^(?:unclear|unknown|not sure|not certain|can't tell|cannot tell|can't say){_END}",
            r"\bno (?:idea|clue)\b(?! wh(?:y|o|en|ere))|\bno way (?:to|of) (?:know|tell|say)",
            r"\bdepend(?:s|ing)\b|\bit varies\b|\btoss-?up\b|\bneither way\b|\bm(?:ay|ight) or m(?:ay|ight) not\b",
            r"\banswer (?:could|might|may|can|cannot|can't|isn't|is not(?! [(\"']?[a-z]\b)|varies|would depend)\b",
            r"\b(?:cannot|can't|can not|could not|couldn't) be (?:[a-z]+ly )?(?:determined|answered|identified"
            r"|known|said|inferred|established|confirmed)\b",
            r"\b(?:enough|insufficient|not sufficient|no|(?:without|needs?|requires?|provide|give|have|want)(?: \w+)?"
            r" (?:more|additional|further|any)) (?:[a-z]+ )?(?:information|context|details?|evidence(?! of))\b"
            r"|\b(?:more|additional|further) (?:[a-z]+ )?(?:information|context|details?|evidence)"
            r"(?= (?:is|are|would|needed|required|to)\b|[.!]*$)",
            r"\btoo (?:\w+ ){1,2}to (?:tell|say|know|judge|determine|see)" + _END,
            r"\b(?:speculati(?:on|ve|ng)|(?<!best )guess(?:work|ing)?\b(?= (?:is|would|to)|$))|\bas good as mine\b"
            r"|\byou tell me\b",
            r"\b(?:i|we)(?:'d| would| will)? (?:need|have) (?:to see|to look|more)\b|\bi give up\b",
        )
    )
)

_IMAGE = r"(?:images?|pictures?|photos?|photographs?|attachments?|files?)\b"
_ASKED_FOR = _one_of(
    "upload provide attach share send resend clarify specify rephrase describe supply post paste give tell"
)
_REFUSES = re.compile(
    "|".join(
        (
            r"\bsorry\b|\bi apologi[sz]e\b|\bapologies\b|\bas an? (?:[a-z]+[- ]){0,3}(?:ai|model|assistant)\b",
            r"\b(?:i'm|i am) (?:just |only )?an? (?:[a-z]+ ){0,3}(?:model|assistant|ai)\b",
            rf"\b(?:{_CANNOT}|{_DO_NOT}|decline to|rather not|refuse to|not going to|not allowed to"
            rf"|not permitted to|not something i can) "
            r"(?:[a-z]+ly )?(?:answer|help|assist|comply|provide|process|respond|comment|do that|engage"
            r"|fulfil\w*|discuss"
            r"|feel comfortable|say\b(?! (?:so|that|how|what|who|where|when|why|exactly)))",
            rf"\b(?:{_CANNOT}|{_DO_NOT}) (?:[a-z]+ )?(?:see|view|access|open|load|receive|find|process|display"
            rf"|analy[sz]e|interpret"
            rf"|have(?: access to| the ability to view)?) (?:(?:to|the|this|that|any|your|an|real"
            rf"|you) )*(?:[a-z]+ )?{_IMAGE}(?! of| with| in\b| on| frame)",
            rf"\b{_CANNOT} (?:[a-z]+ )?(?:identify|recogni[sz]e|name) (?:(?:the|this|any|real|that|specific) )*"
            r"(?:people|persons?|individuals?|man|woman|animal|celebrit\w+)\b",
            r"\bno image\b|\bno (?:picture|photo|question|caption|attachment|file|response)s? "
            r"(?:was|were|is|are|has|have|in|found|available|provided|attached|given|here|uploaded|to|from)\b",
            rf"\b{_IMAGE} (?:failed|did not|didn't|could not|couldn't|cannot|can't|is missing|was not"
            rf"|wasn't) (?:to )?(?:load|come|open|be|attach|upload|appear|display|provided|included)",
            r"\b(?:did not|didn't|haven't|have not|forgot to) (?:[a-z]+ )?(?:provided?|attach\w*|upload\w*"
            r"|share\w*|include\w*|sen[dt])\b",
            r"\b(?:happy|glad|pleased|ready|here|love|like) to (?:help|assist|answer|see)\b|\b(?:can|could|will"
            r"|would|may) (?:certainly |gladly )?(?:help|assist)\b",
            r"\bi(?:'m| am) (?:ready|here)\b|\bmy guidelines\b|\b(?:usage|content) polic\w+|\bviolate\b"
            r"|\bability to\b|\bfeel free\b|\bgo ahead\b",
            r"\bthank(?:s| you)\b|\b(?:good|great|interesting) question\b|\bhow (?:can|may) i\b"
            r"|\bwould you like\b|\bwhat would you\b|\btry again\b|\byou mean\b",
            rf"\b(?:please|could you|can you|kindly|would you)\b[^.!?\n]{{0,80}}\b{_ASKED_FOR}\b",
            rf"\b(?:upload|attach|resend|share|send) (?:it|(?:(?:the|your|an?|that|this) )?{_IMAGE})",
            r"\blet(?: me|'s| us)\b[^.!?\n]*[.!?…]*$",
        )
    )
)
_TALKS = re.compile(
    r"\bi(?:'d|'ll|'m|'ve| am| will| would| can| could| have| must)? (?:also |certainly |gladly )?"
    r"(?:understand|be (?:happy|glad)|ready|help|assist|answer (?:questions|that|this|it|your|you|any|all)"
    r"|do that|take a look"
    r"|look into|check|analy[sz]ed?|need|want|won't|to decline|decline|describe|explain|discuss|try)\b"
)
"""First person about the conversation, not about what is seen."""

_YES_I = re.compile(
    r"^(?:yes|yeah|yep|no|nope|sure|absolutely|certainly|of course|definitely|right|correct|okay"
    r"|ok)\b[\s,.!:;–—-]+(?:i|we)\b"
    r"(?!(?:'[a-z]+)?(?: \S+){0,3}? (?:see|saw|notice|observe|spot|think|believe|count|find|found|sure|certain"
    r"|confident"
    r"|confirm|say|tell|know|afraid"
    r"|checked|looked|examined|searched|scanned|inspected|recogni[sz]e|(?:dis)?agree|detect|identify|make out)\b)"
)
"""A yes or no before a first person who neither sees nor thinks anything answers somebody, not the question."""

_UNABLE = re.compile(
    rf"^(?:\w+, )?(?:i|i'm|we|one|you|it is|it's) (?:\w+ )?(?:{_CANNOT}|(?:don't|do not) (?:know|see)|impossible"
    rf"|hard|difficult)\b"
    r"|^(?:can't|cannot|unable to)\b|^nothing can be\b"
    r"|^(?:the|its|his|her|their) [\w ]{1,30} (?:is|are) (?:not|n't) (?:\w+ )?(?:visible|shown|specified"
    r"|mentioned|legible"
    r"|available|discernible|clear|given|provided|identifiable|readable)\b"
    r"|\b(?:image|picture|photo|photograph|text|scene) (?:does not|doesn't|did not|didn't) (?:show|say|provide"
    r"|tell|mention"
    r"|contain|include|reveal|specify|indicate)\b"
)
_MODAL = re.compile(
    r"\b(?:maybe|perhaps|equally|possibly|potentially|conceivably|presumably|could|might|may|either|possible"
    r"|possibility"
    r"|(?<!no )chance"
    r"|can be(?! seen| found| observed| read| made out)|supposedly|allegedly|or|some (?:would|might|people)"
    r"|(?:hard|difficult|impossible|tricky|tough) to)\b"
)
_DEMANDS = re.compile(
    r"(?:please|kindly|let me|let's|let us|respond|reply|answer (?:with|the|only|in|using|by|yes|this)"
    r"|(?:choose|select|pick)(?! [(]?[a-z]?[)]?[.!]*$)"
    r"|write|just (?:say|answer|write)|tell me|okay,? let|sure,? let|here is|here's|you (?:should|must|can"
    r"|may) (?:answer|say)"
    r"|do |does |is |are |can |could |would |will |did |was |were |what |which |who |where |how |why (?!yes|no))"
)
_SUPPOSES = re.compile(
    r"\b(?:please|let me|let's|whether|unless|assuming|provided that|otherwise|suppose|depending)\b"
    r"|(?<!as )\bif\b(?! we (?:use|consider|look|compare)\b)"
    r"|\b(?:options|choices|possible answers) (?:are|were|include)\b|\boptions?:|\bto answer (?:with )?yes or no\b"
    r"|\byes or no (?:answer|question)"
)

_IN_COURTESIES = (
    *("let me know", "feel free", "hesitate", "just ask", "hope", "thank", "welcome", "good", "great"),
    "excellent",
    *("interesting", "nice", "lovely", "beautiful", "sure thing", "have a"),
    *(
        "anything else",
        "you like",
        "you want",
        "if you",
        "happy to",
        "glad to",
        "pleased to",
        "apolog",
        "sorry",
        "afraid",
    ),
)

# Most texts hold none of these, and looking for them is faster than matching.
_IN_REFUSALS = (
    *("let me", "let us", "let's", "sorry", "thank", "good question", "great question", "interesting question"),
    *("apolog", " ai", "model", "assistant", "n't", "not", "cant", "unable", "decline", "refuse", "rather", "never"),
    *(
        "neither",
        "no image",
        "no picture",
        "no photo",
        "no question",
        "no caption",
        "no attach",
        "no file",
        "no response",
    ),
    *(
        "no way",
        "fail",
        "missing",
        "forgot",
        "happy to",
        "glad to",
        "pleased to",
        "ready",
        "here",
        "love to",
        "like to",
    ),
    *(
        "ability to",
        "help",
        "assist",
        "guideline",
        "polic",
        "violate",
        "you mean",
        "you like",
        "would you",
        "could you",
    ),
    *("can you", "please", "kindly", "try again", "upload", "attach", "send", "share", "feel free", "go ahead"),
    *("how can i", "how may i"),
)
_IN_DOUBTS = (
    *("n't", "not", "cant", "dont", "unable", "unsure", "uncertain", "undec", "ambig", "inconcl", "determin", "unans"),
    *("unclear", "unknown", "no ", "depend", "answer", "toss", "enough", "insuff", "more ", "additional", "further"),
    *("need", "may or", "might or", "impossible", "hard ", "difficult", "tough", "tricky", "too ", "never", "neither"),
    *("varies", "speculat", "you tell", "guess", "as good as", "have to", "give up"),
)
_IN_MODALS = (
    *(
        "maybe",
        "perhaps",
        "equally",
        "possib",
        "potential",
        "conceiv",
        "presum",
        "could",
        "might",
        "may",
        "can be",
        "either",
    ),
    *("suppose", "alleged", "or", "some", "chance", "hard", "difficult", "tricky", "tough"),
)
_IN_SUPPOSITIONS = (
    *("please", "let me", "let's", "whether", "unless", "assuming", "provided", "otherwise", "suppose", "depending"),
    *("if", "option", "choice", "possible answer", "yes or no"),
)


_COURTESY = re.compile(
    r"(?:(?:what an? |that's an? )?(?:good|great|excellent|interesting|nice|lovely|fun|tricky"
    r"|beautiful)\b[^.!?\n]{0,30}"
    r"\b(?:question|photo|picture|image|shot|scene|observation|eye|catch|point|one)s?"
    r"|(?:hi|hello|hey|greetings)(?: there)?(?:,? and thank(?:s| you)\b[^.!?\n]*)?|sure thing"
    r"|(?:many )?thank(?:s| you)(?: (?:so|very) much)?(?: (?:for|again)\b[^.!?\n]*)?|you're (?:very )?welcome"
    r"|(?:please )?(?:let me know|(?:feel free|don't hesitate) to [a-z]+(?: me)?|just ask) (?:if|whether)\b[^.!?\n]*"
    r"|(?:please )?(?:feel free|don't hesitate)\b[^.!?\n]* (?:else|more|further|other|another|again)\b[^.!?\n]*"
    r"|i hope (?:this|that|it)\b[^.!?\n]*|hope (?:this|that|it) [^.!?\n]*|have an? [a-z]+ (?:day|one|time|weekend)"
    r"|(?:is there )?anything else\b[^.!?\n]*|(?:would|do) you (?:like|want) (?:me to|more|any|to know|further|an?)\b"
    r"[^.!?\n]*"
    r"|if you(?: need| have| want|'d like| would like)\b[^.!?\n]*"
    r"|i (?:can|could) (?:also )?(?:describe|explain|tell|provide|give)\b[^.!?\n]* if you(?:'d| would)? (?:like|want)"
    r"|(?:i(?:'m| am|'d be| would be) )?(?:always |very |so )?(?:happy|glad|pleased) to"
    r" (?:help|assist|answer (?:any|more|further|other))\b[^.!?\n]*"
    r"|(?:my |i )?apolog(?:ies|i[sz]e) for (?:the|any|my) (?:earlier |previous )?"
    r"(?:confusion|mistake|error|answer|reply)[^.!?\n]*)"
    r"[.!?\s\"')]*"
)
_GREETINGS = ("hi", "hey", "hello", "greetings")
_WANTS = re.compile(
    r"\b(?:(?:upload|attach|provide|send)(?! (?:me )?(?:another|more))|which|clarify|specify)\b"
    r"|\byour (?:image|question)|\bresend\b"
)
_OFFER = re.compile(
    r"(?:[;,–—]| -)\s*(?:and )?(?:(?:please )?(?:let me know if|feel free to ask)|thank(?:s| you) for)\b[^.!?\n]*[.!]*$"
)
_ASIDE = re.compile(
    r"(?:^|(?<=[,.!] ))(?:(?:i'm|i am) )?(?:(?:very |so |really )?sorry"
    r"|afraid)\b(?: to say)?,?(?: but)?,? (?=(?:no|yes|nope)\b"
    r"|(?:that )?the answer is\b|(?:i think |i believe )?(?:it|this|that)(?:'s| is) an?\b)"
    r"|(?<=^no), (?:(?:i'm|i am) )?(?:very |so )?sorry\b(?=, there\b)"
)


def without_courtesies(text: str) -> str:
    """A text without the sentences that are only polite: ``great question!``, ``let me know if you need more``.

    A sentence that wants something for an answer, such as the image, stays.
    """
    if not text.startswith(_GREETINGS) and not any(part in text for part in _IN_COURTESIES):
        return text
    text = _OFFER.sub("", text)
    if "sorry" in text or "afraid" in text:
        text = _ASIDE.sub("", text)
    kept, start = [], 0
    for end in (*(match.end() for match in SENTENCE_END.finditer(text)), len(text)):
        sentence = text[start:end]
        if not _COURTESY.fullmatch(sentence) or _WANTS.search(sentence):
            kept.append(sentence)
        start = end
    return "".join(kept).strip() or text


@lru_cache(maxsize=1 << 10)
def withdraws(text: str) -> bool:
    """Whether a text takes any answer back: a refusal, a request for the image, a doubt about the question itself.

    >>> withdraws("yes, but i'm not sure."), withdraws("yes, but i can't tell the breed.")
    (True, False)
    """
    if any(part in text for part in _IN_REFUSALS) and _REFUSES.search(text):
        return True
    if any(part in text for part in _IN_DOUBTS) and _DOUBTS.search(text):
        return True
    first_person = "i " in text or "i'" in text or "we " in text
    return first_person and (_TALKS.search(text) is not None or _YES_I.match(text) is not None)


def is_unable(text: str) -> bool:
    """Whether a text begins with what its writer is not able to do, or says that something is not to be seen."""
    return _UNABLE.search(text) is not None


@lru_cache(maxsize=1 << 10)
def is_hedged(clause: str) -> bool:
    """Whether a clause only says what may be."""
    return any(part in clause for part in _IN_MODALS) and _MODAL.search(clause) is not None


@lru_cache(maxsize=1 << 10)
def is_idle(sentence: str) -> bool:
    """Whether a sentence asks, demands or supposes something, instead of stating it."""
    if "?" in sentence and sentence.rstrip("\"')* ").endswith("?"):
        return True
    return _DEMANDS.match(sentence) is not None or (
        any(part in sentence for part in _IN_SUPPOSITIONS) and _SUPPOSES.search(sentence) is not None
    )
