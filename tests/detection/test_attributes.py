"""What people are, in other languages: what is found, what stays, and what a surrogate is."""

import pytest

import textveil as tv
from textveil.detection.demographic_lists import attribute_of, attribute_search


def found(language: str, text: str) -> list[str]:
    return [text[span.start : span.end] for span in attribute_search(language)(text)]


@pytest.mark.parametrize(
    ("language", "text", "words"),
    [
        ("de", "Er ist katholisch und verwitwet. Sie war Witwe.", ["katholisch", "verwitwet", "Witwe"]),
        ("fr", "Elle est veuve et catholique, lui homosexuel.", ["veuve", "catholique", "homosexuel"]),
        ("es", "Es viuda y catolica; religion: musulman", ["viuda", "catolica", "musulman"]),
        ("it", "Suo marito e ebreo, divorziato", ["ebreo", "divorziato"]),
        ("nl", "Hij is gescheiden en moslim.", ["gescheiden", "moslim"]),
        ("pl", "Jest wdowa, a on jest rozwiedziony.", ["wdowa", "rozwiedziony"]),
        ("pt", "O marido e evangelico e separado.", ["evangelico", "separado"]),
        ("de", "Die katholische Kirche, Katholisch-Theologische Fakultat, ein lediglich evangelisches Haus", []),
        ("fr", "L'eglise catholique, un envoi separe, la Mission protestante", []),
        ("fr", "Marie Lascaux, la fille de Marie", []),
        ("es", "La iglesia catolica y el colegio judio por separado", []),
    ],
)  # fmt: skip
def test_what_somebody_is_goes_and_what_an_institution_is_stays(language: str, text: str, words: list[str]) -> None:
    assert found(language, text) == words


def test_a_surrogate_is_of_the_same_row() -> None:
    sanitizer = tv.Sanitizer(tv.policy("identifiers"), rng=tv.seeded_generator(2))
    for text, word in (
        ("Meine Mutter ist verwitwet und sie wohnt hier.", "verwitwet"),
        ("Elle est veuve et elle habite ici avec moi.", "veuve"),
        ("Mi abuela es viuda y vive aqui con nosotros.", "viuda"),
    ):
        row = attribute_of(word)
        assert row is not None
        before, _, after = text.partition(word)
        released = {sanitizer(text).text for _ in range(12)}
        drawn = {release.removeprefix(before).removesuffix(after) for release in released}
        assert drawn <= set(row[2]) and len(drawn) > 1
