"""Postal addresses: street lines, apartments, boxes, codes after states, in English and some other forms.

The endings are those of the United States Postal Service's list of street suffixes, and small words of other countries.
"""

import re
from collections.abc import Iterator
from typing import Final

from textveil.detection.found import OTHER, Found, Search, near, words_in
from textveil.detection.gates import (
    at_digits,
    both,
    either,
    holding,
    joined_words,
    matching,
    places_of,
    with_words,
)
from textveil.detection.lists import Marks, lists, written
from textveil.text.english import FUNCTION_WORDS
from textveil.text.patterns import either_of, lazy_regex, matches

_ENDING: Final = either_of(" ".join(written("en")["street ends"]))
_SMALL_ENDING: Final = either_of(" ".join(written("en")["small street ends"]))
_ODD_ENDING: Final = either_of(" ".join(written("en")["odd street ends"]))
_STRONG_ENDING: Final = either_of(" ".join(written("en")["strong street ends"]))
_LEADING: Final = either_of(
    r"""rua r\. viale v\.le piazza p\.zza piazzale corso c\.so vicolo contrada salita frazione fraz\. traversa
    calle carrer cami c/
    jr\. jiron psje\. carrera cra\.? avenida avda\.? av\. plaza pza\.? paseo ronda
    camino carretera ctra\.? travesia urbanizacion urb\. glorieta callejon
    cuesta pasaje rambla barriada poligono bulevar carrera praca praceta alameda estrada calcada beco rotunda ladeira
    travessa viela largo strada rue avenue boulevard bd chemin impasse allee quai faubourg sentier sente venelle clos
    lotissement hameau residence traverse ruelle
    montee ul\. ulica al\. aleja aleje pl\. plac os\. osiedle rondo trg cesta
    namesti via"""
)
_VAGUE_LEADING: Final = either_of("place route cours square passage voie")
"""Words that lead a street's name and are English words too: with a particle behind them."""
_PARTICLE: Final = (
    "(?:d[aeio]s?|du|des|de l[ao]s?|dell[aeo]?|dei|degli|del|al|la|le|les|el|los|las|e|y|et|i|von|van|der|den|of)"
)
_STREET_WORD: Final = either_of(
    """gatan gata gaten gade vej vegen veien vagen katu polku kuja ntie straat laan weg strasse strase gasse platz allee
    damm ufer plein gracht dreef steenweg singel kade utca utja korut gotu hraun vangur vegur braut stigur tun teigur
    ulice cesta ulica skogen backe backen bakken bakki vagur holt lundur stien svingen grand stigen torget torv plads
    twiete chaussee graben brink kamp winkel bogen stiege redder stieg"""
)
_AFTER_NAME: Final = either_of("utca ut ter u\\. ulica ulice cesta gata vag vei mnt pst tanav iela gatve str\\. utja")
_LYING: Final = (  # how names of streets begin that tell where the street lies or what it is like, and end in any word
    "(?:A(?:m|n de[rnm])|Auf de[rnm]|I(?:m|n de[rnm])|Hinter de[rnm]|Unter de[rnm]|Vor de[rnm]|Zu[mr]|Bei(?:m| de[rnm])"
    "|Obere[rnms]?|Untere[rnms]?|Alte[rnms]?|Neue[rnms]?|Kleine[rnms]?|Gros?se[rnms]?|Lange[rnms]?|Hohe[rnms]?"
    "|Achter (?:de|het|'t)|Aan (?:den?|het)|Op (?:den?|het)|Bij (?:de|het)|Oude|Nieuwe|Grote|Korte|Hoge|Lage)"
)
_COUNTED: Final = words_in(
    """GMT UTC CET CEST BST EST EDT PST PDT CST CDT MST MDT MEZ MESZ WET EET
    Kapitel Abschnitt Seite Seiten Nummer Nr Jahr Jahre Woche Tag Tage Klasse Zimmer Raum Saal Halle Gleis Etage
    Stock Band Heft Teil Artikel Punkt Bild Tabelle Abbildung Fall Runde Spiel Gruppe Version Stufe Phase Schritt Ubung
    Lektion Aufgabe Zeile Spalte Level Quartal Alter Station Bett Linie Bus Zug Tisch Reihe Jahrgang Formel Folge
    Staffel Sommer Winter Herbst Fruhjahr Fruhling Schnitt Durchschnitt Mittel Wert Ende Anfang Kategorie Typ Grad
    Absatz Satz Anhang Anlage Feld Datum Uhr Montag Dienstag Mittwoch Donnerstag Freitag Samstag Sonntag Januar Februar
    Marz April Mai Juni Juli August September Oktober November Dezember Hoofdstuk Pagina Week Dag Jaar Kamer Zaal Spoor
    Lijn Deel Stap Tabel Figuur Les Ronde Groep Fase Graad Room Ward Bed Unit Chapter Page Table Team Building Floor
    Day Class Grade Type Stage Group Bay Gate Platform Terminal Zone Area Box Line Case Step Section Part Figure
    Appendix Note Item Version Release Windows Python Java Ubuntu Phase Suite Apt Flat Lot Number No Chapitre Page
    Article Tableau Semaine Jour Chambre Salle Etape Capitulo Pagina Articulo Tabla Semana Dia Sala Habitacion Fase
    Capitolo Articolo Tabella Settimana Giorno Stanza Aula Piano Artigo Tabela Quarto Rozdzial Strona Pokoj Sala Tydzien
    Mr Mrs Ms Dr Age Aged Score Round Season Episode Volume Level Model Route Highway Exit Channel Channels
    January February March May June July October December"""
)
"""Words that a number stands behind in a row of such numbers: no street is called so."""
_NOT_COUNTED: Final = rf"(?!(?:{either_of(' '.join(_COUNTED))})\b)"
INNER: Final = (
    r"(?:(?:,| -)?\s{1,2}(?i:(?:piso|puerta|pta\.?|esc\.?|escalera|planta|portal|apto?\.?|apartamento|appartements?"
    r"|appt?\.?"
    r"|appartamento|piano|int\.?|interno|scala|wohnung|whg\.?|etage|bloco|bl\.|bus|bat\.?|batiment|escalier|porte|m\."
    r"|lok\.|lejl\.?|lgh\.?|unit|flat|apt\.?|apartment|suite|bajo|atico|casa|sala) ?(?:n[o.]{1,2} ?)?"
    r"(?:[0-9]{1,4}[a-z]?|[a-z])"
    r"|[0-9]{1,2}\.?[oae]{0,2} ?(?:[a-h]|dto|esq|izq|izda|izqda|dcha|og|ug|stock|tv|th|mf|sal|piso|andar|etage"
    r"|floor|frente)\.?"
    r"|(?:r/c|bajo)(?: (?:esq|dto|dta|dir|frente|izq|izda|dcha))?\.?|fundos|rez-do-chao|bajos|sobreloja|cave|hs"
    r"|huis)(?!\w)){0,3}"
)
"""A part of a house behind the number of the house, in eight languages."""

