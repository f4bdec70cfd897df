"""Which scope a text of others gets: by what the upstream knows alone."""

import asyncio
import random
import re
from collections.abc import Collection

import pytest

import textveil as tv
from textveil.budget.account import Account
from textveil.detection.mentions import CarriedPersons, carried_mentions
from textveil.sanitize.sanitizer import Sanitizer
from textveil.server import service as module
from textveil.server.budgets import UncountedLedger
from textveil.server.conversations import OWN, UNTRACED, ConversationState
from textveil.server.foreign import Call, Origin, Phrases, phrase, read_calls, scopes_of, with_carried, without
from textveil.server.kept_data import KeptPolicy
from textveil.server.policies import OfferedPolicies
from textveil.server.service import SanitizingService
from textveil.surrogates.scopes import ApartScope

NAME = "Maria Gonzalez"
SANITIZER = Sanitizer(tv.policy("prompts"))


def conversation(source: str = OWN) -> tuple[ConversationState, Call]:
    """One in which a name was released, and a call with its surrogate."""
    state = ConversationState()
    (release,) = SANITIZER.prepare([NAME], scopes=[state.scope("prompts")]).release()
    state.remember("prompts", state.digest("prompts", "text 1", NAME), release, source)
    assert release.private_map is not None
    return state, Call(f"a\n{release.text}", (release.private_map,))


def scope_of(state: ConversationState, origin: Origin, beside: Collection[str] = ()) -> tuple[ApartScope, str]:
    calls = read_calls({} if origin.call is None else {origin.message: origin.call}, state)
    for call in calls.values():
        call.beside = beside
    (scope,), (source,) = scopes_of([origin], state.scope("prompts"), calls)
    assert isinstance(scope, ApartScope)
    return scope, source


@pytest.mark.parametrize(
    ("beside", "echoed", "source"),
    [
        ((), True, OWN),
        (("date",), True, "message 2"),
        (("person",), False, UNTRACED),
        (("place", "date"), False, UNTRACED),
        (("organization",), False, UNTRACED),
    ],
)
def test_a_surrogate_is_repeated_where_nothing_beside_it_may_be_a_guess(
    beside: Collection[str], echoed: bool, source: str
) -> None:
    state, call = conversation()
    scope, told = scope_of(state, Origin("message 2", call), beside)
    surrogate = call.words.removeprefix("a\n")
    wanted = [surrogate, surrogate.upper(), surrogate.split()[1], None] if echoed else [None] * 4
    assert [scope.echo("person", one) for one in (NAME, NAME.upper(), "Gonzalez", "Maria Novak")] == wanted
    assert (scope.echo("place", NAME), scope.by_mention, told) == (None, not echoed, source)


def test_surrogates_of_what_may_be_guesses_are_repeated_alone() -> None:
    state, call = conversation(UNTRACED)
    assert scope_of(state, Origin("message 2", call))[0].echo("person", NAME) is not None
    (other,) = SANITIZER.prepare(["Peter Novak"], scopes=[state.scope("prompts")]).release()
    assert other.private_map is not None
    for source in (OWN, UNTRACED, "message 1"):
        state.remember("prompts", state.digest("prompts", "text 2", "Peter Novak"), other, source)
        both = Call(f"{call.words}\n{other.text}", (*call.maps, other.private_map))
        scope, _ = scope_of(state, Origin("message 2", both))
        assert scope.by_mention and scope.echo("person", NAME) is None


def test_what_no_call_asked_for_has_nothing_equal() -> None:
    state, _ = conversation()
    scope, source = scope_of(state, Origin("message 2"))
    assert scope.by_mention and source == UNTRACED
    scope, source = scope_of(state, Origin("message 2", mixed=False))
    assert not scope.by_mention and source == "message 2"
    scope, source = scope_of(state, Origin("message 2", Call("a\nb", ())))
    assert not scope.by_mention and source == OWN, "nobody wrote a value that may be found"


def test_a_conversation_that_is_read_again_knows_sources_calls_and_limits() -> None:
    state, call = conversation("message 1")
    state.foreign_values = 7
    kept = KeptPolicy(SANITIZER.setting, "digest")
    read = ConversationState.of_data([state.to_data(lambda policy: kept)], lambda policy: kept)
    release = read.known(read.digest("prompts", "text 1", NAME))
    assert release is not None and release.private_map is not None
    assert read.source_of(release.private_map) == "message 1" and read.foreign_values == 7
    assert read.source_of(call.maps[0]) == UNTRACED


