"""Names that are ordinary words, and ordinary words that are no names, told by what stands beside them."""

import pytest

import textveil as tv
from textveil.detection.found import plain
from textveil.detection.senders import find_senders

NAMES = ("person", "organization", "handle", "place")


def found(text: str) -> list[str]:
    return [text[span.start : span.end] for span in tv.detect(text, min_score=0.35) if span.kind in NAMES]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Mercy went as a servant.", ["Mercy"]),  # what only somebody does
        ("Green emigrated, it is said.", ["Green"]),
        ("Wolf is covering today.", ["Wolf"]),
        ("Dot to ring the man.", ["Dot"]),
        ("Penny also wrote of it.", ["Penny"]),
        ("We saw Miss Dot Oake.\nDot got it.", ["Dot Oake", "Dot"]),  # named elsewhere
        ("We saw Miss Dot Oake.\nDot then kept it.", ["Dot Oake", "Dot"]),
        ("We saw Miss Dot Oake.\nDot's dull.", ["Dot Oake", "Dot"]),
        ("We saw Miss Dot Oake.\nScribe: Dot\nFine.", ["Dot Oake", "Dot"]),
        ("The pump was Big Alan's, not Old Bill's.", ["Big Alan", "Old Bill"]),  # epithets
        ("A van of Prowse Drains. Mr Prowse rang.", ["Prowse Drains", "Prowse"]),  # firms
        ("She ran Guidry's Fabric & Notions. Mr Guidry rang.", ["Guidry's Fabric & Notions", "Guidry"]),
        ("It came by Sizeland's Minibuses. Mr Sizeland rang.", ["Sizeland's Minibuses", "Sizeland"]),
        ("Mr Rhodri Skelhorn\nfrom DEMELZA SKELHORN now", ["Rhodri Skelhorn", "DEMELZA SKELHORN"]),
        ('Orla "Dot" Skelhorn Fennimore won.', ["Orla", "Dot", "Skelhorn Fennimore"]),
        ("thanks idris.b, see you there", ["idris.b"]),  # logins of a name and a letter
        ("Capt. Strange and the Army", ["Strange"]),
        ("Grace on nights found it.", ["Grace"]),
        ("her baby, Juniper, is ill", ["Juniper"]),
        ("Sunil Oak and Hope.", ["Sunil Oak", "Hope"]),
        ("Owner: Mo Farouk\n# Mo changed the key", ["Mo Farouk", "Mo"]),
        ("BASIC_AUTH=dagny:periwinkle", []),
        ("ansible_user=fitz", ["fitz"]),
        ("by the junction with Cutler's Yard then", ["Cutler's Yard"]),
        ("a viewing at Flat 2, The Old Brewery went fine", ["Flat 2, The Old Brewery"]),
        ("coach with Gold Crest Travel, late", ["Gold Crest Travel"]),
        ("Flowers: Petal & Stem, white", ["Petal & Stem"]),
        ("by the Old Mill Groundworks, late", ["Old Mill Groundworks"]),
        ("Pharmacy: Kessler Drugs, Pine Bluff, 870-555-0129.", ["Kessler Drugs", "Pine Bluff"]),
        ("We paid for Brannigan's jacket.", ["Brannigan"]),
        ("Told Maria cakes are free.", ["Maria"]),
        ("Patel paints the wall.", ["Patel"]),
        ("with Maria cakes are nice", ["Maria"]),
        ("He lives in Hope, AR, then Twin Falls, ID.", ["Hope", "AR", "Twin Falls", "ID"]),
        ("at 12 N. Main St. and 9 St. Mary's Rd", ["12 N. Main St", "9 St. Mary's Rd"]),
        ("We gave Frank money.", ["Frank"]),  # no noun of a thing behind
        ("At home Max whines.", ["Max"]),
        ("It was Frank who called Max sick.", ["Frank", "Max"]),
        ("At night Frank snores and Bill reads books.", ["Frank", "Bill"]),
        ("Mrs Dot Winter rang. Ask Winter again.", ["Dot Winter", "Winter"]),
    ],
)
def test_names_that_are_words_go(text: str, names: list[str]) -> None:
    assert found(text) == names