_UNIT: Final = (
    r"(?:(?:[Aa]pt|[Aa]partment|[Ss]uite|[Ss]te|[Uu]nit|[Rr]oom|[Rr]m|[Ff]loor|[Ff]lat|APT|SUITE|UNIT)\.? ?#?"
    r"[0-9]{1,5}[A-Za-z]?(?: [Bb]ox [0-9]{1,6})?"
    r"|(?:[Pp]\.? ?[Oo]\.? ?|[Pp][Ss][Cc] [0-9]{1,6},? |[Pp]ost)[Bb]ox [0-9]{1,6})(?!\w)"
)
_FIRST: Final = r"[1-9](?<![\w./$\xa4-].)(?<![^A-Za-z\"\xb7],.)"
"""A digit but 0 before which no number and no word stands, but perhaps another column.
Patterns that begin with a set of characters are fast."""

_NUMBER: Final = rf"{_FIRST}[0-9]{{0,5}}(?:[A-Za-z]|[-/][0-9]{{1,4}})?"
_WORD: Final = r"(?:[A-Z][A-Za-z'-]{0,3}\.|[A-Z0-9][A-Za-z0-9'-]{0,30})"
_ANY_WORD: Final = r"[A-Za-z][A-Za-z'.-]{0,30}"
_HOUSE: Final = (
    r"[0-9]{1,5}(?:[/-][0-9]{1,4}){0,2}(?:/(?:bis|ter|[A-Za-z])\b|[A-Za-z](?![\w'])| [A-H](?![\w'])| [a-h]"
    r"(?=[,.;\n)]|\Z)| ?(?:bis|ter)\b)?"
    r"(?:-[IVX]{1,4})?(?!\w|[.,:/-][0-9]|%)"
)
_CAPITALS: Final = (
    rf"(?:(?:[0-9]{{1,2}}\.? (?:{_PARTICLE} )?)?(?!N[or]\b)[A-Z][A-Za-z'.-]{{0,30}}(?:(?<![a-z]{{4}}\.) (?:{_PARTICLE}"
    rf" ){{0,2}}[A-Z][A-Za-z'.-]{{0,30}}){{0,4}})"
)
_SHORT_HOUSE: Final = rf"(?=[0-9]{{1,3}}(?![0-9])){_HOUSE}"
_NO_UNIT: Final = (
    r"(?! ?(?:[%$\xa4]|[a-z]{0,3}[gml]\b|Uhr|Euro|EUR|Prozent|Grad|Jahr|Tag|Woche|Monat|Stunde|Minute|jaar|uur|x\b))"
)

