"""Names on pages in other languages: what shows them, and capitals that name nobody."""

import pytest

from textveil import detect
from textveil.detection.found import plain
from textveil.detection.lists import LANGUAGES, cues, places, written
from textveil.detection.names_by_language import NamesByLanguage

FOUND = [
    ("fr", "Motif : toux\nAnt\xe9c\xe9dents : HTA, BPCO", []),
    ("fr", "La marraine est Bernadette, la voisine", ["Bernadette person"]),
    ("de", "die Reise von Hamburg nach Lissabon", ["Hamburg place", "Lissabon place"]),
    ("de", "der Trainer Hennes Wittkamp kam", ["Hennes Wittkamp person"]),
    ("de", "sie studierte an der Universität Freiburg", ["Universität Freiburg organization"]),
    ("de", "wegen der Waldrodung und der Ausbuchtungen im Winter", []),
    ("de", "bei Zivilindustrien und in Steueroasen", []),
    ("fr", "il vit à Lille avec Solène Garnier", ["Lille place", "Solène Garnier person"]),
    ("fr", "né dans la ville de Nyenskans", ["Nyenskans place"]),
    ("fr", "élu au Parti communiste français", ["Parti communiste français organization"]),
    ("fr", "Durant la saison, la Facture et le Contrat", []),
    (
        "es",
        "el río Tarazuela y la Universidad de Salamanca",
        ["Tarazuela place", "Universidad de Salamanca organization"],
    ),
    ("es", "viajó a los Estados Unidos con Muricio Ramal", ["Estados Unidos place", "Muricio Ramal person"]),
    ("es", "el Contrato y la Factura de este mes", []),
    ("it", "la città di Reggio Emilia, scrisse Chiara Gatti", ["Reggio Emilia place", "Chiara Gatti person"]),
    ("it", "è andato al Pronto Soccorso con la Ricetta", []),
    (
        "pt",
        "a Confederação Brasileira de Remo em Coimbra",
        ["Confederação Brasileira de Remo organization", "Coimbra place"],
    ),
    ("pt", "segue a Fatura do mês em anexo", []),
    (
        "nl",
        "hij woont in Deventer en werkt bij de Universiteit Utrecht",
        ["Deventer place", "Universiteit Utrecht organization"],
    ),
    ("nl", "de Factuur en de Afspraak zijn bijgevoegd", []),
    ("pl", "mieszka w Krakowie z Bogusławą Rodowską", ["Krakowie place", "Bogusławą Rodowską person"]),
    ("pl", "w powiecie Karnickim działa Uniwersytet Gdański", ["Uniwersytet Gdański organization"]),
    ("de", "die Pflegeleitung und die Notaufnahme bitten um Rückmeldung", []),
    ("it", "Terapia: Cardioaspirina, Ramipril. Grazie Mille.", []),
    ("pt", "Prezados Senhores, o NIF está no Anexo", []),
    ("nl", "stuur het naar de Afdeling Inkoop", []),
    ("it", "contro i Boston Celtics e il Barcellona", ["Boston Celtics organization", "Barcellona place"]),
    ("fr", "elle travaille à l'Académie française", ["Académie française organization"]),
    ("pl", "proszę podpisać Umowę i Fakturę", []),
    ("de", "er hörte Art Blakey in Buxtehude", ["Art Blakey person", "Buxtehude place"]),
    ("de", "nach zwei Siegen sank in den Bergen die Temperatur des Kerns im August", []),
    ("es", "viene con los Cubillo", ["Cubillo person"]),
    ("de", "sie kam aus Wurmensee", ["Wurmensee place"]),
    ("es", "se señala la VISTA para junio", []),
    ("de", "sie fuhr über Poronaisk und ohne Termin", ["Poronaisk person"]),
    ("de", "er gewann mit den Halden Rovers den Pokal", ["Halden Rovers organization"]),
    ("de", "der Erstligist Gelre Rovers verlor", ["Gelre Rovers organization"]),
    ("de", "im Landkreis Karlsruhe seit der Unabhängigkeit Israels", ["Karlsruhe place", "Israels place"]),
    ("de", "der Regisseur Olivier kam", ["Olivier person"]),
    ("de", "der Philosoph José Ortega y Gasset", ["José Ortega y Gasset person"]),
    ("fr", "la Nouvelle-Zélande, l'Argentine et Brest", ["Nouvelle-Zélande place", "Argentine place", "Brest place"]),
    ("it", "nel Monferrato e nella Lunigiana", ["Monferrato place", "Lunigiana place"]),
    ("pl", "w części Estonii i na Roztoczu", ["Estonii place", "Roztoczu place"]),
    ("pl", "urodził się ···· Remigiusz Rydygier", ["Remigiusz Rydygier person"]),
    ("pl", "cena ···· Opłata", []),
    ("pl", "źródła rzek, m.in. Mahakam i innych", ["Mahakam person"]),
    ("pl", "To koniec. Mahakam i inne", []),
    (
        "de",
        "er kam vom Aufsteiger SV Tiedenrode zum Hamburger SV",
        ["SV Tiedenrode organization", "Hamburger SV organization"],
    ),
    ("de", "der Stummfilm Vierlanden und die Punkgruppe Tiedenrode", ["Tiedenrode organization"]),
    (
        "de",
        "am Dietersberg, im Tiedenwald und am Neusiedler See",
        ["Dietersberg place", "Tiedenwald place", "Neusiedler See place"],
    ),
    ("de", "er lebte in St. Gilgen und im Norden Frankreichs", ["St. Gilgen place", "Frankreichs place"]),
    ("de", "am Parkplatz, im Mischwald und am Stadtsee", []),
    ("de", "die Mauer von Lissabon war alt", ["Lissabon place"]),
    ("nl", "zij woont in Den Helder, bij De Wijk", ["Den Helder place"]),
    ("nl", "Het zand ligt in De doos", []),
    ("es", "vive en La Tarazuela con su madre", ["La Tarazuela place"]),
    ("pl", "mieszka w Radomiu, niedaleko Nowego Targu", ["Radomiu place", "Nowego Targu place"]),
    ("pl", "jechał z Nowakiem do Małego Trzebina", ["Nowakiem person", "Małego Trzebina place"]),
    ("pl", "trzy wsie: Rzezica, Krzewnica i Warszawa", ["Rzezica place", "Krzewnica place", "Warszawa place"]),
    ("pl", "trzy owoce: Jabłko, Gruszka i Śliwka", []),
    ("pl", "często bywał w Krzyżowej razem z matką", ["Krzyżowej place"]),
    ("it", "Niente febbre. Rosa ha detto che Rosa Bianchi torna.", ["Rosa person", "Rosa Bianchi person"]),
    ("it", "Evandrio nacque nel 1604.", ["Evandrio person"]),
    ("de", "Zeuge: Roman Weber", ["Roman Weber person"]),
    ("it", "Teodolfo, vescovo di Spoleto, tacque.", ["Teodolfo person", "Spoleto place"]),
    ("pt", "Sigeberta (n. Coimbra, 1604) reinou.", ["Sigeberta person"]),
    ("it", "Ulderigo III regnava da anni.", ["Ulderigo III person"]),
    ("it", "Grafana è lenta. Superbonus e altro. Esodati: nessuno.", []),
    ("it", "la sorella di Costante e il fratello di Prospero", ["Costante person", "Prospero person"]),
    ("pt", "a mãe de Prudente chegou", ["Prudente person"]),
    ("fr", "la mère de Blanche habite ici", ["Blanche person"]),
    ("it", "secondo Zibaldone tutto tace, ma la Portineria e il Reparto no", ["Zibaldone person"]),
    ("pl", "proszę o Fakturę i o Umowę", []),
    ("it", "dopo la gara, Krstulovic tacque", ["Krstulovic person"]),
    ("fr", "chez les Zanobini et les Oyelaran", ["Zanobini organization", "Oyelaran organization"]),
    ("pt", "ontem falou Joaquim Gomes de Azevedo em casa", ["Joaquim Gomes de Azevedo person"]),
    ("pt", "com Zanobini, Pardal e Oyelaran", ["Pardal person"]),
    ("pt", "a praça da Liberdade e o rio Sabor", ["Liberdade place", "Sabor place"]),
    ("it", "lungo il lago di Piombo, oltre il parco", ["Piombo place"]),
    ("it", "in Europa centrale e in India meridionale", ["Europa centrale place", "India meridionale place"]),
    ("it", "la Direzione centrale tace", []),
    ("it", "sulle Alpi bergamasche e in Maremma toscana", ["Alpi bergamasche place", "Maremma toscana place"]),
    ("fr", "dans les Alpes savoyardes et sur la Côte basque", ["Alpes savoyardes place", "Côte basque place"]),
    ("es", "vive en la Sierra leonesa", ["Sierra leonesa place"]),
    ("pt", "fica na Serra gaúcha", ["Serra gaúcha place"]),
    ("pt", "Graça divina!", []),
    ("it", "la Torino vecchia e la Roma antica", ["Torino place", "Roma place"]),
    ("it", "a San Mango d'Aquino e a Porta Ticinese", ["San Mango d'Aquino place", "Porta Ticinese place"]),
    ("it", "la distanza tra Maratona e Atene", ["Maratona place", "Atene place"]),
    ("de", "der Zug zwischen Feld und Hamburg", ["Feld place", "Hamburg place"]),
    ("it", "tra Comune e Regione", []),
    ("it", "il patrono di Caldari (CH) e altri", ["Caldari place"]),
    ("it", "sotto l'Impero bizantino e nell'Oceano pacifico", ["Impero bizantino place", "Oceano pacifico place"]),
    ("fr", "en République tchèque et dans l'Empire ottoman", ["République tchèque place", "Empire ottoman place"]),
    ("it", 'cantò al teatro "Petruzzelli" di Bari', ["Petruzzelli person"]),
    ("it", 'ieri il "Lisbona" partiva', ["Lisbona place"]),
    ("fr", "il habite La Rochelle depuis un an", ["La Rochelle place"]),
    ("it", "il Licenziante e la Cessionaria avvisano i Mandanti", []),
    ("es", "la Licenciante avisa al Comodatario", []),
    ("pt", "vai ao Juizado, a Outorgante e a Cessionária assinam", []),
    ("fr", "Demandez Yzvan au comptoir", ["Yzvan person"]),
    ("fr", "la route de Vitry-sur-Seine est longue", ["Vitry-sur-Seine place"]),
    ("it", "Ludwig zu Wartensee e Hassan ben Ziri", ["Ludwig zu Wartensee person", "Hassan ben Ziri person"]),
]


