"""What persons, animals and boats are called goes, whatever words it is, and at each later mention."""

import pytest

import textveil as tv


def persons(text: str) -> list[str]:
    spans = tv.detect(text, min_score=0.35)
    return [text[span.start : span.end] for span in spans if span.kind == "person"]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Everyone calls him Spud. Spud's van is late.", ["Spud", "Spud"]),
        ("His wife called him \"Bear\" for years.", ["Bear"]),
        ("The man, known locally as \"The Badger\", took it. I rang the Badger.", ["Badger", "Badger"]),
        ("Pt is 71, known as Big Norm. Big Norm says hello.", ["Big Norm", "Big Norm"]),
        ("His uncle, nicknamed Sparrow, came.", ["Sparrow"]),
        ("He is \"Dizzy\" to his brothers. Dizzy's favourite film is old.", ["Dizzy", "Dizzy"]),
        ("Her father, \"Old Turnip\", died. Old Turnip's garden is ours.", ["Old Turnip", "Old Turnip"]),
        ("Your plumber \"Quickly\" came.", ["Quickly"]),
        ("A ginger cat, answers to Marmalade. He answers to the name of Spud.", ["Marmalade", "Spud"]),
        ("The dog (Haggis) is shut in.", ["Haggis"]),
        ("She had a boat called Lazy Tuesday and a cat named Button.", ["Lazy Tuesday", "Button"]),
        ("He lives alone with his cat Pepper.", ["Pepper"]),
        ("Craft: Second Wind\nMake: Centaur\nThe log is on Second Wind.", ["Second Wind", "Second Wind"]),
        ("Mon oncle, que tout le monde appelle Bouchon, viendra.", ["Bouchon"]),
        ("Le chat de ma tante, Gribouille, mord.", ["Gribouille"]),
        ("Viene lo zio che tutti chiamano il Turbine. Il Turbine porta il vino.", ["Turbine", "Turbine"]),
        ("A mi primo todos lo llaman Tormenta en el pueblo.", ["Tormenta"]),
        ("O meu vizinho, todos lhe chamam Trovoada por aqui.", ["Trovoada"]),
        ("Das ist der Nachbar, den alle nur Donner nennen, und er kommt.", ["Donner"]),
        ("Dat is de buurman die iedereen Bliksem noemt, hij komt morgen.", ["Bliksem"]),
        ("To jest kolega, wszyscy mówią na niego Piorun, przyjdzie jutro.", ["Piorun"]),
        ("Unsere Katze Wolke hat Junge bekommen.", ["Wolke"]),
        ("Su perro se llama Trasto.", ["Trasto"]),
        ("Mote: la Tormenta\nAmarre: doce", ["Tormenta"]),
    ],
)  # fmt: skip
def test_what_somebody_is_called_goes(text: str, names: list[str]) -> None:
    assert persons(text) == names


@pytest.mark.parametrize(
    "text",
    [
        "Everyone calls it Spud.",
        "A language, known as Oak.",
        "The disease known as Lupus is rare.",
        "They called him on Monday.",
        "a boat (Westerly), a dog food Market, the horse, which ran",
        "Dog Trailer wanted. Cat 2 call. Boat: Yes\nPet: Dog\n",
        "She wrote \"Sorry\" to her sister.",
    ],
)  # fmt: skip
def test_what_looks_alike_stays(text: str) -> None:
    assert not {"Spud", "Oak", "Lupus", "Westerly", "Market", "Trailer", "Yes", "Dog", "Sorry"} & set(persons(text))
