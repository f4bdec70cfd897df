"""Conversations are kept for a while, for those whose they are, and within a size."""

import asyncio
import hmac
import json
from dataclasses import replace

from textveil.budget.account import Account
from textveil.sanitize.policy.choice import policy
from textveil.sanitize.sanitizer import Sanitizer
from textveil.server.conversations import Conversations
from textveil.server.kept_data import KeyedDigests, MapTable, Written, WrittenAnswers, map_of, release_data, release_of
from textveil.surrogates.map_file import PrivateMap, Replaced
from textveil.surrogates.restoring import Restorer

MARIA = Account("ward", "maria", "k1")


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def made(clock: Clock, most_bytes: int = 10_000) -> Conversations:
    return Conversations(seconds=60, most_bytes=most_bytes, clock=clock)


def test_a_conversation_is_of_one_account_and_name() -> None:
    kept = made(Clock())
    first = kept.of(MARIA, "a")
    assert kept.of(MARIA, "a") is first
    others = [
        Account("ward", "tom", "k1"),
        Account("other", "maria", "k1"),
        Account("ward", "maria", "k2"),
        Account("ward"),
    ]
    assert all(kept.of(account, "a") is not first for account in others) and kept.of(MARIA, "b") is not first
    assert kept.of(Account("a", "bc"), "d") is not kept.of(Account("ab", "c"), "d"), "ends of names count"


def test_they_expire_after_their_last_use() -> None:
    clock = Clock()
    kept = made(clock)
    state = kept.of(MARIA, "a")
    kept.note_answer(MARIA, state, "resp_1")
    clock.now += 59
    assert kept.of_answer(MARIA, "resp_1") is state and kept.of_answer(Account("ward"), "resp_1") is None
    clock.now += 59
    assert kept.of(MARIA, "a") is state
    clock.now += 60
    assert kept.of_answer(MARIA, "resp_1") is None and kept.of(MARIA, "a") is not state


def test_they_expire_though_nobody_asks() -> None:
    clock = Clock()
    kept = made(clock)
    kept.of(MARIA, "a").wrote("content", "read", Written("x", ()))

    async def wait() -> None:
        task = asyncio.create_task(kept.forget(0.001))
        clock.now += 61
        while len(kept):
            await asyncio.sleep(0.001)
        task.cancel()

    asyncio.run(asyncio.wait_for(wait(), 20))


def test_the_least_used_are_forgotten_where_they_take_too_much() -> None:
    kept = made(Clock(), most_bytes=10_000)
    release = Sanitizer(policy("prompts"))("x" * 100)
    first, second = kept.of(MARIA, "1"), kept.of(MARIA, "2")
    for state in (first, second):
        state.remember("p", state.digest("p", "", "x" * 100), release)
    assert kept.of(MARIA, "1") is first
    kept.of(MARIA, "3").wrote("content", "read", Written("x" * 2000, ()))
    assert kept.of(MARIA, "1") is first, "it was used behind the second"
    assert kept.of(MARIA, "2") is not second
    assert sum(kept.of(MARIA, name).size for name in "13") == kept.held_bytes <= 10_000


def test_a_conversation_in_which_nothing_was_said_is_held_by_nobody() -> None:
    kept = made(Clock())
    for number in range(100):
        kept.of(MARIA, f"{number}").handle("call_7")
    assert (len(kept), kept.held_bytes, len(kept._empty)) == (0, 0, 0)
    begun = kept.of(MARIA, "a")
    assert kept.of(MARIA, "a") is begun, "two requests at one time are of one conversation"
    kept.note_answer(MARIA, begun, "resp_1")
    assert (len(kept), kept.held_bytes) == (1, begun.size) and kept.of_answer(MARIA, "resp_1") is begun


def test_one_conversation_is_counted_under_its_name_though_two_were_begun() -> None:
    kept, other = made(Clock()), made(Clock())
    first, second = kept.of(MARIA, "a"), other.of(MARIA, "a")
    second.name = first.name
    second.tell(kept._grew)
    first.wrote("content", "read", Written("x", ()))
    second.wrote("content", "read", Written("x" * 100, ()))
    assert kept.of(MARIA, "a") is second and kept.held_bytes == second.size
    first.wrote("content", "more", Written("x", ()))
    assert kept.of(MARIA, "a") is second and kept.held_bytes == second.size


def test_one_that_is_forgotten_while_it_is_used_takes_no_room_of_others() -> None:
    kept = made(Clock(), most_bytes=6000)
    used = kept.of(MARIA, "1")
    used.wrote("content", "read", Written("x" * 5000, ()))
    assert (len(kept), kept.held_bytes) == (0, 0)
    used.wrote("content", "more", Written("x" * 5000, ()))
    assert (len(kept), kept.held_bytes) == (0, 0) and kept.of(MARIA, "1") is not used
    other = kept.of(MARIA, "2")
    other.wrote("content", "read", Written("x" * 100, ()))
    assert kept.of(MARIA, "2") is other and kept.of(MARIA, "3") is not other and kept.held_bytes == other.size