@pytest.mark.parametrize(("language", "text", "expected"), FOUND, ids=[text for _, text, _ in FOUND])
def test_names_are_found_and_ordinary_capitals_are_not(language: str, text: str, expected: list[str]) -> None:
    spans = NamesByLanguage(language).find(plain(text).text)
    found = [f"{text[span.start : span.end]} {span.kind}" for span in spans if span.kind != "ordinary"]
    assert [name for name in expected if name not in found] == []
    assert expected or not found


@pytest.mark.parametrize("language", LANGUAGES)
def test_cues_are_whole_and_plain(language: str) -> None:
    held = cues(language)
    assert "di" in held.function or language != "it"
    assert len(held.place) > 60 and all(place.isascii() and place == place.lower() for place in held.place)


@pytest.mark.parametrize("language", [language for language in LANGUAGES if "land" in written(language)])
def test_words_for_land_stand_before_places(language: str) -> None:
    assert [word for word in written(language)["land"] if word not in cues(language).spot] == []


def test_places_are_plain_and_parted() -> None:
    large, small = places()
    assert not large & small
    assert all(name.isascii() and name == name.lower() and "-" not in name for name in large | small)


WORDS_TOO = [
    ("fr", "C'est fini. Rose ou bleu, choisis la couleur."),
    ("it", "Niente febbre. Rosa il colorito della cute."),
    ("es", "Está bien. Abril y mayo los cobra la casa."),
    ("de", "Es regnet. Herbst und Winter waren trocken."),
]


