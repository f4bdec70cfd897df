"""Documents in other languages: which language it is, and what is found in it."""

import hashlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from textveil.detection.detectors import detect
from textveil.detection.languages import KNOWN, MODEL, MODEL_RECORD, _identifier, language_of
from textveil.detection.lists import DATA, LANGUAGES, LATIN, ordinary_words, written
from textveil.json_text import json_file

LETTERS = {
    "en": "Thank you for the letter of last week. The meeting with the new manager is on Friday.",
    "de": "Vielen Dank für das Schreiben von letzter Woche. Der Termin mit der neuen Leiterin ist am Freitag.",
    "fr": "Merci pour votre lettre de la semaine dernière. Le rendez-vous avec la directrice est vendredi.",
    "es": "Gracias por su carta de la semana pasada. La reunión con la nueva directora es el viernes.",
    "it": "Grazie per la lettera della settimana scorsa. La riunione con la nuova direttrice è venerdì.",
    "pt": "Obrigado pela carta da semana passada. A reunião com a nova diretora é na sexta-feira.",
    "nl": "Bedankt voor uw brief van vorige week. De afspraak met de nieuwe directeur is op vrijdag.",
    "pl": "Dziękuję za list z zeszłego tygodnia. Spotkanie z nową dyrektorką jest w piątek po południu.",
    "ru": "Спасибо за письмо на прошлой неделе. Встреча с новым директором в пятницу.",
    "ja": "先週のお手紙ありがとうございます。新しい部長との会議は金曜日です。",
    "zh": "谢谢您上周的来信。与新主任的会议在星期五举行。",
    "ar": "شكرا على رسالتك في الأسبوع الماضي. الاجتماع مع المديرة الجديدة يوم الجمعة.",
}


@pytest.mark.parametrize(("language", "text"), LETTERS.items(), ids=LETTERS)
def test_language_of_a_letter(language: str, text: str) -> None:
    assert language_of(text) == language


@pytest.mark.parametrize("text", ["", "12/3", "BP 132/84, SpO2 97% RA, Plt 143.", "J. Müller", "🙂🙂", "\ud800"])
def test_language_of_few_words_is_unknown(text: str) -> None:
    assert language_of(text) == ""


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("it", "Oggetto: fattura"),
        ("es", "Asunto: Factura"),
        ("nl", "Onderwerp: Vergadering"),
        ("pt", "Assunto: Contrato"),
        ("de", "Mein Mann arbeitet heute"),
        ("fr", "Mon mari travaille aussi"),
        ("it", "Chiamo domani mattina"),
        ("pl", "Wizyta u doktora jutro"),
        ("tr", "Yarın gelebilir mi?"),
        ("de", "Mittagspause"),
        ("de", "In Bearbeitung"),
        ("pt", "Não"),
        ("pl", "Ustawienia"),
        ("tr", "Ayarlar"),
    ],
)
def test_language_of_a_line_of_few_words_is_that_of_its_words(language: str, text: str) -> None:
    assert language_of(text) == language
    assert not [span for span in detect(text) if span.kind == "person"]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Kann Silke morgen kommen?", ["Silke"]),
        ("Kan Femke morgen komen?", ["Femke"]),
        ("Je m'appelle Yann Le Goff et j'habite à Quimper.", ["Yann Le Goff", "Quimper"]),
        ("Nazywam się Zbigniew Ćwik i mieszkam w Krakowie.", ["Zbigniew Ćwik", "Krakowie"]),
        ("Das Jobcenter Bremen schreibt", ["Jobcenter Bremen"]),
        ("Ayuntamiento de Lugo", ["Ayuntamiento de Lugo"]),
        ("Kamer van Koophandel Zwolle", ["Kamer van Koophandel Zwolle"]),
        ("Leeds Chamber of Commerce", ["Leeds Chamber of Commerce"]),
        ("Das Jugendamt prüft es", []),
        ("Factura Gimeno", ["Gimeno"]),
        ("王晓彤 and 佐藤花子 met", ["王晓彤", "佐藤花子"]),
    ],
)
def test_names_in_messages_of_few_words_are_found_whole(text: str, names: list[str]) -> None:
    assert [text[span.start : span.end] for span in detect(text)] == names