def test_texts_are_told_by_policy_label_and_text_and_kept_as_digests() -> None:
    state = made(Clock()).of(MARIA, "a")
    release = Sanitizer(policy("prompts"))("Hello.")
    state.remember("p", state.digest("p", "text 1", "Hello."), release)
    assert state.known(state.digest("p", "text 1", "Hello.")) is release
    others = [("q", "text 1", "Hello."), ("p", "text 2", "Hello."), ("p", "text 1", "Hello"), ("ptext 1", "", "Hello.")]
    assert [state.known(state.digest(*other)) for other in others] == [None] * 4
    assert state.scope("p") is state.scope("p") is not state.scope("q")
    state.wrote("content", "Hello.", Written("Hi.", ()))
    assert state.written("content", "Hello.") == Written("Hi.", ()) and state.written("refusal", "Hello.") is None
    assert all(isinstance(key, bytes) and len(key) == 32 for key in [*state._releases, *state._written._written])


def test_identifiers_of_others_are_replaced_and_those_of_the_upstream_stay() -> None:
    kept = made(Clock())
    state = kept.of(MARIA, "a")
    state.wrote("handle", "call_7", Written("call_7", ()))
    assert state.handle("call_7") == "call_7"
    own = state.handle("call_Maria")
    assert own == state.handle("call_Maria") != kept.of(MARIA, "b").handle("call_Maria")
    assert own.startswith("call_") and "Maria" not in own and state.handle("Maria").startswith("call_")
    assert state.handle("msg_x").startswith("msg_")


def test_one_answer_at_a_time_has_what_restores() -> None:
    """Kills: it is lent twice; it restores by texts that a request has not sent; its memory counts for nobody."""
    state = made(Clock(), most_bytes=10**6).of(MARIA, "a")
    maps = [PrivateMap(released=text, replaced=(Replaced(0, 3, "Eva", "person"),)) for text in ("Ann", "Bob", "Cid")]
    size = state.size
    state.give_restorer(Restorer(maps[:2]))
    assert state.size > size + 2 * 1000
    assert state.to_data(lambda policy: None)["size"] == size
    assert state.take_restorer(maps[:1]) is None, "it restores by more than was sent"
    assert state.take_restorer([maps[0], maps[2], maps[1]]) is None, "by something else"
    lent = state.take_restorer(maps)
    assert lent is not None and state.take_restorer(maps) is None
    lent.extend(maps[2:])
    state.give_restorer(lent)
    assert state.take_restorer(maps) is lent


def test_what_restores_is_forgotten_before_a_conversation() -> None:
    """Kills: a conversation, whose texts would be paid for anew, is dropped for what can be made again."""
    conversations = made(Clock())
    one = PrivateMap(released="Ann", replaced=(Replaced(0, 3, "Eva", "person"),))
    states = [conversations.of(MARIA, name) for name in "ab"]
    for state in states:
        state.give_restorer(Restorer([one]))
    assert [state.restorer_size > 0 for state in states] == [False, True] and len(conversations) == 2
    assert conversations.held_bytes == sum(state.size for state in states)
    states[0].give_restorer(Restorer([one]))
    assert [state.restorer_size > 0 for state in states] == [True, False] and len(conversations) == 2
    assert conversations.held_bytes == sum(state.size for state in states)


def test_a_digest_is_the_hmac_of_its_parts_and_their_lengths_as_kept_conversations_have_it() -> None:
    key, said = bytes(range(32)), ["", "Maria \ud800", "x" * 200]
    lengths = [len(part.encode("utf-8", "surrogatepass")).to_bytes(8, "big") for part in said]
    framed = [each + part.encode("utf-8", "surrogatepass") for each, part in zip(lengths, said, strict=True)]
    assert KeyedDigests(key)(*said) == hmac.digest(key, b"".join(framed), "sha256")


def test_answers_that_are_read_again_have_their_maps() -> None:
    """Kills: an answer has the maps of the one before it, or fewer; a chat takes the square of its turns."""
    maps = [PrivateMap(released=f"{number}", replaced=()) for number in range(200)]
    chosen = [maps[:2], maps[:2], [], maps[:3], [maps[1], maps[0]], maps[1:3], [], *(maps[:end] for end in range(200))]
    answers = WrittenAnswers(KeyedDigests(bytes(32)))
    for number, own in enumerate(chosen):
        answers.note("content", f"{number % 50}", Written(f"text {number}", tuple(own)), "")
    table = MapTable()
    data = answers.to_data(table)
    assert len(json.dumps(data["written"])) < 60_000
    read = WrittenAnswers(KeyedDigests(bytes(32)))
    read.read(data, [map_of(kept) for kept in table.to_data()])
    assert read._written == answers._written
    earlier = {key: [[text, []] for text, *_ in known] for key, known in data["written"].items()}
    read.read({**data, "written": earlier}, [])
    assert all(one.maps == () for known in read._written.values() for one in known)


def test_releases_are_read_again_with_a_map_and_without() -> None:
    """Kills: the text of a release that has no map, or another text than its map, is not kept."""
    release = Sanitizer(policy("prompts"))("Maria Gonzalez called.")
    assert release.private_map is not None
    for kept in (release, replace(release, private_map=None), replace(release, text="other")):
        table = MapTable()
        data = json.loads(json.dumps(release_data(kept, table)))
        assert (data["text"] is None) == (kept is release)
        read = release_of(data, kept.setting, [map_of(kept) for kept in table.to_data()])
        assert (read.text, read.private_map) == (kept.text, kept.private_map)
