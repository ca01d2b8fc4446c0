"""Doubts, refusals and requests: what in a text is no answer, and what the doubt is about.

A doubt about the question itself takes the answer back. A doubt about something else ("though I can't tell the exact
shade") leaves it. What a sentence only supposes, asks or demands is not evidence for anything.

Each table below has an entry per turn of phrase: a text that it finds, and its pattern.
"""

from __future__ import annotations

import re
from functools import lru_cache

from falter.evaluation.answers.lexicon import HINTS, SENTENCE_END, Phrase, compile_rules


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
_DOUBT_RULES = (
    Phrase(
        "i can't really tell", rf"\b(?:{_CANNOT}|{_DO_NOT}) (?:[a-z]+ly |really |even |quite |yet )?{_KNOW}{_ABOUT_IT}"
    ),
    # "It is hard to tell" is about the question, "the shade is hard to tell" is not.
    Phrase(
        "it is hard to tell",
        rf"(?:^|[,.;\n] ?|\b(?:it|it's|it is|that's|that is|be|very|too|really|quite|rather|bit) )"
        rf"{_TOO_HARD} {_KNOW}{_ABOUT_IT}",
    ),
    Phrase("i'm not 100% sure", rf"\b(?:not|[a-z]+n't) (?:[a-z0-9%]+ )?{_SURE}(?: enough)?{_ABOUT_IT}"),
    Phrase("i am undecided", rf"\b{_UNSURE}{_ABOUT_IT}"),
    Phrase("it is still unclear", rf"(?:^|\b{_THAT_IS} )(?:[a-z]+ly |still )?(?:unclear|unknown|uncertain){_ABOUT_IT}"),
    Phrase(
        "can't say, it is dark", rf"^(?:unclear|unknown|not sure|not certain|can't tell|cannot tell|can't say){_END}"
    ),
    Phrase("i have no idea", r"\bno (?:idea|clue)\b(?! wh(?:y|o|en|ere))"),
    Phrase("there is no way of knowing", r"\bno way (?:to|of) (?:know|tell|say)"),
    Phrase("it depends on the light", r"\bdepend(?:s|ing)\b"),
    Phrase("it varies", r"\bit varies\b"),
    Phrase("it's a toss-up", r"\btoss-?up\b"),
    Phrase("i lean neither way", r"\bneither way\b"),
    Phrase("it may or may not", r"\bm(?:ay|ight) or m(?:ay|ight) not\b"),
    Phrase(
        "the answer could be either",
        r"\banswer (?:could|might|may|can|cannot|can't|isn't|is not(?! [(\"']?[a-z]\b)|varies|would depend)\b",
    ),
    Phrase(
        "that cannot be reliably determined",
        r"\b(?:cannot|can't|can not|could not|couldn't) be (?:[a-z]+ly )?(?:determined|answered|identified"
        r"|known|said|inferred|established|confirmed)\b",
    ),
    Phrase(
        "there is not enough visual information",
        r"\b(?:enough|insufficient|not sufficient|no|(?:without|needs?|requires?|provide|give|have|want)(?: \w+)?"
        r" (?:more|additional|further|any)) (?:[a-z]+ )?(?:information|context|details?|evidence(?! of))\b",
    ),
    Phrase(
        "more context is needed",
        r"\b(?:more|additional|further) (?:[a-z]+ )?(?:information|context|details?|evidence)"
        r"(?= (?:is|are|would|needed|required|to)\b|[.!]*$)",
    ),
    Phrase("it is too dark to tell", r"\btoo (?:\w+ ){1,2}to (?:tell|say|know|judge|determine|see)" + _END),
    Phrase(
        "this is speculation; any guess would do",
        r"\b(?:speculati(?:on|ve|ng)|(?<!best )guess(?:work|ing)?\b(?= (?:is|would|to)|$))",
    ),
    Phrase("your guess is as good as mine", r"\bas good as mine\b"),
    Phrase("you tell me", r"\byou tell me\b"),
    Phrase("i would need to see it", r"\b(?:i|we)(?:'d| would| will)? (?:need|have) (?:to see|to look|more)\b"),
    Phrase("i give up", r"\bi give up\b"),
)
"""Doubts about the question itself."""

