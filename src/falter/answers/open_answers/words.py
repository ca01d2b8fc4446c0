"""The words by which the careful rule knows what says nothing of its own in a reply."""

from __future__ import annotations

from falter.answers.open_answers.phrases import DETERMINERS

__all__ = [
    "ADVERBS",
    "AMOUNTS",
    "ANYBODY",
    "AUXILIARIES",
    "COLOR_QUALITIES",
    "DEPICTIONS",
    "FUNCTION_WORDS",
    "GENERIC",
    "IRREGULAR",
    "LINKS",
    "NEGATIONS",
    "PEOPLE",
    "PLACE_WORDS",
    "PORTIONS",
    "POSES",
    "POSITIONS",
    "POSITION_FILLERS",
    "POSTURES",
    "RELATIONS",
    "WRITTEN",
]


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


AUXILIARIES = _set(
    "is are was were am be been being has have had does do did can could will would shall should may might"
)
FUNCTION_WORDS = (
    DETERMINERS
    | AUXILIARIES
    | _set(
        "it it's there there's he she he's she's they they're i i'm we we're you that's these those who of in on at"
        " to by with for from into onto photo picture image photograph scene see seen shown visible one's what which"
        " both"
    )
)
POSES = _set(
    "sitting standing lying laying resting located placed positioned situated parked hanging"
    " sits stands lies rests hangs"
)
LINKS = POSES | _set(
    "found contains contain contained includes include shows show displays depicts holds says say reads read"
    " called named appears appear looks look known as made makes playing plays play game match written wrote worn held"
    " taken got carrying carries"
    " very quite really clearly currently actually just only now simply definitely specifically also here outside too"
    " object thing item answer word number label letter text main total"
)
"""Words of a sentence around its answer that say no more than that it is there, or is the answer."""

ANYBODY = _set("person persons people individual individuals")
PEOPLE = ANYBODY | _set("man woman guy lady boy girl kid child he she")
POSITIONS = _set("left right top bottom middle center front back background foreground")
POSITION_FILLERS = _set("side hand part half portion section area to on in at of")
GENERIC = _set(
    "name color kind type brand number material shape size title sort pattern style make model person people"
)
"""Nouns by which a question says what it asks for."""

PLACE_WORDS = _set("in on under behind next beside above below near between over front inside")
POSTURES = _set("sitting standing lying laying")
NEGATIONS = _set("no not none never neither nor isn't aren't doesn't don't without nothing wasn't can't cannot won't")
AMOUNTS = _set("some several many few various multiple other 1 2 3 4 5 6 7 8 9 10 single lot")
PORTIONS = _set(
    "piece pieces slice slices glass glasses cup cups bowl bowls bottle bottles can cans mug plate bit bunch"
    " group groups pair pairs lot lots herd flock couple row pile stack crowd kind type bag basket cluster"
    " ball roll sheet loaf jar pack packet carton pot bar spoonful spoon"
)
"""In "a glass of wine", wine is what is drunk."""

COLOR_QUALITIES = _set("solid plain clear pure bright vivid all entirely completely painted")
"""Words that leave a color the same; "light" and "dark" make another of it."""

RELATIONS = _set(
    "with in on at that which who whose near by behind under above over inside outside for from of"
    " next beside between around along down up through across into onto towards toward against off"
)
"""Words that begin what is said of a thing besides its name: "a man in a coat"."""

ADVERBS = _set("here there outside inside outdoors indoors now today day weather up down together too game match")
WRITTEN = _set("word words letter letters number numbers text name")
"""What may stand right before that which is written."""

DEPICTIONS = _set(
    "picture photo photograph image painting drawing poster statue billboard mural sculpture cartoon logo"
)

IRREGULAR = {
    past: verb
    for verb, forms in (
        *(("wear", "wore worn"), ("hold", "held"), ("eat", "ate eaten"), ("take", "took taken"), ("buy", "bought")),
        *(
            ("sell", "sold"),
            ("drink", "drank drunk"),
            ("drive", "drove driven"),
            ("ride", "rode ridden"),
            ("run", "ran"),
        ),
        *(
            ("write", "wrote written"),
            ("see", "saw seen"),
            ("catch", "caught"),
            ("throw", "threw thrown"),
            ("win", "won"),
        ),
        *(("bring", "brought"), ("make", "made"), ("get", "got"), ("give", "gave given"), ("go", "went gone")),
        *(("stand", "stood"), ("sit", "sat"), ("fly", "flew flown"), ("draw", "drew drawn"), ("build", "built")),
        *(("keep", "kept"), ("leave", "left"), ("lose", "lost"), ("pay", "paid"), ("spend", "spent"), ("hang", "hung")),
    )
    for past in forms.split()
}
"""The pasts of verbs that a question and a reply may use in two tenses."""