_ENGLISH: Final = lazy_regex(
    rf"{_NUMBER},? (?:{_WORD} ){{0,4}}?{_WORD}(?: |\n(?:> ?)?(?=[A-Z][a-z]{{2,9}},))"
    rf"(?:{_ENDING}|{_STRONG_ENDING})\b\.?(?: (?:{_ENDING}|{_ODD_ENDING})\b\.?){{0,2}}"
    r"(?: (?:NE|NW|SE|SW|North|South|East|West|N|S|E|W)\b\.?)?"
    rf"(?:,?\s{{1,3}}(?:#[0-9]{{1,5}}|{_UNIT}))?"
)
_ODD: Final = lazy_regex(
    r"(?P<number>[uUfF0-9](?<![\w./$\xa4-].)(?:(?<=[uUfF])[0-9]{1,3}/[0-9]{1,4}|(?<=[0-9])[0-9]{0,4}"
    r"(?:[/-][0-9]{1,4})?)[A-Za-z]?),? "
    r"(?:The [A-Z][a-z]{3,15}s|(?P<name>(?:St\.? |Old )?[A-Z][A-Za-z'-]{1,20}(?: [A-Z][A-Za-z'-]{1,20})?)"
    rf" (?:(?P<odd>{_ODD_ENDING})(?! [A-Z0-9])|{_ENDING}|{_STRONG_ENDING}))(?![\w'-])"
)
_BEFORE_ODD: Final = lazy_regex(
    r"(?:\A|[\n,;:(|\"] ?|(?i:\b(?:at|to|from|near|of|on|in|no\.?|number|nr|(?:flat|unit) \w{1,3},?|addr\.?|address"
    r"|is|visit) ))\Z"
)
_TOWN_BEFORE_STATE: Final = lazy_regex(
    r",? (?P<town>[A-Z][a-z]{2,20}(?: [A-Z][a-z]{2,20})?),? (?:NSW|VIC|Vic|QLD|Qld|WA|SA|TAS|Tas|ACT|NT)(?!\w)"
)
_BEHIND_ODD: Final = lazy_regex(r"[,;)\n\"|]|\Z|\.(?:\s|\Z)")
_NOT_ODD: Final = words_in(
    """next final action key further follow easy simple basic quick main big small new more best good top bottom left
    right front back last first second third other great year month week day dead loose west east north south rear inner
    outer upper lower weekly monthly daily annual total gross net data test build user case star"""
)
"""First words before an end that is a thing to count: 3 Easy Steps."""
_SMALL: Final = lazy_regex(
    rf"{_FIRST}[0-9]{{0,5}}[A-Za-z]? (?:{_ANY_WORD} ){{1,3}}?(?:{_SMALL_ENDING})\b\.?(?:,?\s{{1,3}}{_UNIT})?"
)
_OTHERS: Final = lazy_regex(
    rf"(?<![\w/.-])(?:(?:[0-9]{{1,6}}(?: ?bis| ?ter|[A-Za-z])?,? ){{1,2}}"
    rf"(?:(?i:{_LEADING}) ?(?:{_PARTICLE} |[dl]'){{0,2}}|(?:{_VAGUE_LEADING}) (?:{_PARTICLE} (?:l[ae] )?"
    rf"|[dl]')){_CAPITALS}"
    rf"|(?!via [A-Z]{{2}}|[Cc]orso di )(?:(?i:{_LEADING}) ?(?:{_PARTICLE} |dell'|[dl]'){{0,2}}|(?:{_VAGUE_LEADING}) )"
    rf"{_CAPITALS},? (?:n\.?[o\xb7]?\.? ?)?(?!(?:19|20)[0-9]{{2}}\b)(?:{_HOUSE}|s/n\b)"
    rf"|(?:rua|calle|avenida|via|ulica|ul\.) (?:{_PARTICLE} ){{0,2}}(?:[a-z]{{3,20}} ){{1,2}}{_SHORT_HOUSE}"
    rf"|Quadra [0-9]{{1,4}}(?: [A-Z][a-z]{{2,10}})?(?=,)"
    rf"|(?:[A-Z][A-Za-z'.-]{{0,30}} ){{0,3}}[A-Z][A-Za-z'-]{{1,30}}(?:{_STREET_WORD}),? {_HOUSE}"
    rf"|[a-z][a-z'-]{{3,30}}(?:gatan|straat|strasse|strase|vegen|steenweg|plein|laan|gade|katu) {_HOUSE}"
    rf"|(?:[A-Z][A-Za-z'.-]{{0,30}} ){{1,3}}(?:{_AFTER_NAME}) {_HOUSE}"
    rf"|{_LYING} (?:[A-Z][a-z-]{{2,20}} )?{_NOT_COUNTED}[A-Z][A-Za-z-]{{2,30}} {_SHORT_HOUSE}{_NO_UNIT}"
    rf"(?=[,.;:)\n]|\Z| [(-]| (?:nach|in|und|oder|bei|statt|links|rechts|naar|en|of|te)\b)"
    rf")(?:{INNER}|,?\s{{1,3}}{_UNIT})"
)
_REPORTER = r"(?:[A-Z][A-Z.]{0,5} ){1,2}[0-9]"  # behind the volume of a law report: 2 AC 214, 410 U.S. 113

_BIBLE: Final = "(?:Corinthians|Kings|Samuel|Chronicles|Thessalonians|Timothy|Peter|John|Maccabees) [0-9]"

