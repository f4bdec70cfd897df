"""Recall of the embedded detector on synthetic letters of one make in seven languages.

    pip install faker==40.54.0
    python benchmarks/languages.py [--texts 300] [--show]

Each text fills a template of its language with a name, a family name after a title, a town, a street with a number and
a date with the name of a month, from faker's lists for the country. A value counts as found if no letter or digit of it
stays. Wrong spans hold a capitalized word outside all values, per 100 texts. faker's names are in the public lists of
the detector too, so recall is favored in all languages alike. The kind of a span is not judged.
"""

import argparse
from collections import Counter
from typing import Final

from textveil.detection.embedded import embedded_detector
from textveil.statistics import clopper_pearson

_TEMPLATES: Final = {
    "en_US": (
        "Dear Mr. {family},\n\nthank you for your letter of {date}. Your neighbor {name} lives at {street} in {town}. "
        "The invoice is enclosed. Please call our office if anything is unclear.\n\nKind regards\n{other}",
        "Patient: {name}\nThe patient from {town} was seen on {date}. Her sister {other} drove her here. Treatment "
        "went well, the next visit is in two weeks. Mrs. {family} will receive the report.",
    ),
    "de_DE": (
        "Sehr geehrter Herr {family},\n\nvielen Dank für Ihr Schreiben vom {date}. Ihre Nachbarin {name} wohnt in der "
        "{street} in {town}. Die Rechnung liegt bei. Bei Fragen rufen Sie bitte unser Büro an.\n\n"
        "Mit freundlichen Grüßen\n{other}",
        "Patient: {name}\nDie Patientin aus {town} kam am {date} in die Sprechstunde. Ihre Schwester {other} hat sie "
        "gefahren. Die Behandlung verlief gut, der nächste Termin ist in zwei Wochen. "
        "Frau {family} erhält den Bericht.",
    ),
    "fr_FR": (
        "Cher Monsieur {family},\n\nmerci pour votre lettre du {date}. Votre voisine {name} habite {street} à {town}. "
        "La facture est jointe. Veuillez appeler notre bureau pour toute question.\n\nCordialement\n{other}",
        "Patient : {name}\nLa patiente de {town} a été vue le {date}. Sa sœur {other} l'a conduite ici. Le traitement "
        "s'est bien passé, la prochaine visite est dans deux semaines. Mme {family} recevra le compte rendu.",
    ),
    "es_ES": (
        "Estimado Sr. {family}:\n\ngracias por su carta del {date}. Su vecina {name} vive en {street}, en {town}. "
        "Adjuntamos la factura. Llame a nuestra oficina si tiene alguna duda.\n\nUn saludo\n{other}",
        "Paciente: {name}\nLa paciente de {town} fue atendida el {date}. Su hermana {other} la trajo aquí. El "
        "tratamiento fue bien, la próxima visita es en dos semanas. La Sra. {family} recibirá el informe.",
    ),
    "it_IT": (
        "Gentile Sig. {family},\n\ngrazie per la Sua lettera del {date}. La Sua vicina {name} abita in {street} a "
        "{town}. La fattura è allegata. Per domande chiami il nostro ufficio.\n\nCordiali saluti\n{other}",
        "Paziente: {name}\nLa paziente di {town} è stata visitata il {date}. Sua sorella {other} l'ha accompagnata. La "
        "terapia è andata bene, la prossima visita è tra due settimane. La signora {family} riceverà il referto.",
    ),
    "pt_PT": (
        "Prezado Sr. {family},\n\nobrigado pela sua carta de {date}. A sua vizinha {name} mora na {street}, em {town}. "
        "A fatura segue em anexo. Ligue para o nosso escritório em caso de dúvida.\n\nAtenciosamente\n{other}",
        "Paciente: {name}\nA paciente de {town} foi atendida em {date}. A irmã {other} trouxe-a de carro. O tratamento "
        "correu bem, a próxima consulta é em duas semanas. A Sra. {family} receberá o relatório.",
    ),
    "nl_NL": (
        "Geachte heer {family},\n\nbedankt voor uw brief van {date}. Uw buurvrouw {name} woont aan de {street} in "
        "{town}. De factuur is bijgevoegd. "
        "Bel ons kantoor als iets niet duidelijk is.\n\nMet vriendelijke groet\n{other}",
        "Patient: {name}\nDe patiënte uit {town} kwam op {date} op het spreekuur. Haar zus {other} heeft haar "
        "gebracht. De behandeling verliep goed, de volgende afspraak is over twee weken. "
        "Mevrouw {family} krijgt het verslag.",
    ),
}
_MONTHS: Final = {
    "en": "January February March April May June July August September October November December",
    "de": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
    "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "it": "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
    "pt": "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
    "nl": "januari februari maart april mei juni juli augustus september oktober november december",
}
_DATES: Final = {"en": "{month} {day}, {year}", "de": "{day}. {month} {year}", "es": "{day} de {month} de {year}"}
_DATES_ELSE: Final = "{day} {month} {year}"