@pytest.mark.parametrize(
    "text",
    [
        "Mercy went out of it.",
        "Price agreed by both.",
        "Hope to see you soon.",
        "Grace is due.",
        "Skip to the end.",
        "We chose a Festo valve.",
        "Two Gilson pipettes, a Petri dish and the Liebig condenser; one Heinz soup.",
        "A Samsung Galaxy, a Viessmann Vitodens and the Shimano Stradic.",
        "She made a Bakewell tart with Bramley apples.",
        "They keep a Dartford Warbler.",
        "Fine Mira shower, Ikea sofa.",
        "one pack of Tunnock's wafers",
        "Meds: memantine, Laxido, Cavilon. Fine.",
        "Under the Montreal Convention, yes.",
        "Film: Howell-Jolly bodies absent.",
        "She had it in the past. Further work on it.",
        "Faith and Hope are dogs.",
        "See HR > Frank discussions, the Gates fund, and a Bell tower.",
        "Brown the mince. Frost the cake. Cook it well.",
        "We gave the goods to Hire Car; World Book Day is near. Head Lice are back.",
        "a cot, and Summer and Winter duvets",
        "Meropenem S, Amikacin S, Vancomycin R",
        "PMH: Stroke, MI, HTN. Chest, PA and lateral. Head, CT. Diabetes, MS. Anesthesia, GA.",
        "Gas 4411, Electric 9921. Keys: two. Bed 4, Ward 7. Flat affect.",
        "\n".join(
            f"{room}: one of these, marked and worn by the door, to be seen again"
            for room in ("Kitchen", "Bathroom", "Bedroom", "Hall")
        ),
    ],
)
def test_words_stay(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("We saw Miss Dot Oake.\nDot: two of them", ["Dot Oake"]),
        ("Orla Skelhorn's Star of the Week", ["Orla Skelhorn"]),
        ("We saw Orla's boots.", ["Orla"]),
        ("Authorised: Dr Priddy, Haematology\nCopy", ["Priddy"]),
        ("We saw Orla Skelhorn.\nDEBIT SKELHORN RENT", ["Orla Skelhorn", "SKELHORN"]),
    ],
)
def test_what_stands_beside_a_name_stays(text: str, names: list[str]) -> None:
    assert found(text) == names


@pytest.mark.parametrize(
    ("text", "age"),
    [("Marcus, 34, Leith\nI bake.", ["34"]), ("Garden, 34, Leith\nI bake.", []), ("So Marcus, 34, Leith", [])],
)
def test_ages_at_the_head_of_a_line(text: str, age: list[str]) -> None:
    assert [text[span.start : span.end] for span in tv.detect(text) if span.kind == "age"] == age


@pytest.mark.parametrize(
    ("lines", "names"),
    [
        (("zed: is she in", "rose: no she is not", "zed: ok then", "rose: bye all"), {"zed", "rose"}),
        (("juno: where is it", "barn: at the gate", "juno: which one", "barn: the big one"), {"juno", "barn"}),
        (("juno: where is it", "rose: at the gate", "juno: which one", "rose: the big one"), {"juno", "rose"}),
        (("host: a the", "port: is b", "host: the c", "port: d all"), set()),
        (("user: what is it", "assistant: it is late", "user: is it", "assistant: it is"), set()),
        (("rose: x", "zed: y", "rose: x", "zed: y"), set()),
    ],
)
def test_chats_in_small_letters(lines: tuple[str, ...], names: set[str]) -> None:
    text = plain("\n".join(lines)).text
    assert {text[span.start : span.end] for span in find_senders(text)} == names