_IMAGE = r"(?:images?|pictures?|photos?|photographs?|attachments?|files?)\b"
_ASKED_FOR = _one_of(
    "upload provide attach share send resend clarify specify rephrase describe supply post paste give tell"
)
_REFUSAL_RULES = (
    Phrase("sorry, that is beyond me", r"\bsorry\b"),
    Phrase("i apologize", r"\bi apologi[sz]e\b"),
    Phrase("my apologies", r"\bapologies\b"),
    Phrase("as an ai language model", r"\bas an? (?:[a-z]+[- ]){0,3}(?:ai|model|assistant)\b"),
    Phrase("i'm just a language model", r"\b(?:i'm|i am) (?:just |only )?an? (?:[a-z]+ ){0,3}(?:model|assistant|ai)\b"),
    Phrase(
        "i'd rather not say",
        rf"\b(?:{_CANNOT}|{_DO_NOT}|decline to|rather not|refuse to|not going to|not allowed to"
        rf"|not permitted to|not something i can) "
        r"(?:[a-z]+ly )?(?:answer|help|assist|comply|provide|process|respond|comment|do that|engage"
        r"|fulfil\w*|discuss"
        r"|feel comfortable|say\b(?! (?:so|that|how|what|who|where|when|why|exactly)))",
    ),
    Phrase(
        "i cannot see the image",
        rf"\b(?:{_CANNOT}|{_DO_NOT}) (?:[a-z]+ )?(?:see|view|access|open|load|receive|find|process|display"
        rf"|analy[sz]e|interpret"
        rf"|have(?: access to| the ability to view)?) (?:(?:to|the|this|that|any|your|an|real"
        rf"|you) )*(?:[a-z]+ )?{_IMAGE}(?! of| with| in\b| on| frame)",
    ),
    Phrase(
        "i can't identify real people",
        rf"\b{_CANNOT} (?:[a-z]+ )?(?:identify|recogni[sz]e|name) (?:(?:the|this|any|real|that|specific) )*"
        r"(?:people|persons?|individuals?|man|woman|animal|celebrit\w+)\b",
    ),
    Phrase("there is no image", r"\bno image\b"),
    Phrase(
        "no photo was attached",
        r"\bno (?:picture|photo|question|caption|attachment|file|response)s? "
        r"(?:was|were|is|are|has|have|in|found|available|provided|attached|given|here|uploaded|to|from)\b",
    ),
    Phrase(
        "the image failed to load",
        rf"\b{_IMAGE} (?:failed|did not|didn't|could not|couldn't|cannot|can't|is missing|was not"
        rf"|wasn't) (?:to )?(?:load|come|open|be|attach|upload|appear|display|provided|included)",
    ),
    Phrase(
        "you forgot to attach it",
        r"\b(?:did not|didn't|haven't|have not|forgot to) (?:[a-z]+ )?(?:provided?|attach\w*|upload\w*"
        r"|share\w*|include\w*|sen[dt])\b",
    ),
    Phrase(
        "i am happy to help",
        r"\b(?:happy|glad|pleased|ready|here|love|like) to (?:help|assist|answer|see)\b",
    ),
    Phrase("i can certainly help", r"\b(?:can|could|will|would|may) (?:certainly |gladly )?(?:help|assist)\b"),
    Phrase("i'm ready", r"\bi(?:'m| am) (?:ready|here)\b"),
    Phrase("it is against my guidelines", r"\bmy guidelines\b"),
    Phrase("see the usage policy", r"\b(?:usage|content) polic\w+"),
    Phrase("that would violate a rule", r"\bviolate\b"),
    Phrase("i lack the ability to look", r"\bability to\b"),
    Phrase("feel free to ask", r"\bfeel free\b"),
    Phrase("go ahead", r"\bgo ahead\b"),
    Phrase("thank you", r"\bthank(?:s| you)\b"),
    Phrase("good question", r"\b(?:good|great|interesting) question\b"),
    Phrase("how can i help", r"\bhow (?:can|may) i\b"),
    Phrase("would you like more", r"\bwould you like\b|\bwhat would you\b"),
    Phrase("try again", r"\btry again\b"),
    Phrase("do you mean the left one", r"\byou mean\b"),
    Phrase(
        "could you please upload it",
        rf"\b(?:please|could you|can you|kindly|would you)\b[^.!?\n]{{0,80}}\b{_ASKED_FOR}\b",
    ),
    Phrase(
        "upload your photo", rf"\b(?:upload|attach|resend|share|send) (?:it|(?:(?:the|your|an?|that|this) )?{_IMAGE})"
    ),
    Phrase("let me take a look", r"\blet(?: me|'s| us)\b[^.!?\n]*[.!?…]*$"),
)
"""Refusals, talk about the conversation, and requests for the image."""