def test_a_call_is_read_as_by_one_search_for_each_surrogate() -> None:
    """The reference searches for each surrogate by itself, which takes as long as surrogates and call together."""
    rng = random.Random(5)
    words = ["Maria", "Gonzalez", "MARIA", "O'Neil", "(555)", "12-3", "a@b.co", "x", ".", "maria's"]
    for _ in range(300):
        surfaces = {" ".join(rng.choices(words, k=rng.randint(1, 3))) for _ in range(4)} - {"x", "."}
        said = "".join(rng.choice(words) + rng.choice(["", " ", "\n  ", ", "]) for _ in range(12))
        phrases = Phrases({phrase(surface) for surface in surfaces})
        mentions = list(phrases.mentions(said))
        patterns = {
            surface: r"(?<!\w)" + r"\s+".join(map(re.escape, surface.split())) + r"(?!\w)" for surface in surfaces
        }
        stand = {s for s, pattern in patterns.items() if re.search(pattern, said, re.IGNORECASE)}
        assert {mention.phrase for mention in mentions} == {phrase(surface) for surface in stand}
        longest = "|".join(patterns[surface] for surface in sorted(surfaces, key=len, reverse=True))
        rest = without(said, mentions, lambda found: True)
        assert rest == (re.sub(longest, " ", said, flags=re.IGNORECASE) if longest else said)