_NUMBERED: Final = lazy_regex(
    rf"{_FIRST}[0-9]{{0,5}},? (?:[0-9]{{1,6}} )?(?:{_ANY_WORD} ){{1,5}}?(?:{_HOUSE} )?{_UNIT}"
    rf"|{_FIRST}[0-9]{{0,5}} (?!{_REPORTER}|{_BIBLE})(?:(?:[A-Z][A-Za-z'-]{{0,30}}|[A-Z][a-z]?\.) ){{1,4}}?{_HOUSE}"
    rf"(?:,?\s{{1,3}}{_UNIT})?"
)
_LIVING: Final = """
live lives lived living reside resides resided residing lodges stays stayed staying moved moving address addresses
deliver delivered delivery parcel ship shipped home located side corner rented house domiciled
wohnt wohne wohnhaft wohnen wohnte wohnort umgezogen gezogen anschrift adresse lieferung geliefert gemeldet
habite habitons habitait habitant habitent demeure demeurant demeurent demeurait domicile domiciliee loge residant
vive vivo viven vivia vivimos domicilio residente residenti direccion mudado mudada
abita abito abitava abitiamo indirizzo trasferito trasferita trasferiti trasferite domiciliato domiciliata
mora moro morava moram endereco morada
woont woonde woonachtig wonen verhuist verhuisd verhuisde verhuisden verhuizen adres bezorgd bezorgen bezorging
mieszka mieszkam mieszkaja mieszkala mieszkal zamieszkala zamieszkaly zamieszkale zam bosatt adress bopael bor
"""
"""Words of living somewhere, moving and delivering, in nine languages: what stands behind one may be an address."""
_LIVES: Final = lazy_regex(rf"(?<![A-Za-z])(?:(?i:{either_of(_LIVING)})(?![A-Za-z])|c/o )")
_BEGINS_LIVING: Final = joined_words(f"{_LIVING} c")
_CAPITAL: Final = r"[A-Z][A-Za-z'.-]{1,30}"
_SHAPE: Final = lazy_regex(
    rf"(?<![\w/.$\xa4-])(?:(?:(?<=t )|(?<=o )|(?<=rom )|(?<=[in] )|(?<=[io]s )|(?<=[:,(\n] )|(?<=\n)|(?<=on )|"
    rf"(?<=[ad]e )|(?<=au ))"
    rf"[0-9]{{1,5}}[A-Za-z]?(?:[/-][0-9]{{1,4}})?,? (?P<first>{_CAPITAL})(?: {_CAPITAL}){{0,3}}{INNER}"
    rf"|(?:(?:[Aa]an|[Oo]p|[Dd]e|[Hh]et|{_LYING}) (?:(?:de|het|den|der) )?)?(?:[Dd]e |[Hh]et )?"
    rf"(?P<begin>{_CAPITAL})(?: (?:{_PARTICLE} )?(?P<last>{_CAPITAL})){{0,4}},? (?:n\.?[o\xb7]?\.? ?)?"
    rf"(?:{_HOUSE}{_NO_UNIT}|s/n\b){INNER}"
    rf"|{OTHER}{{4,80}})(?:, (?P<town>[A-Z][a-z'-]{{2,30}}(?: [A-Z][a-z'-]{{2,30}}){{0,2}})(?=[,.;)\n]|\Z))?"
    rf"(?=[,.;:)\n\"']|\Z| \(| (?:nach|in|und|oder|bei|and|near|is|was|since|for|until|et|y|e|a|con|avec|w|do|od|en"
    rf"|te|naar|to|i|but|who|with"
    rf"|depuis|desde|dal|seit|sinds|zu|um|ist|statt)\b)"
)
_SENTENCE: Final = lazy_regex(r"[.!?]\s[A-Z]|\n\n")
_WITHIN: Final = 70  # characters of a sentence in which an address may stand behind a word of living
_EU_CODE: Final = r"(?:(?:[A-Z]{1,2}-)?[0-9]{4,5}(?:-[0-9]{3})?|[0-9]{3} [0-9]{2}|[0-9]{2}-[0-9]{3}|[0-9]{4} ?[A-Z]{2})"
TOWN_NAME: Final = (
    rf"(?:'[ts][ -]|[Dd]e |[Dd]en |[Ll][ae]s? )?[A-Z][A-Za-z']{{1,30}}(?:[ -](?:(?:{_PARTICLE}|am|an de[rn]|im|in der"
    rf"|ob de[rm]|vor de[rm]|vorm|bei|a\.d\.|sur|sous|en|op|aan de[rn]?|bij|a/d|in|sul|o|upon|on|by|nad|pod|na|w|'[ts]"
    rf"|d'|[Dd]i)[ -]?)?{_NOT_COUNTED}[A-Z][A-Za-z']{{1,30}}){{0,4}}(?: \((?:[A-Z][a-z]{{2,14}}|[A-Z]{{2}})\))?"
)
"""A town behind its postal code: Osterode am Harz, 't Harde, Santa Maria da Feira, Frankfurt (Oder)."""
_BEFORE_CODE: Final = lazy_regex(
    rf"(?<![\w/.-])(?P<street>{OTHER}{{4,80}}|(?=[A-Za-z'. -]{{3,250}}+(?:, )?[0-9])"
    rf"{_NOT_COUNTED}{_CAPITAL}(?: (?:{_PARTICLE} )?{_CAPITAL}){{0,4}},?"
    rf" {_HOUSE}{INNER}),?(?: |\n| - )"
    rf"(?P<town>{_EU_CODE} {_NOT_COUNTED}{TOWN_NAME})(?!\w)"
)
_ENGLISH_CODE: Final = (
    r"(?:[A-Z]{1,2}[0-9][A-Z0-9]? [0-9][A-Z]{2}|(?:NSW|VIC|QLD|WA|SA|TAS|ACT|NT) [0-9]{4}(?![0-9]))(?!\w)"
)
_BLOCK: Final = lazy_regex(
    rf"(?<![\w/.$\xa4-])(?P<street>(?:(?:[Uu]nit|[Aa]partment|[Aa]pt|[Ff]lat|[Ll]ot|[Ss]uite) ?[0-9A-Za-z]{{1,4}}"
    rf"(?:,| ){_CAPITAL}?"
    rf"|[0-9]{{1,5}}[A-Za-z]?(?:[/-][0-9]{{1,4}})?,? {_CAPITAL}|{_CAPITAL} (?:House|Cottage|Farm|Lodge|Hall|Barn"
    rf"|Mill|Court|Villa))"
    rf"(?:,? {_CAPITAL}){{0,6}})(?:, ?|,?\n)(?P<town>{_CAPITAL}(?:[ -][A-Za-z]{{2,20}}){{0,3}}),? (?={_ENGLISH_CODE})",
    within=_ENGLISH_CODE,
)
_NO_NAME: Final = either_of(
    """a acre am and are bed best big block blocks by car day days different double easy feet first foot ft full good
    great green half hour hours hr hrs in inch is kid kids km lane large last lead long m main man men meter meters
    metre metres mg mile miles min mins minute minutes ml month months more new next nice of old on one or other
    parking past people per percent player pm point points seat sec second seconds secs short side single small star
    stars step steps the time times to too two very was way week weeks with woman women yard yards yds year years"""
)
_WEAK_SMALL: Final = lazy_regex(
    rf"{_FIRST}[0-9]{{0,3}}[a-z]? (?!(?:{_NO_NAME})\b)(?:[a-z][a-z'-]{{2,20}} ){{1,2}}(?:walk|close|way|place|row|hill"
    r"|gardens?|square|view|rise|quay|wharf|yard|bank|drive|green|gate|park|end|mead|croft|reach|strand|wynd|parade"
    r"|buildings|cottages?|avenue|alley|hollow|loop|trail|circle)\b(?! (?:of|per|with)\b)"
)
_BEFORE_SMALL: Final = lazy_regex(
    r"(?:(?P<weak>(?:\A|[\n,;:(\"]) ?)|\b(?:at|to|from|near|address|on|outside|opposite|no\.?|(?:flat|unit|apt)"
    r" ?\w{1,4}) |\xb7,? ?)\Z"
)
_UNIT_BEFORE: Final = lazy_regex(
    r"(?<![\w-])(?:[Aa]pt|[Aa]partment|[Ss]uite|[Ss]te|[Uu]nit|[Rr]oom|[Ff]lat|[Ll]ot)\.? ?"
    r"(?:#?(?:[0-9]{1,4}[A-Za-z]?|(?<=[ .])[A-Za-z]),? )?\Z"
)
_HOUSE_NUMBER: Final = lazy_regex(r"[0-9](?<![\w.-].)[0-9]{0,4}|s/n\b")
_KEY: Final = (
    r"(?i:(?:street|road|str|addr|address|home|mailing|shipping|billing|delivery|postal|house)"
    r"(?:[ _-]?(?:address|name|line|street|addr))?(?:[ _-]?(?:line)?[ _-]?[0-9])?|calle|direccion|domicilio|stras?se"
    r"|anschrift|adresse|rue|indirizzo|via|morada|endereco|rua|adres|straat|ulica|adress|gata|city|town|village"
    r"|locality"
    r"|suburb|post_?code|postal_?code|zip(?:_?code)?|plz|ort|ville|ciudad|poblacion|localidad|comune|citta|cidade"
    r"|plaats|woonplaats|miasto|cap|cp|county|province)"
)
_KEYED: Final = lazy_regex(
    rf"\"(?<!\w.){_KEY}\" ?: ?\"(?P<place>(?=[A-Z]|[a-z]{{2,9}} [0-9]{{1,4}},? [A-Za-z]"
    rf"|[0-9]{{1,5}}[A-Za-z]?,? [A-Za-z]|[0-9]{{4,5}}(?![0-9]))[^\"\n@/=<>{{}}$:\\_]{{2,80}})(?=\")"
)
"""A place under a key of JSON, whatever it looks like; not a path, a host or a word in small letters."""
_NO_VALUE: Final = words_in(
    "String Text Null None Unknown N/A Street Address City Town Required Optional Number Integer"
)
_ALONE: Final = lazy_regex(
    rf"(?<!\w)(?:{_UNIT}|[0-9]{{1,2}}\.?[oa] (?:[A-H](?![\w.'])|izq(?:ui?e?r?da|da)?\b|d(?:re)?cha\b|esq\b|dto\b)\.?)"
)