_TALK_RULES = (
    Phrase(
        "i would be happy",
        r"\bi(?:'d|'ll|'m|'ve| am| will| would| can| could| have| must)? (?:also |certainly |gladly )?"
        r"(?:understand|be (?:happy|glad)|ready|help|assist|answer (?:questions|that|this|it|your|you|any|all)"
        r"|do that|take a look"
        r"|look into|check|analy[sz]ed?|need|want|won't|to decline|decline|describe|explain|discuss|try)\b",
    ),
)
"""First person about the conversation, not about what is seen."""

_ACCEPTANCE_RULES = (
    Phrase(
        "sure, i can do so",
        r"^(?:yes|yeah|yep|no|nope|sure|absolutely|certainly|of course|definitely|right|correct|okay"
        r"|ok)\b[\s,.!:;–—-]+(?:i|we)\b"
        r"(?!(?:'[a-z]+)?(?: \S+){0,3}? (?:see|saw|notice|observe|spot|think|believe|count|find|found|sure|certain"
        r"|confident"
        r"|confirm|say|tell|know|afraid"
        r"|checked|looked|examined|searched|scanned|inspected|recogni[sz]e|(?:dis)?agree|detect|identify|make out)\b)",
    ),
)
"""A yes or no before a first person who neither sees nor thinks anything answers somebody, not the question."""

_UNABLE_RULES = (
    Phrase(
        "well, i cannot make it out",
        rf"^(?:\w+, )?(?:i|i'm|we|one|you|it is|it's) (?:\w+ )?(?:{_CANNOT}|(?:don't|do not) (?:know|see)|impossible"
        rf"|hard|difficult)\b",
    ),
    Phrase("unable to see it", r"^(?:can't|cannot|unable to)\b"),
    Phrase("nothing can be read", r"^nothing can be\b"),
    Phrase(
        "the name of the street is not visible",
        r"^(?:the|its|his|her|their) [\w ]{1,30} (?:is|are) (?:not|n't) (?:\w+ )?(?:visible|shown|specified"
        r"|mentioned|legible"
        r"|available|discernible|clear|given|provided|identifiable|readable)\b",
    ),
    Phrase(
        "the image does not show it",
        r"\b(?:image|picture|photo|photograph|text|scene) (?:does not|doesn't|did not|didn't) (?:show|say|provide"
        r"|tell|mention"
        r"|contain|include|reveal|specify|indicate)\b",
    ),
)
"""What its writer is not able to do, or what is not to be seen."""

_HEDGE_RULES = (
    Phrase(
        "perhaps a dog",
        r"maybe|perhaps|equally|possibly|potentially|conceivably|presumably|could|might|may|either|possible"
        r"|possibility",
    ),
    Phrase("there is a chance", r"(?<!no )chance"),
    Phrase("it can be a dog", r"can be(?! seen| found| observed| read| made out)"),
    Phrase("allegedly a dog", r"supposedly|allegedly"),
    Phrase("a dog or a cat", r"or"),
    Phrase("some would say so", r"some (?:would|might|people)"),
    Phrase("it is tricky to see", r"(?:hard|difficult|impossible|tricky|tough) to"),
)
"""What makes a clause one about what may be."""