def test_the_steps_of_reading_a_call_grow_with_the_call_and_not_with_the_surrogates(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Phrases that share their words with each other and with the text: nothing is looked at again for each."""
    steps = 0
    real = Phrases._step

    def counted(self: Phrases, node: int, word: str) -> int:
        nonlocal steps
        steps += 1
        return real(self, node, word)

    said = "Anna Berg " * 500 + "Zoe"
    monkeypatch.setattr(Phrases, "_step", counted)
    for count in (10, 1000):
        phrases = Phrases([phrase(f"Anna Berg {number}") for number in range(count)] + [phrase("Zoe")])
        steps = 0
        assert [mention.phrase for mention in phrases.mentions(said)] == [("zoe",)]
        assert steps == 2001, "one for each word and space"


def test_surrogates_of_releases_that_a_call_was_not_made_of_do_not_stand_in_it() -> None:
    state, call = conversation()
    (other,) = SANITIZER.prepare(["Peter Novak"], scopes=[state.scope("prompts")]).release()
    assert other.private_map is not None
    both = Call(f"{call.words}, {other.text}", call.maps)
    read = read_calls({"message 2": both, "message 3": Call("", (other.private_map,))}, state)["message 2"]
    assert other.text in read.rest and not any(surface in other.text for surface in read.surfaces)


def test_a_call_that_says_too_much_to_be_read_is_taken_for_guesses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kills: a provider's long call, read twice, takes the time of the whole request, which is refused."""
    monkeypatch.setattr(module, "CALLED_A_SECOND", 30)
    read: list[str] = []
    real = module.span_kinds

    def noted(sanitizer: Sanitizer, texts: list[str], found: object = None) -> list[frozenset[str]]:
        read.extend(texts)
        return real(sanitizer, texts)

    monkeypatch.setattr(module, "span_kinds", noted)
    service = SanitizingService(OfferedPolicies("prompts"), UncountedLedger(), threads=1)

    async def answers(*more: str) -> list[bool]:
        """Whether the tool's answers have the surrogates of the calls."""
        state, call = conversation()
        surrogate = call.words.removeprefix("a\n")
        origins = [Origin(f"message {n}", call._replace(words=f"{surrogate} {said}")) for n, said in enumerate(more)]
        releases = await service.release(
            [f"{NAME}, {n}" for n in range(len(more))],
            policy=None,
            account=Account("ward"),
            conversation=state,
            labels=list(map(str, range(len(more)))),
            origins=origins,
        )
        return [release.text.startswith(surrogate) for release in releases.releases]

    try:
        assert asyncio.run(answers("so it was", "so " * 100, "so " * 99, "so it is")) == [True, False, False, True]
        assert len(read) == 4 and sum(map(len, read)) <= 2 * 300
    finally:
        service.close()


def said_in_turn(*turns: list[tuple[str, str, Origin | None]]) -> list[list[str]]:
    """What is released of the texts of one conversation, turn by turn; each with its label and its origin."""
    service = SanitizingService(OfferedPolicies("prompts"), UncountedLedger(), threads=1)
    state = ConversationState()

    async def release(texts: list[tuple[str, str, Origin | None]]) -> list[str]:
        paid = await service.release(
            [text for text, _, _ in texts],
            policy=None,
            account=Account("ward"),
            conversation=state,
            labels=[label for _, label, _ in texts],
            origins=[origin for _, _, origin in texts],
        )
        return [released.text for released in paid.releases]

    async def all_of_them() -> list[list[str]]:
        return [await release(texts) for texts in turns]

    try:
        return asyncio.run(all_of_them())
    finally:
        service.close()


TOOL = Origin("message 3")


def test_a_person_of_an_earlier_message_is_found_in_later_ones_of_the_user() -> None:
    first, second = said_in_turn(
        [("Write to Maria Zyxwell.", "text messages 1", None), ("so zyxwell answered", "text messages 2", None)],
        [("did zyxwell call? see gozyx", "text messages 3", None)],
    )
    assert "zyxwell" not in " ".join([*first, *second]).lower()
    surrogate = first[0].removeprefix("Write to ").removesuffix(".").split()[-1].lower()
    assert [first[1], second[0]] == [f"so {surrogate} answered", f"did {surrogate} call? see gozyx"]


def test_a_person_of_a_request_is_found_in_its_earlier_texts_of_the_user() -> None:
    (first,) = said_in_turn(
        [
            ("you help zyxwell, and zyxwell alone", "text messages 1", None),
            ("finds zyxwell", "text tools 1", None),
            ("zyxwell", "output messages 2", TOOL),
            ("Write to Maria Zyxwell.", "text messages 2", None),
        ]
    )
    assert "zyxwell" not in first[0] and first[1:3] == ["finds zyxwell", "zyxwell"]


def test_what_others_wrote_neither_names_persons_nor_is_searched_for_those_of_the_user() -> None:
    """Kills both attacks: a tool has a word of the user drawn, and a guess is drawn only where it is right."""
    guess = "a zyxwell or a quorvath or a plimsett"
    _, tool, later, declared = said_in_turn(
        [("Write to Maria Zyxwell.", "text messages 1", None)],
        [
            (guess, "output messages 2", TOOL),
            ("Mrs Kernel Panicwell asks for Mr Dock Erfile", "output messages 3", TOOL),
        ],
        [("the panicwell of a kernel, an erfile of a dockerfile", "text messages 4", None)],
        [("finds zyxwell", "text tools 1", None), ("a form of zyxwell", "text response_format 1", None)],
    )
    assert tool[0] == guess
    assert later == ["the panicwell of a kernel, an erfile of a dockerfile"]
    assert declared == ["finds zyxwell", "a form of zyxwell"]


def test_words_of_english_and_of_programs_are_carried_by_nobody() -> None:
    _, later = said_in_turn(
        [("Mrs Hope Docker and Mr Will Kernel met Dr Hunter Grace.", "text messages 1", None)],
        [("Hope the Docker kernel will grace a hunter", "text messages 2", None)],
    )
    assert later == ["Hope the Docker kernel will grace a hunter"]


def test_persons_of_a_conversation_are_few_and_kept() -> None:
    state = ConversationState()
    state.name_persons(("Maria Zyxwell",))
    kept = KeptPolicy(SANITIZER.setting, "digest")
    assert ConversationState.of_data([state.to_data(lambda policy: kept)], lambda policy: kept).persons == state.persons
    texts = [f"Mr {chr(65 + n % 26)}{chr(97 + n // 26)}zyxwell called." for n in range(600)]
    finder = OfferedPolicies("prompts").finder("prompts")
    assert finder is not None
    _, persons = with_carried(finder, texts, [True] * len(texts), finder.found(texts), state.persons)
    assert len(persons) == 500


def test_persons_who_were_named_before_are_called_as_if_all_were_new() -> None:
    """Kills: what earlier persons may be called is not made anew after a request that was refused."""
    draw, carried = random.Random(7), CarriedPersons()
    parts = ["Ann", "Robert", "William", "Zyxwell", "O'Brien", "Lee", "Hoekstra", "Robertson", "jo"]
    text = (
        "bob met annie, the robertsons, rzyxwell, j.lee, Hoekstra_Robert_2 and W-I-L-L; ROB and will agree with Obrien."
    )
    names: tuple[str, ...] = ()
    for _ in range(200):
        names = names[: draw.randint(0, len(names))] if draw.random() < 0.3 else names
        names += tuple(" ".join(draw.sample(parts, draw.choice([1, 2, 2]))) for _ in range(draw.randint(0, 2)))
        alone = list(carried_mentions(text, names))
        assert list(carried_mentions(text, names, persons=carried)) == alone