LABELLED = [
    ("de", "Aktenzeichen: 48213", "Aktenzeichen"),
    ("de", "Blutdruck Jonas Wernecke", "Blutdruck"),
    ("fr", "| Loyer | Camille Bourdin |", "Loyer"),
    ("es", "Importe;Lucia Arrieta", "Importe"),
    ("it", "**Anamnesi:** Chiara Bellandi", "Anamnesi"),
    ("nl", "Mobiel 0301 482133", "Mobiel"),
    ("pl", "Komórka: Agnieszka Wolińska", "Komórka"),
    ("pt", "Morada\tMatilde Carvalhosa", "Morada"),
    ("tr", "Tanı Emre Yıldırım", "Tanı"),
]


@pytest.mark.parametrize(("language", "text", "label"), LABELLED, ids=[text for _, text, _ in LABELLED])
def test_a_label_tells_the_language_of_its_line_and_stays(language: str, text: str, label: str) -> None:
    assert language_of(text) == language
    assert not [span for span in detect(text) if span.score >= 0.35 and span.start < text.index(label) + len(label)]


@pytest.mark.parametrize(
    "text",
    [
        "Petra: hi",
        "Note: Bill",
        "Will meet Bett",
        "lol ask Joseph",
        "Mr Matthieu Salmon",
        "Tel. 06445 15507",
        "Mark Hora",
        "Name: Blank",
    ],
)
def test_a_name_and_an_english_label_tell_no_other_language(text: str) -> None:
    assert language_of(text) in ("", "en")


@pytest.mark.parametrize("name", ["Bruno Neri", "Rosa Blanco", "Marco Bianco", "Thalita Guedes"])
def test_a_name_of_ordinary_words_tells_no_language(name: str) -> None:
    assert language_of(name) == ""


def test_the_model_of_latin_letters_answers_as_the_one_that_it_is_a_part_of() -> None:
    langid = pytest.importorskip("py3langid.langid")
    if (
        hashlib.sha256((langid.MODEL_DIR / langid.MODEL_FILE).read_bytes()).hexdigest()
        != (json_file(DATA / MODEL_RECORD)["model"])
    ):
        pytest.skip("another version's model")
    whole = langid.LanguageIdentifier.from_model_file(langid.MODEL_FILE, norm_probs=True)
    whole.set_languages(list(KNOWN))
    lines = [
        line
        for language in LATIN
        for line in (DATA / "languages" / f"{language}.txt").read_text(encoding="utf-8").splitlines()
    ]
    letters = [text for text in LETTERS.values() if any("a" <= letter <= "z" for letter in text.lower())]
    texts = [text[:400] for text in (*letters, *lines) if len(text) > 4]
    texts += [text.upper() for text in letters] + [f"{text[:30]}\u2026 \xab{text[40:70]}\xbb" for text in letters]
    assert len(texts) > 200
    for text in texts:
        language, share = whole.classify(text)
        nothing = share < 1.001 / len(KNOWN)  # nothing was counted
        expected = ("", 0.0) if nothing else (language, pytest.approx(share, rel=1e-3))
        assert _identifier().classify(text) == expected, text


@given(st.text(alphabet="aeinrst \0\xe4\u0142\u2026", max_size=40))
def test_the_longest_known_sequence_is_counted_at_each_byte(text: str) -> None:
    with np.load(DATA / MODEL) as arrays:
        names = arrays["names"].tobytes().split(b"\0")
    rows, written = {name: row for row, name in enumerate(names)}, text.encode()
    ends = [[written[start:end] for start in range(max(0, end - 8), end)] for end in range(1, len(written) + 1)]
    longest = [next((name for name in known if name in rows), None) for known in ends]
    assert _identifier().sequences(written) == [rows[name] for name in longest if name is not None]


@given(st.text())
def test_every_text_has_a_language_or_none(text: str) -> None:
    assert len(language_of(text)) in (0, 2)


def test_only_the_first_characters_are_read() -> None:
    assert language_of(LETTERS["de"] * 8 + LETTERS["ru"] * 100) == "de"