@pytest.mark.parametrize(("language", "text"), WORDS_TOO)
def test_a_name_that_is_a_word_of_the_language_heads_a_sentence_as_that_word(language: str, text: str) -> None:
    assert [span for span in NamesByLanguage(language).find(plain(text).text) if span.kind == "person"] == []


def test_titles_of_works_and_events_are_no_names() -> None:
    spans = list(NamesByLanguage("it").find('il film "Vento Rosso" e la Coppa Italia'))
    assert {span.kind for span in spans} <= {"ordinary"}


IN_ONE_CASE = [
    ("de", "hallo, ich bin petra schulz aus hamburg und suche eine wohnung", ["petra schulz", "hamburg"]),
    ("de", "ich bin heute nicht im haus und der winter ist kalt", []),
    ("fr", "salut, je m'appelle solene garnier, j'habite a lille", ["solene garnier", "lille"]),
    ("de", "Anna: wer hat ihn? der holger glaub ich. frag frau zschoche", ["holger", "zschoche"]),
    ("es", "que ramiro? ramiro valdelvira, el de abajo", ["ramiro", "ramiro valdelvira"]),
    ("es", "en abril hay junta. esperanza es lo último q se pierde", []),
    ("es", "PACIENTE: NURIA VEGA RAMOS. VIVE EN BADAJOZ DESDE ENERO.", ["NURIA VEGA", "BADAJOZ"]),
    ("es", "DEPARTAMENTO DE RECURSOS HUMANOS. NOTA IMPORTANTE SOBRE LA FACTURA.", []),
]