_STATE: Final = (
    "(?:A[KLPRSZ]|C[AOT]|D[CE]|FL|GA|HI|I[ADLN]|K[SY]|LA|M[ADEINOST]|N[CDEHJMVY]|O[HKR]|P[AR]|RI|S[CD]|T[NX]"
    "|UT|V[AT]|W[AIVY])"
)
_CODES: Final = lazy_regex(
    rf"(?<!\w)(?:(?:{_STATE}|[A-Z]{{2}}),? [0-9]{{5}}(?:-[0-9]{{4}})?(?![\w-])"
    r"|[A-Z]{1,2}[0-9][A-Z0-9]? [0-9][A-Z]{2}(?!\w)|[A-Z][0-9][A-Z] ?[0-9][A-Z][0-9](?!\w)"
    r"|(?:[AC-FHKNPRTV-Y][0-9]{2}|D6W) (?=[0-9]{0,3}[A-Z])(?=[A-Z]{0,3}[0-9])[0-9AC-FHKNPRTV-Y]{4}(?!\w)"
    r"|(?:[AFD]PO A[AEP]|[afd]po a[aep]) [0-9]{5}(?!\w)|(?:USS|USNS|USNV|USCGC) [A-Z][a-z]{1,30}(?![A-Za-z]))"
)
_NO_STATE: Final = "OK,? (?!7[34])|IN,? (?!4[67])|OR,? (?!97)|ME,? (?!0[34])|HI,? (?!96)"
"""States whose two letters are a word, before numbers that are none of their postal codes: Status OK 20000."""