FOUND = {
    "de": (
        "Sehr geehrte Frau Özdemir,\nIhre Tochter Wiebke Hansen wohnt seit März in der Gartenstraße 14a, 24103 Kiel. "
        "Die Rechnung und der Vertrag liegen bei.\nMit freundlichen Grüßen\nHeinrich Vogt",
        ["Özdemir", "Wiebke Hansen", "Gartenstraße 14a", "24103 Kiel", "Heinrich Vogt"],
    ),
    "fr": (
        "Chère Madame Benoît, votre voisine Solène Garnier habite 8 bis, rue des Lilas, 69003 Lyon. "
        "La Facture et le Contrat sont joints. Bien à vous, Mathieu Roche",
        ["Benoît", "Solène Garnier", "8 bis, rue des Lilas", "69003 Lyon", "Mathieu Roche"],
    ),
    "es": (
        "Estimada Sra. Ibáñez: su hijo Iker Molina vive en la Avenida de América 21, piso 3, 28002 Madrid. "
        "Adjunto la Factura y el Contrato. Un saludo, Nuria Vega",
        ["Ibáñez", "Iker Molina", "Avenida de América 21, piso 3", "28002 Madrid", "Nuria Vega"],
    ),
    "it": (
        "Gentile Dott.ssa Colombo, il paziente Matteo Ferri abita in Via Garibaldi 7, 40121 Bologna. "
        "La Fattura è allegata. Cordiali saluti, Chiara Gatti",
        ["Colombo", "Matteo Ferri", "Via Garibaldi 7", "40121 Bologna", "Chiara Gatti"],
    ),
    "pt": (
        "Prezada Dra. Barbosa, o contrato de Tiago Ramos, morador da Rua das Flores, 33, 4050-262 Porto, vence amanhã. "
        "A Fatura segue em anexo. Atenciosamente, Inês Duarte",
        ["Barbosa", "Tiago Ramos", "Rua das Flores, 33", "4050-262 Porto", "Inês Duarte"],
    ),
    "pl": (
        "Szanowna Pani Wójcik, pacjent Tomasz Zieliński mieszka przy ul. Długa 14, 80-244 Gdańsk. "
        "Faktura i Umowa są w załączniku. Z poważaniem, Agnieszka Maj",
        ["Wójcik", "Tomasz Zieliński", "ul. Długa 14", "80-244 Gdańsk", "Agnieszka Maj"],
    ),
    "nl": (
        "Geachte mevrouw Smit, uw afspraak met dr. De Boer is in de Dorpsstraat 9, 3571 XZ Utrecht. "
        "De Factuur is bijgevoegd. Met vriendelijke groet, Joris van Dam",
        ["Smit", "De Boer", "Dorpsstraat 9", "3571 XZ Utrecht", "Joris van Dam"],
    ),
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_names_and_addresses_are_found_and_other_capitals_are_not(language: str) -> None:
    text, expected = FOUND[language]
    spans = [span for span in detect(text, "embedded") if span.kind in ("person", "place", "organization")]
    assert [text[span.start : span.end] for span in spans] == expected


@pytest.mark.parametrize("language", LANGUAGES)
def test_ordinary_words_are_plain_and_small(language: str) -> None:
    words = ordinary_words(language)
    assert len(words) > 20_000
    assert all(word.isascii() and word.isalpha() and word.islower() for word in words)


@pytest.mark.parametrize("language", LATIN)
def test_a_list_of_a_language_has_a_name_that_is_read(language: str) -> None:
    assert set(written(language)) <= {*written("en"), *written("de"), *written("es"), "brands", "short given names"}


def test_a_paragraph_in_another_language_is_read_in_its_own() -> None:
    page = (
        "The Invigilator of the exam was Honora Quigley, who came late on both days because the train from Ashby was "
        "late. The Head of the school, Priya Kapoor, said that the Date of the next one is open and will be told soon."
    )
    asked = f"Bitte fasse den folgenden Text in zwei Sätzen zusammen und nenne die Namen:\n\n{page}"
    assert [asked[span.start : span.end] for span in detect(asked)] == [
        page[span.start : span.end] for span in detect(page)
    ]