@pytest.mark.parametrize(("language", "text", "expected"), IN_ONE_CASE, ids=[text for _, text, _ in IN_ONE_CASE])
def test_names_are_found_without_letter_case(language: str, text: str, expected: list[str]) -> None:
    found = [text[span.start : span.end] for span in detect(text) if span.kind in ("person", "place", "organization")]
    assert [name for name in expected if not any(span.startswith(name) for span in found)] == []
    assert expected or not found


OFFICES = [
    ("es", "JUZGADO DE PRIMERA INSTANCIA N.º 4 DE ALCOY", ["JUZGADO DE PRIMERA INSTANCIA"]),
    (
        "es",
        "El Supremo Tribunal y la Audiencia Provincial de Murcia",
        ["El Supremo Tribunal", "Audiencia Provincial", "Murcia place"],
    ),
    ("it", "ha scritto alla Guardia Costiera e all'Ufficio Acquisti", ["Guardia Costiera", "Ufficio Acquisti"]),
    ("fr", "envoyer à la Direction des Ressources Humaines", ["Direction des Ressources Humaines"]),
    ("fr", "le Tribunal de Lille et l'Ordre du jour", ["Tribunal", "Lille place", "Ordre du jour"]),
    ("pt", "a Ordem do Dia da Junta de Freguesia", ["Ordem do Dia da Junta de Freguesia"]),
    ("nl", "de Afdeling Inkoop van de Hoge Raad", ["Afdeling Inkoop van de Hoge Raad"]),
    ("pl", "Sąd Rejonowy w Gdyni i Wydział Komunikacji", ["Sąd Rejonowy", "Wydział Komunikacji"]),
    (
        "de",
        "das Landratsamt und die Polizeiinspektion Bad Wurzbach",
        ["Landratsamt", "Polizeiinspektion", "Wurzbach place"],
    ),
    (
        "pl",
        "SĄD REJONOWY W GDYNI, Komisariat Policji Jedlicze",
        ["SĄD REJONOWY", "Komisariat", "Jedlicze place"],
    ),
    ("fr", "le Tribunal « Lacaze »", []),
    ("de", "die Polizei aus Weißensee", ["Polizei"]),
    ("it", "il Comune di Zusendorf", []),
    ("es", "Jaime Audiencia y la señora Junta Pérez, Policía Local Recambios S.L.", []),
    ("fr", "Service: 4471, Bureau 12, son bureau", []),
]


@pytest.mark.parametrize(("language", "text", "expected"), OFFICES, ids=[text for _, text, _ in OFFICES])
def test_offices_without_a_name_of_their_own_are_ordinary_and_the_place_behind_is_one(
    language: str, text: str, expected: list[str]
) -> None:
    read = plain(text)
    spans = NamesByLanguage(language).find_offices(read.text)
    found = [f"{text[slice(*read.original(span.start, span.end))]} {span.kind}" for span in spans]
    assert [name.removesuffix(" ordinary") for name in found] == expected