_TOWN: Final = lazy_regex(
    r"(?<![\w'-])(?P<place>[A-Z][a-z]{1,20}\.?(?:[ -][A-Z][a-z'-]{2,20}){0,2}),? "
    rf"(?!{_NO_STATE})(?={_STATE},? [0-9]{{5}}(?:-[0-9]{{4}})?(?![\w-])|(?<=, )ID {OTHER}{{5}}(?!\w))"
)
"""A town before its state and postal code. ID is Idaho behind a comma alone; its code may have been found as an ID."""

_BRITISH_TOWN: Final = lazy_regex(
    r"[,\n] ?(?!P(?:ost|OST))(?P<place>[A-Z][A-Za-z'-]{1,20}(?:[ -][A-Za-z'-]{2,20}){0,3}),? "
    r"(?=[A-Z]{1,2}[0-9][A-Z0-9]? [0-9][A-Z]{2}(?!\w))"
)
"""A town before its postal code, behind a comma or at the start of a line: , Stoke on Trent ST4 7QB."""

_SMALL_CODE: Final = lazy_regex(
    r"[a-z](?<![\w.-].)(?:(?<=[begmlnsw])|(?<=a)[bl]|(?<=b)[abdhlnrst]|(?<=c)[abfhmortvw]|(?<=d)[adeghlnty]"
    r"|(?<=e)[chnx]"
    r"|(?<=f)[ky]|(?<=g)[lu]|(?<=h)[adgprsux]|(?<=i)[gpv]|(?<=k)[atwy]|(?<=l)[adelnsu]|(?<=m)[ekl]|(?<=n)[egnprw]"
    r"|(?<=o)[lx]|(?<=p)[aehlor]|(?<=r)[ghm]|(?<=s)[aegklmnoprstwy]|(?<=t)[adfnqrsw]|(?<=u)b|(?<=w)[acdfnrsv]|(?<=y)o"
    r"|(?<=z)e)[0-9][0-9a-z]? [0-9](?!st|nd|rd|th|hr|ft|lb|gb|yr|pt|ed)[abd-hjlnp-uw-z]{2}(?!\w)"
)
"""A British postal code in small letters, by its area: ls6 3hn."""

_AFTER_CODE_WORD: Final = lazy_regex(
    r"\b(?:[Zz][Ii][Pp]|[Pp]ost(?:al)? ?code|[Pp]ostcode|PLZ)(?: [Cc]ode)?(?: (?:is|number))?:? ?"
    r"(?P<place>[0-9]{3,5}(?:[- ][0-9]{2,4})?(?: ?[A-Z]{2})?)(?!\w)"
)
_AFTER_COMMA: Final = lazy_regex(
    rf"(?:, (?<=[a-z], )|(?:[Ll]ocation|[Ss]tate): )(?P<place>{_STATE})(?![\w']|-[A-Z]| [0-9]{{2,3}}/[0-9])"
)

UNIT_GATE: Final = at_digits(
    r"[0-9]\.?[oa] [A-Hide]|(?:pt|ment|uite|te|nit|oom|[Rr]m|oor|lat|APT|SUITE|UNIT|ox)\.? ?#?[0-9]"
)
TOWN_GATE: Final = at_digits("[A-Za-z],? [0-9]{5}|[A-Z][0-9]")
_AFTER_STREET: Final = at_digits(rf"(?:{_STREET_WORD}|{_AFTER_NAME}) [0-9]")
_LIVE_WORDS: Final = either(with_words(_LIVING), holding("c/o "))


def _with_unit(text: str, start: int) -> int:
    unit = _UNIT_BEFORE.search(text, max(0, start - 20), start)
    return start if unit is None else unit.start()