@pytest.mark.parametrize(
    "text",
    [
        "Happy birthday {}!",
        "Happy 40th birthday {}",
        "RIP {}",
        "In memory of {}.",
        "the funeral of {} on",
        "booked under the name of {}.",
        "FAO {}",
        "Paid obo {}.",
        "OBO {}",
        "per pro {}",
        "in the matter of {}.",
        "Have you met {}?",
        "Farewell to {}",
        "key holder {}",
        "ACTION {} - send it",
        "Congratulations to {} on it",
        "Congrats to {}",
        "Customer name - {}",
        "Account holder {}",
        "Next of kin {}",
        "Payment received from {} with thanks",
        "Give it to {} please",
        "Remind {} that it is due",
        "They blamed {} for it",
        "Apologies: {}",
        "Present: {}, the chair",
        "Attendees: {}",
        "Absent: {}",
        "Goals: {} 34",
        "Scorer: {}",
        "Substitutes: {}",
        "Man of the match: {}",
        "Detention: {}",
        "Plus one: {}",
        "Insured: {}",
        "Emergency contact: {}",
        "Bill to: {}",
        "Ship to:\n{}\nThe old mill",
        "Deliver to: {}",
        "On call: {}",
        "Lift share: {} drives",
        "Locker 12: {}",
        "Vocals: {}",
        "NOK: {} (sister)",
        "{} (crying): leave me alone",
        "{} (Chair)",
        "{}, Director",
        "{}, 42, of this parish",
        "- {} - paid",
        "so\n{} x",
        "{} replied: nice",
        "It's {} here, about the car",
        "This is {} speaking",
        "The keys are at {}'s.",
        "Sent from {}'s phone",
        "[{} enters]",
        "{} joined the call",
        "{} added you",
        "{} (she/her) came",
        "{}'s mother rang.",
        "{} has moved out of the flat.",
        "{} will bring the cake.",
        "{} is my neighbour.",
        "{} and I went swimming.",
        "Vet: {}",
        "Parent/guardian: {}",
        "Reviewed by: {}",
    ],
)
def test_a_given_name_that_is_a_word_goes_beside_what_only_somebody_has(text: str) -> None:
    assert found(text.format("Hope")) == ["Hope"]


@pytest.mark.parametrize(
    "text",
    [
        "Cover: Leather",
        "Present: Simple past",
        "Goals: Mobility, Strength",
        "Triage: Green",
        "Ordered: Lily",
        "Have you met Finance?",
        "Payment from Stripe.",
        "Remind Finance that it is due.",
        "It's Spring here.",
        "We saw a Christian Cross there.",
        "Weight (kg): see below",
    ],
)
def test_what_is_no_name_stays_beside_such_words(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Spoke to Martha S. Bouts.", "Martha S. Bouts"),
        ("Martha S. Bouts left.", "Martha S. Bouts"),
        ("We met Thomas Finch III there.", "Thomas Finch III"),
        ("I met Luca dalla Pozza.", "Luca dalla Pozza"),
        ("Regards,\nWill Banks", "Will Banks"),
        ("Chase Donovan being duly sworn", "Chase Donovan"),
        ("I met Christian Bauer there.", "Christian Bauer"),
        ("Spoke to J Pettifer on it.", "J Pettifer"),
        ("Spoke to SM Iqbal on it.", "SM Iqbal"),
        ("It was plan B Harris had.", "Harris"),
        ("Spoke to GP Iqbal on it.", "Iqbal"),
        ("I met Grace OKWEDDE there.", "Grace OKWEDDE"),
        ("happy birthday rose! hope it is a good one", "rose"),
        ("Tamsel Okwedde replied: nice", "Tamsel Okwedde"),
        ("Tamsel Okwedde (crying): leave me alone", "Tamsel Okwedde"),
        ("Farrowdale (crying): leave me alone", "Farrowdale"),
    ],
)
def test_names_with_words_in_them_go_whole(text: str, name: str) -> None:
    assert found(text) == [name]


def test_a_season_is_no_mention_of_somebody_called_so() -> None:
    assert found("Im Winter rief Frau Dr. Winter an. Im Winter ruht der Betrieb.") == ["Winter"]


@pytest.mark.parametrize("policy", ["identifiers", "clinical", "prompts"])
@pytest.mark.parametrize("name", ["Kepner-Tregoe", "Bence Jones", "Needleman-Wunsch", "Bank of England", "Defra"])
def test_eponyms_and_public_bodies_stay(name: str, policy: str) -> None:
    text = f"We asked about {name} in this."
    assert tv.Sanitizer(tv.policy(policy))(text).text == text


@pytest.mark.parametrize("text", ["Head Lice are back.", "the World Book Day is near", "| Milk Room | two |"])
def test_capitals_of_a_heading_are_no_guess(text: str) -> None:
    assert not [span for span in tv.detect(text) if span.kind in NAMES]