_DEMAND_RULES = (
    Phrase("please look", r"please|kindly|let me|let's|let us|respond|reply"),
    Phrase("answer with one word", r"answer (?:with|the|only|in|using|by|yes|this)"),
    Phrase("choose the best option", r"(?:choose|select|pick)(?! [(]?[a-z]?[)]?[.!]*$)"),
    Phrase("just say yes", r"write|just (?:say|answer|write)|tell me"),
    Phrase("okay, let us see", r"okay,? let|sure,? let"),
    Phrase("here is the question", r"here is|here's"),
    Phrase("you should answer briefly", r"you (?:should|must|can|may) (?:answer|say)"),
    Phrase(
        "is there a dog",
        r"do |does |is |are |can |could |would |will |did |was |were |what |which |who |where |how |why (?!yes|no)",
    ),
)
"""How a sentence begins that asks or demands."""

_SUPPOSITION_RULES = (
    Phrase(
        "whether it is red",
        r"\b(?:please|let me|let's|whether|unless|assuming|provided that|otherwise|suppose|depending)\b",
    ),
    Phrase("if it is red", r"(?<!as )\bif\b(?! we (?:use|consider|look|compare)\b)"),
    Phrase("the options are red and blue", r"\b(?:options|choices|possible answers) (?:are|were|include)\b"),
    Phrase("options: red, blue", r"\boptions?:"),
    Phrase("to answer yes or no", r"\bto answer (?:with )?yes or no\b"),
    Phrase("a yes or no question", r"\byes or no (?:answer|question)"),
)
"""What makes a sentence one that supposes."""

_COURTESY_RULES = (
    Phrase(
        "what a great question",
        r"(?:what an? |that's an? )?(?:good|great|excellent|interesting|nice|lovely|fun|tricky"
        r"|beautiful)\b[^.!?\n]{0,30}"
        r"\b(?:question|photo|picture|image|shot|scene|observation|eye|catch|point|one)s?",
    ),
    Phrase("hi there", r"(?:hi|hello|hey|greetings)(?: there)?(?:,? and thank(?:s| you)\b[^.!?\n]*)?"),
    Phrase("sure thing", r"sure thing"),
    Phrase(
        "many thanks for the photo", r"(?:many )?thank(?:s| you)(?: (?:so|very) much)?(?: (?:for|again)\b[^.!?\n]*)?"
    ),
    Phrase("you're welcome", r"you're (?:very )?welcome"),
    Phrase(
        "let me know if you need more",
        r"(?:please )?(?:let me know|(?:feel free|don't hesitate) to [a-z]+(?: me)?|just ask) (?:if"
        r"|whether)\b[^.!?\n]*",
    ),
    Phrase(
        "feel free to ask more",
        r"(?:please )?(?:feel free|don't hesitate)\b[^.!?\n]* (?:else|more|further|other|another|again)\b[^.!?\n]*",
    ),
    Phrase("i hope this helps", r"i hope (?:this|that|it)\b[^.!?\n]*"),
    Phrase("hope that helps", r"hope (?:this|that|it) [^.!?\n]*"),
    Phrase("have a nice day", r"have an? [a-z]+ (?:day|one|time|weekend)"),
    Phrase("is there anything else", r"(?:is there )?anything else\b[^.!?\n]*"),
    Phrase(
        "would you like to know more",
        r"(?:would|do) you (?:like|want) (?:me to|more|any|to know|further|an?)\b[^.!?\n]*",
    ),
    Phrase("if you need more", r"if you(?: need| have| want|'d like| would like)\b[^.!?\n]*"),
    Phrase(
        "i can describe it if you like",
        r"i (?:can|could) (?:also )?(?:describe|explain|tell|provide|give)\b[^.!?\n]* if you"
        r"(?:'d| would)? (?:like|want)",
    ),
    Phrase(
        "i'm always happy to help",
        r"(?:i(?:'m| am|'d be| would be) )?(?:always |very |so )?(?:happy|glad|pleased) to"
        r" (?:help|assist|answer (?:any|more|further|other))\b[^.!?\n]*",
    ),
    Phrase(
        "i apologize for the earlier confusion",
        r"(?:my |i )?apolog(?:ies|i[sz]e) for (?:the|any|my) (?:earlier |previous )?"
        r"(?:confusion|mistake|error|answer|reply)[^.!?\n]*",
    ),
)
"""Sentences that are only polite, whole."""