def _search(pattern: re.Pattern[str], score: float, anchor: re.Pattern[str] | None = None) -> Search:
    group: int | str = "place" if "(?P<place>" in pattern.pattern else 0

    def find(text: str) -> Iterator[Found]:
        candidates = matches(pattern, text) if anchor is None else near(pattern, text, anchor, 150, 50)
        for match in candidates:
            start, end = match.span(group)
            # A full stop is the sentence's, but before a comma.
            yield Found(
                _with_unit(text, start), end - (text[end - 1] == "." and text[end : end + 1] != ","), "place", score
            )
            yield from towns_behind(text, end)

    return find


_TOWN_BEHIND: Final = lazy_regex(
    rf"{INNER}(?: ?, s/n)?(?: ?,\s{{1,2}}|\n| - )(?P<coded>{_EU_CODE},? {_NOT_COUNTED}{TOWN_NAME})(?!\w)"
    r"|, (?P<town>[A-Z][a-z'-]{2,30}(?:[ -](?:[a-z]{1,4} )?[A-Z][a-z'-]{2,30}){0,2})"
    r"(?=[,;)\n]|\.(?:\s|\Z)|\Z| [(-]|  )"
)


def towns_behind(text: str, end: int, ordinary: frozenset[str] = frozenset()) -> Iterator[Found]:
    """Yield the town behind a street: of any name behind a postal code, else not of ordinary words alone."""
    town = _TOWN_BEHIND.match(text, end)
    if town is None or town["coded"]:
        if town is not None:
            yield Found(*town.span("coded"), "place", 0.6)
        return
    marks = [lists().words.get(word.lower(), 0) for word in town["town"].split()]
    if (
        town["town"].lower() not in ordinary
        and marks[0] & (Marks.GIVEN | Marks.PLACE) != Marks.GIVEN
        and not all(mark & Marks.COMMON and not mark & Marks.PLACE for mark in marks)
    ):
        yield Found(*town.span("town"), "place", 0.55)


def find_towns(text: str) -> Iterator[Found]:
    """Yield a town before its state and postal code: Salem, OR 97301."""
    for match in matches(_TOWN, text):
        first, _, rest = match["place"].partition(" ")
        begin = len(first) + 1 if rest and first.lower() in FUNCTION_WORDS else 0
        yield Found(match.start("place") + begin, match.end("place"), "place", 0.7)


find_lines: Final = _search(_ENGLISH, 0.8)
LINE_GATE: Final = at_digits("[0-9][A-Za-z]?,? [A-Z0-9]")
find_other_lines: Final = _search(_OTHERS, 0.7, _HOUSE_NUMBER)
OTHER_LINE_GATE: Final = both(
    either(at_digits("[A-Za-z.,)] ?[0-9]|[0-9],? [A-Za-z]"), holding("s/n")),
    either(
        with_words(
            " ".join(sorted({word for word in re.findall("[a-z]{2,}", _LEADING) if word not in ("le", "so")}))
            + " am dem der den zum zur beim obere alte neue kleine lange hohe achter het oude nieuwe quadra"
        ),
        either(_AFTER_STREET, holding("C/", "c/ ", "R. ", "C.so ", "V.le ")),
    ),
)
find_numbered: Final = _search(_NUMBERED, 0.6)
NUMBERED_GATE: Final = either(UNIT_GATE, at_digits("[0-9] [A-Z]"))


def find_odd_lines(text: str) -> Iterator[Found]:
    """Yield a house number with a street of an uncommon end, or a named row: 44 Ferry Loan, 3 The Elms."""
    for match in matches(_ODD, text):
        unit = match["number"][0] in "uUfF"
        if match["name"] is not None and match["odd"] is None and not unit:
            continue
        first = (match["name"] or "the").lower().split()[0]
        behind = _BEHIND_ODD.match(text, match.end())
        before = _BEFORE_ODD.search(text, max(0, match.start() - 14), match.start())
        rare = match["name"] is not None and not lists().words.get(first, 0) & Marks.COMMON
        if unit or (first not in _NOT_ODD and before is not None and (behind is not None or rare)):
            yield Found(_with_unit(text, match.start()), match.end(), "place", 0.6)
            yield from towns_behind(text, match.end())
            if (town := _TOWN_BEFORE_STATE.match(text, match.end())) is not None:
                yield Found(*town.span("town"), "place", 0.6)


ODD_GATE: Final = at_digits("[0-9][A-Za-z]?,? [A-Z]")
find_small: Final = _search(_SMALL, 0.6)
SMALL_GATE: Final = at_digits("[0-9][A-Za-z]? [A-Za-z]")


def find_addresses_after_words(text: str) -> Iterator[Found]:
    """Addresses in a sentence that says that somebody lives, moves or gets something there, whatever their form."""
    reached = 0
    for at, _ in places_of(text, _BEGINS_LIVING):
        word = _LIVES.match(text, at)
        if word is None:
            continue
        start, stop = max(word.end(), reached), min(len(text), word.end() + _WITHIN)
        ends = _SENTENCE.search(text, start, stop)
        for match in matches(_SHAPE, text, start, ends.start() + 1 if ends else stop):
            reached = match.end()
            if _COUNTED.isdisjoint(match.group("first", "begin", "last", "town")):
                start = match.start() if match[0][0] != OTHER else match.start("town")  # a street that was found
                if start >= 0:
                    yield Found(start, reached, "place", 0.6)
                yield from towns_behind(text, reached)