def texts_of(locale: str, count: int) -> list[tuple[str, dict[str, str]]]:
    """Texts with their values."""
    from faker import Faker

    fake = Faker(locale)
    fake.seed_instance(20260101)
    language = locale[:2]
    form = _DATES.get("es" if language == "pt" else language, _DATES_ELSE)
    months = _MONTHS[language].split()
    texts = []
    for number in range(count):
        month = months[fake.random_int(0, 11)]
        values = {
            "family": fake.last_name(),
            "name": f"{fake.first_name()} {fake.last_name()}",
            "other": f"{fake.first_name()} {fake.last_name()}",
            "town": fake.city(),
            "street": fake.street_address().replace("\n", ", "),
            "date": form.format(day=fake.random_int(1, 28), month=month, year=fake.random_int(1950, 2025)),
        }
        texts.append((_TEMPLATES[locale][number % 2].format(**values), values))
    return texts


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--texts", type=int, default=300)
    parser.add_argument("--show", action="store_true", help="print what was missed")
    arguments = parser.parse_args()
    print(
        f"{'':6}" + "".join(f"{kind:>22}" for kind in ("family", "name", "town", "street", "date")) + "   wrong spans"
    )
    for locale in _TEMPLATES:
        pairs = texts_of(locale, arguments.texts)
        answers = embedded_detector().detect([text for text, _ in pairs])
        counts: Counter[tuple[str, bool]] = Counter()
        wrong = 0
        for (text, values), spans in zip(pairs, answers, strict=True):
            open_text = list(text)
            for span in spans:
                open_text[span.start : span.end] = "\0" * (span.end - span.start)
            inside = bytearray(len(text))
            for kind, value in values.items():
                start = text.find(value)
                if start < 0:
                    continue
                inside[start : start + len(value)] = b"\1" * len(value)
                missed = any(map(str.isalnum, open_text[start : start + len(value)]))
                counts["name" if kind == "other" else kind, missed] += 1
                if missed and arguments.show:
                    print(locale, kind, value)
            over = [span for span in spans if not any(inside[span.start : span.end]) and text[span.start].isupper()]
            wrong += len(over)
            if arguments.show:
                print(
                    *(f"{locale} wrong {text[span.start : span.end]!r}" for span in over),
                    sep="\n",
                    end="\n" * bool(over),
                )
        shares = []
        for kind in ("family", "name", "town", "street", "date"):
            hits, misses = counts[kind, False], counts[kind, True]
            bound = clopper_pearson(hits, hits + misses, 0.95)
            shares.append(f"{bound.estimate:.3f} ({bound.lower:.2f}-{bound.upper:.2f})".rjust(22))
        print(f"{locale:6}" + "".join(shares) + f"{100 * wrong / len(pairs):13.1f}", flush=True)


if __name__ == "__main__":
    main()
