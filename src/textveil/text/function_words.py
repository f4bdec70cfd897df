"""English function words: a closed list that anybody may know, of words that carry grammar rather than content."""

from __future__ import annotations

from typing import Final

FUNCTION_WORDS: Final = frozenset(
    """
    a an the this that these those each every either neither both all any some no none such another other others
    several few fewer many more most much less least enough half own same

    i me my mine myself we us our ours ourselves you your yours yourself yourselves he him his himself she her hers
    herself it its itself they them their theirs themselves one oneself who whom whose whoever which whichever what
    whatever someone somebody something anyone anybody anything everyone everybody everything nobody nothing

    aboard about above across after against along alongside amid among amongst around as at before behind below
    beneath beside besides between beyond but by concerning despite down during except for from in inside into like
    near of off on onto opposite out outside over past per plus regarding since than through throughout till to
    toward towards under underneath unlike until unto up upon versus via with within without

    and or nor so yet although though because if unless while whilst whereas whether lest once provided when whenever
    where wherever whereby wherein why how however

    am is are was were be been being do does did doing done have has had having can cannot could may might must ought
    shall should will would used

    not never ever also too very just only even still already again almost always anyway anywhere apart away back
    else elsewhere everywhere far forth further furthermore hence here indeed instead later maybe meanwhile moreover
    nearly nevertheless nonetheless now nowhere often otherwise perhaps quite rather really seldom somehow
    sometimes somewhat somewhere soon then thence there thereafter thereby therefore thus together usually well yes

    aren't can't couldn't didn't doesn't don't hadn't hasn't haven't isn't mustn't shouldn't wasn't weren't won't
    wouldn't i'm i've i'll i'd you're you've you'll you'd he's he'll he'd she's she'll she'd it's it'll we're we've
    we'll we'd they're they've they'll they'd that's there's here's what's who's where's how's let's
    """.split()  # noqa: SIM905 - a list of its words would take a line each
)
"""Determiners, pronouns, prepositions, conjunctions, auxiliary verbs, particles and the adverbs that join sentences, in
lower case. Written for textveil; no text was counted for it."""

NAMES_TOO: Final = frozenset(["an", "can", "do", "even", "may", "more", "per", "so", "than", "will"])
"""Those that are names of people as well: with a capital they are no function words."""


def function_word(surface: str) -> str | None:
    """The word of the list that a token is, in lower case; None where it is none.

    It is one where it is written in lower case, or with its first letter alone a capital ("The", not "US" or "WHO"),
    unless it can be a name then ("Will"). Anything else about it, a mark that cannot be seen, say, makes it none.

    Args:
        surface: of a token.
    """
    plain = surface.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")
    lower = plain.lower()
    if lower not in FUNCTION_WORDS:
        return None
    if plain == lower:
        return lower
    capital = plain == lower[:1].upper() + lower[1:]
    return lower if capital and lower not in NAMES_TOO else None