def find_addresses_before_codes(text: str) -> Iterator[Found]:
    """Yield streets that the postal code of a town follows, whatever their names, and the towns."""
    for pattern in (_BEFORE_CODE, _BLOCK):
        for match in matches(pattern, text):
            if match["street"][0] != OTHER:
                yield Found(*match.span("street"), "place", 0.65)
            yield Found(*match.span("town"), "place", 0.65)


def find_places_under_keys(text: str) -> Iterator[Found]:
    """Yield what stands under a key of JSON such as "street" or "city"."""
    for match in matches(_KEYED, text):
        if match["place"] not in _NO_VALUE:
            yield Found(*match.span("place"), "place", 0.8, "field")


KEYED_GATE: Final = matching(r'[A-Za-z0-9]" ?: ?"', amid='"')


def find_weak_small(text: str) -> Iterator[Found]:
    """Yield lines in small letters that end in a word of many meanings: "12 larch walk" behind "at", not "a walk"."""
    for match in matches(_WEAK_SMALL, text):
        before = _BEFORE_SMALL.search(text, max(0, match.start() - 12), match.start())
        if before is not None and (before["weak"] is None or match[0].count(" ") == 2):
            yield Found(*match.span(), "place", 0.6)


AFTER_WORD_GATE: Final = _LIVE_WORDS
BEFORE_CODE_GATE: Final = at_digits(
    "[0-9]{3}(?:-[0-9]{2,3}| [0-9]{2}| ?[A-Z]{2})? [A-Z]|[0-9]{2}-[0-9]{3} [A-Z]|[A-Z][0-9][A-Z0-9]? [0-9][A-Z]"
    "|(?:NSW|VIC|QLD|WA|SA|TAS|ACT|NT) [0-9]"
)
WEAK_SMALL_GATE: Final = at_digits("[0-9][a-z]? [a-z]")


_CODE_OF_TOWN: Final = lazy_regex(
    r"(?<![\w.,$\xa4/-])(?:(?:[A-Z]{1,2}-)?[0-9]{5}|[1-9][0-9]{3} ?[A-Z]{2}|(?P<short>[1-9][0-9]{3}))"
    r" (?P<town>[A-Z][a-z]{2,20})(?![\w@])"
)
_BEFORE_CODES: Final = (",", "\n", ":")
CODE_OF_TOWN_GATE: Final = at_digits("[0-9]{4}(?:[0-9]| ?[A-Z]{2})? [A-Z][a-z]")


def find_codes_of_towns(text: str) -> Iterator[Found]:
    """Yield a code of five digits, or of four and two letters, before the name of a listed town, and the town."""
    for match in matches(_CODE_OF_TOWN, text):
        marks = lists().words.get(match["town"].lower(), 0)
        alone = (
            match["short"] is None or text[max(0, match.start() - 3) : match.start()].rstrip(" ")[-1:] in _BEFORE_CODES
        )
        if marks & Marks.PLACE and not marks & (Marks.COMMON | Marks.SMALL) and alone:
            yield Found(*match.span(), "place", 0.6)


def find_units(text: str) -> Iterator[Found]:
    """Yield flats and boxes without a street: Apt 5L, 3.o B."""
    for match in matches(_ALONE, text):  # a number alone gets another one
        yield Found(*match.span(), "id" if match[0][0].isdigit() else "place", 0.7)


find_british_towns: Final = _search(_BRITISH_TOWN, 0.7)
BRITISH_TOWN_GATE: Final = at_digits("[A-Z][0-9][A-Z0-9]? [0-9][A-Z]")
find_codes: Final = _search(_CODES, 0.7)
CODE_GATE: Final = either(TOWN_GATE, with_words("uss usns usnv uscgc"))
find_small_codes: Final = _search(_SMALL_CODE, 0.6)
SMALL_CODE_GATE: Final = at_digits("[a-z][0-9][0-9a-z]? [0-9][a-z]")
find_labelled_codes: Final = _search(_AFTER_CODE_WORD, 0.7)
LABELLED_CODE_GATE: Final = at_digits("(?:[Pp]|ode|PLZ|is|er):? ?[0-9]{3}")
STATE_GATE: Final = matching("[,:] [ACDFGHIKLMNOPRSTUVW][A-Z]")
_TOWN_BEFORE: Final = lazy_regex(rf"(?:[A-Z][A-Za-z'-]{{0,20}} |St\. |{OTHER},? |\b(?:in|from|near|at|outside) )\Z")


def find_states(text: str) -> Iterator[Found]:
    """Yield states behind a comma and a town; behind an ordinary word two letters are something else: Chest, PA."""
    for match in matches(_AFTER_COMMA, text):
        start = comma = match.start()
        while start > 0 and text[start - 1].isalpha():
            start -= 1
        marks = 0 if text[comma] != "," else lists().words.get(text[start:comma].lower(), 0)
        plain = marks & Marks.COMMON and not marks & (Marks.PLACE | Marks.KNOWN_PLACE)
        if not plain or (text[start].isupper() and _TOWN_BEFORE.search(text, max(0, start - 24), start)):
            yield Found(*match.span("place"), "place", 0.7)