RULES = {
    "doubt": _DOUBT_RULES,
    "refusal": _REFUSAL_RULES,
    "talk": _TALK_RULES,
    "acceptance": _ACCEPTANCE_RULES,
    "unable": _UNABLE_RULES,
    "hedge": _HEDGE_RULES,
    "demand": _DEMAND_RULES,
    "supposition": _SUPPOSITION_RULES,
    "courtesy": _COURTESY_RULES,
}
"""Every table of this module, by what its rules find."""

_DOUBTS = compile_rules(_DOUBT_RULES)
_REFUSES = compile_rules(_REFUSAL_RULES)
_TALKS = compile_rules(_TALK_RULES)
_YES_I = compile_rules(_ACCEPTANCE_RULES)
_UNABLE = compile_rules(_UNABLE_RULES)
_MODAL = compile_rules(_HEDGE_RULES, before=r"\b(?:", after=r")\b")
_DEMANDS = compile_rules(_DEMAND_RULES, before="(?:", after=")")
_SUPPOSES = compile_rules(_SUPPOSITION_RULES)
_COURTESY = compile_rules(_COURTESY_RULES, before="(?:", after=r")[.!?\s\"')]*")

_GREETINGS = ("hi", "hey", "hello", "greetings")
_WANTS = re.compile(
    r"\b(?:(?:upload|attach|provide|send)(?! (?:me )?(?:another|more))|which|clarify|specify)\b"
    r"|\byour (?:image|question)|\bresend\b"
)
"""``Thank you, please upload it``: a polite sentence that wants something stays."""
_OFFER = re.compile(
    r"(?:[;,–—]| -)\s*(?:and )?(?:(?:please )?(?:let me know if|feel free to ask)|thank(?:s| you) for)\b[^.!?\n]*[.!]*$"
)
"""``Yes; let me know if you need more``: the end of a sentence that is only polite."""
_ASIDE = re.compile(
    r"(?:^|(?<=[,.!] ))(?:(?:i'm|i am) )?(?:(?:very |so |really )?sorry"
    r"|afraid)\b(?: to say)?,?(?: but)?,? (?=(?:no|yes|nope)\b"
    r"|(?:that )?the answer is\b|(?:i think |i believe )?(?:it|this|that)(?:'s| is) an?\b)"
    r"|(?<=^no), (?:(?:i'm|i am) )?(?:very |so )?sorry\b(?=, there\b)"
)
"""``Sorry, but no``: an apology before an answer is none for having none."""


def without_courtesies(text: str) -> str:
    """A text without the sentences that are only polite: ``great question!``, ``let me know if you need more``.

    A sentence that wants something for an answer, such as the image, stays.
    """
    if not text.startswith(_GREETINGS) and not any(part in text for part in HINTS.courtesies):
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
    if any(part in text for part in HINTS.refusals) and _REFUSES.search(text):
        return True
    if any(part in text for part in HINTS.doubts) and _DOUBTS.search(text):
        return True
    first_person = "i " in text or "i'" in text or "we " in text
    return first_person and (_TALKS.search(text) is not None or _YES_I.match(text) is not None)


def is_unable(text: str) -> bool:
    """Whether a text begins with what its writer is not able to do, or says that something is not to be seen."""
    return _UNABLE.search(text) is not None


@lru_cache(maxsize=1 << 10)
def is_hedged(clause: str) -> bool:
    """Whether a clause only says what may be."""
    return any(part in clause for part in HINTS.hedges) and _MODAL.search(clause) is not None


@lru_cache(maxsize=1 << 10)
def is_idle(sentence: str) -> bool:
    """Whether a sentence asks, demands or supposes something, instead of stating it."""
    if "?" in sentence and sentence.rstrip("\"')* ").endswith("?"):
        return True
    return _DEMANDS.match(sentence) is not None or (
        any(part in sentence for part in HINTS.suppositions) and _SUPPOSES.search(sentence) is not None
    )
