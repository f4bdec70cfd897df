"""Persons, ids, places and secrets in a table: CSV, tabs, Markdown, a database's client, or parted by spaces.

Tables are also the lists of values of SQL and of JSON: INSERT INTO, COPY, {"columns": [...], "rows": [[...]]}.
"""

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import chain
from typing import Final, NamedTuple, TypeAlias

from textveil.detection import lists as known
from textveil.detection.dates import MONTH_FOLLOWS, is_month_and_year
from textveil.detection.found import ORDINARY, Found
from textveil.detection.gates import both, either, holding, joined_words, places_of, with_words
from textveil.detection.lists import Marks, lists
from textveil.detection.people_in_records import is_plain_form, line_end, names_somebody, names_user
from textveil.detection.secrets import is_placeholder
from textveil.detection.segments import LABELS, SECRETS, form_label
from textveil.detection.spans import DetectedSpan, covering
from textveil.text.patterns import check_time, either_of, lazy_regex, matches, search

_SCORE: Final = 0.7

_SURE_HEADS: Final = known.written("any")["sure person heads"]
_COLUMN: Final = lazy_regex(
    r"(?i:(?:(?:last |sur|family ?)?name|nachname|familienname|apellidos?|cognome|nom|nazwisko|achternaam),? ?"
    r"(?:vorname|first ?name|forenames?|nombre|nome|prenom|imie|voornaam)"
    r"|(?:first|last|full|given|family|middle|sur|maiden|patient|customer|contact|employee|client|holder|display)"
    r"[_ -]?name|surname|forenames?|forename\(s\)|given(?: names?)?|customer|patient|employee"
    r"|nom de famille|prenom|nombre y apellidos|nome e cognome|nome completo|imie i nazwisko|ad soyad|nume si prenume"
    rf"|employee name|{either_of(' '.join(_SURE_HEADS))})"
)
_ROLE: Final = lazy_regex(
    r"(?i:assignee|assigned[_ ]to|owner|reviewer|approver|reporter|author|maintainer|on[_ -]?call|attendee|passenger"
    r"|recipient|requester)"
)
"""A column whose cells may also be logins, teams or roles."""
_HEADS_OF_PERSONS: Final = either_of(" ".join(known.written("any")["person heads"]))
_VOTED: Final = lazy_regex(rf"(?i:{_HEADS_OF_PERSONS}|key ?worker|next of kin|policy ?holder)")
"""A column that may name things as well: what most of its cells look like tells."""
_LOGINS: Final = lazy_regex(
    r"(?i:user(?:[ _-]?(?:name|id))?|login|actor|account|uid|benutzer|usuario|utilisateur|utente)"
)
"""A column of logins, where its cells are written as some; it may also hold names."""
_LOGIN_CELL: Final = lazy_regex(r"[a-z][a-z0-9._-]{2,30}")
_SECRETS: Final = lazy_regex(
    r"(?i:pass(?:word|wd|code|phrase|wort)|pwd|pin|api[_ -]?key|secret|(?:access|api)[_ -]?token"
    r"|kennwort|mot de passe|contrasena|senha|wachtwoord|haslo)"
)
_PASS: Final = lazy_regex("(?i:pass|token|credentials?)")
"""A column of secrets, unless it tells who passed."""
_IDS: Final = lazy_regex(
    r"(?i:(?:policy|member(?:ship)?|customer|client|patient|account|acct|employee|empl?|staff|student|pupil|case|claim"
    r"|order|invoice|hosp(?:ital)?|nhs|ni|chart|file|contract|licen[cs]e|permit|passport|serial|badge|payroll"
    r"|tax|tenancy|unit|asset|plot|vehicle)\.?[_ -]?(?:no|nr|num(?:ber)?|id|ref(?:erence)?)\.?|mrn|nhs|vrm|vin|upn|iban"
    r"|ssn|nino?|dni|nif|bsn|pesel|reg(?:istration)?(?:[ _](?:no\.?|mark|plate|number))?|(?:licen[cs]e[ _])?plate"
    r"|kennzeichen|kundennr\.?|kundennummer|aktenzeichen|kenteken|klantnr\.?|targa|immatriculation|plaque|matricula"
    r"|ext(?:ension|\.)?|durchwahl|poste|interno|toestel)"
)
_PLACES: Final = lazy_regex(
    r"(?i:city|town|village|(?:(?:home|postal|street)[ _])?address|street|post ?code|zip(?:[ _]?code)?|county|hometown"
    r"|(?:place of birth|birth ?place)|(?:wohn)?ort|stadt|strasse|plz|adresse|anschrift|ville|rue|code postal|ciudad"
    r"|localidad|municipio|direccion|citta|comune|indirizzo|cidade|morada|endereco|(?:woon)?plaats|straat|adres|miasto"
    r"|miejscowosc|ulica)"
)
_NUMBER: Final = r"(?:[_ -]?(?:no|nr|num(?:ber)?)\.?)?"
_PHONES: Final = lazy_regex(
    r"(?i:(?:(?:home|work|office|mobile|cell|business|contact|daytime|evening|fax|day|other)[_ -]?)?"
    rf"(?:tele|mobile |cell )?(?:phone|fax){_NUMBER}|tel\.?{_NUMBER}|(?:mobile|cell){_NUMBER}"
    r"|contact[_ -]?(?:no|nr|num(?:ber)?)\.?|telefon(?:nummer|nr\.?|s|o|e)?|handy(?:nummer|nr\.?)?"
    r"|mobil(?:nummer|telefon|nr\.?)?|rufnummer|portable|movil|celular|cellulare|telefoon(?:nummer)?|telemovel"
    r"|telefonszam|puhelin(?:numero)?|matkapuhelin|komorka|numer telefonu)"
)
_ENDS: Final = (
    r"(?i:exp(?:ir(?:es|y|ation))?\.?(?: date)?|valid(?: (?:from|until|to|thru))?|issued|gultig(?: (?:ab|bis))?"
    r"|ablauf(?:datum)?|caducidad|vencimi?ento|scadenza|validade|geldig(?: tot)?|wazn[aey](?: do)?)"
)
_BEHIND: Final = r"\"?(?P<mark>[^\S\n]*[|,;\t]|[ ]{2}|[^\S\n]*$)"
_HEADER: Final = lazy_regex(
    rf"(?m)(?<![^\s|,;\"])(?:{_COLUMN.pattern}|{_ROLE.pattern}|{_LOGINS.pattern}|{_VOTED.pattern}){_BEHIND}"
)
_VALUE_HEADER: Final = lazy_regex(
    rf"(?m)(?<![^\s|,;\"])(?:{_SECRETS.pattern}|{_PASS.pattern}|{_PHONES.pattern}|{_IDS.pattern}|{_PLACES.pattern}"
    rf"|{_ENDS}){_BEHIND}"
)
"""Tried before ``_begins_cell``, which tells whether a cell begins here: it passes over most words at once."""
_HEADING: Final = lazy_regex(r"[A-Za-z#][A-Za-z0-9_ ()./'#,-]{0,40}")
_CELLS: Final = {
    mark: lazy_regex(rf"{space}(?:\"(?P<quoted>[^\"\n]*+)\"[^\S\n\t]*+(?=[{mark}]|$)|(?P<bare>[^{mark}\n]*+))[{mark}]?")
    for mark, space in (("|", r"[^\S\n\t]*"), (",", ""), (";", ""), ("\t", ""))
}
"""A space behind a comma is prose."""
_SPACED: Final = lazy_regex(r"[^ \n](?:[^ \n]| (?! ))*+")
"""A cell of a table whose columns are parted by two spaces or more."""
_RULE: Final = lazy_regex(r"[-+|=: \t]+")
_NAME_CELL: Final = lazy_regex(r"[^\W\d_][\w.'\u2019-]{0,40}(?:,? [^\W\d_][\w.'\u2019-]{0,40}){0,4}")
_NUMBER_BEHIND: Final = lazy_regex(r"(?<! ) +(?=[0-9])")
"""Parts a name from the number of the next column, if that begins one space behind it."""
_NO_NAME: Final = frozenset(known.written("any")["no names"])
_MOST_CELLS: Final = 2_000  # cells of a column that are counted
_MAJORITY: Final = 0.6
_SHIFTED: Final = 3  # characters that a cell stands beside its column's place

_HEADS: Final = " ".join((*known.written("any")["person heads"], *_SURE_HEADS))
_HEAD_WORDS: Final = joined_words(f"{_HEADS} first last full sur middle maiden family holder display key next on")
"""Words that a head of such a column begins with."""
TABLE_GATE: Final = either(with_words(_HEADS), holding('",', '";'))


class _Cell(NamedTuple):
    start: int  # in the text
    value: str


_VALUE_HEADS: Final = " ".join(known.written("any")["value heads"])
_VALUE_WORDS: Final = joined_words(f"{_VALUE_HEADS} api access mot")
VALUE_TABLE_GATE: Final = both(with_words(_VALUE_HEADS), holding("|", ",", ";", "\t", "   "))
_VALUE_CELL: Final = lazy_regex(r"(?=[^\n]{0,24}[0-9])[A-Za-z0-9#(+][A-Za-z0-9 ()./+-]{1,24}")
_PHONE_CELL: Final = lazy_regex(r"(?=(?:[^0-9\n]{0,6}[0-9]){5})[+(]{0,2}[0-9][0-9 ()./+-]{3,26}")
_PLACE_CELL: Final = lazy_regex(r"[A-Z0-9][A-Za-z0-9 .,'/-]{1,60}")


def find_people_in_tables(text: str) -> Iterator[Found]:
    """Yield the cells below a header such as ``last_name`` or "Patient" that name persons, by start."""
    places = (place for place, _ in places_of(text, _HEAD_WORDS))
    headers = (header for place in places if (header := _HEADER.match(text, place)) is not None)
    begun = set()
    for rows, columns, heads in chain(_tables(text, headers), _lists(text)):
        yield from heads
        for span in _persons(rows, columns):
            begun.add(span.start)
            yield span
    yield from (span for span in _quoted_names(text) if span.start not in begun)


_PART: Final = "[A-Z][A-Za-z'-]{1,30}"
_TURNED: Final = rf"{_PART}(?: {_PART}){{0,2}}, {_PART}(?: {_PART}| [A-Z]\.?){{0,2}}"
_ONE_TURNED: Final = lazy_regex(_TURNED)
_QUOTED_CELL: Final = lazy_regex(rf"\"(?<![^,;\t\n`].)(?P<names>{_TURNED}(?:; {_TURNED}){{0,5}})\"(?=[,;\t\n`]|\Z)")


def _quoted_names(text: str) -> Iterator[Found]:
    """Yield the names of quoted cells with the family name first, whatever their column is called: "Zuse, Ada"."""
    cells = list(matches(_QUOTED_CELL, text)) if '",' in text or '";' in text else []
    sure = [_looks_like_person(cell["names"].partition(";")[0]) for cell in cells]
    if 2 * sum(sure) <= len(cells):
        return
    for cell, is_sure in zip(cells, sure, strict=True):
        if is_sure or len(cells) > 2:
            names = _ONE_TURNED.finditer(text, *cell.span("names"))
            yield from (Found(*name.span(), "person", _SCORE, "column") for name in names)


def find_values_in_tables(text: str) -> Iterator[Found]:
    """Yield the cells below a header such as ``password``, "Policy No", "Phone", "City" or "Expires", by start."""
    places = (place for place, _ in places_of(text, _VALUE_WORDS))
    headers = (header for place in places if (header := _VALUE_HEADER.match(text, place)) is not None)
    for rows, columns, _ in chain(_tables(text, headers), _lists(text)):
        held = ((cell, columns[column]) for column, cells in rows.items() for cell in cells)
        for cell, kind in sorted(held):
            if kind in _FITS and len(cell.value) > 1 and not is_placeholder(cell.value) and _FITS[kind](cell.value):
                kind = "secret" if kind == "pass" else kind
                yield Found(cell.start, cell.start + len(cell.value), kind, _SCORE, "column")


def cells_of_forms(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield the cells below a head such as "Age" or "PNR" with the head as the label of a form's line."""
    if not (any(map(text.__contains__, ("|", "\t", "   "))) or search(_GLUED, text)):
        return
    places = (at for at, end in places_of(text, _FORM_WORDS) if _in_cell(text, at, end))
    starts = dict.fromkeys([cell.end() for at in places if (cell := _CELL_BEFORE.search(text, max(0, at - 40), at))])
    headers = (header for start in starts if (header := _FORM_HEADER.match(text, start)) is not None)
    for rows, columns, _ in chain(_tables(text, headers), _lists(text)):
        for column, cells in rows.items():
            if columns[column].endswith(":"):
                yield from ((columns[column], cell.start, cell.start + len(cell.value)) for cell in cells if cell.value)


def _in_cell(text: str, start: int, end: int) -> bool:
    """Return whether a word may stand in the head of a column: marks of cells are beside it, or lines that join it."""
    before, behind = text[max(0, start - 2) : start], text[end : end + 2]
    beside = before[-1:] in _BESIDE_HEAD or before == "| " or behind == " |"
    return beside or behind[:1] in ("_", "|", "\t") or (behind[:1] in (",", ";") and behind[1:] != " ")


_BESIDE_HEAD: Final = ("", *'\n\t,;"_|')
_GLUED: Final = lazy_regex('[,;][A-Za-z"]')
_CELL_BEFORE: Final = lazy_regex(r"(?:\A|[\n|,;\t][\" ]?|  |)(?=[A-Za-z0-9 _.-]{0,40}\Z)")
_FORM_WORDS: Final = joined_words(" ".join(LABELS | SECRETS))
_FORM_HEADER: Final = lazy_regex(rf"[A-Za-z][A-Za-z0-9 _.#/-]{{1,30}}{_BEHIND.replace('*', '{0,8}')}")
_FITS: Final[dict[str, Callable[[str], object]]] = {
    "secret": lambda value: len(value) > 2 and " " not in value,
    "pass": lambda value: len(value) > 5 and " " not in value and not value.isalpha() and any(map(str.isalpha, value)),
    "phone": _PHONE_CELL.fullmatch,
    "date": is_month_and_year,
    "id": _VALUE_CELL.fullmatch,
    "place": lambda value: _PLACE_CELL.fullmatch(value) and value.lower() not in _NO_NAME,
}
"""The form that a cell of a column must have."""


_Table: TypeAlias = "tuple[dict[int, list[_Cell]], dict[int, str], list[Found]]"

_SQL: Final = lazy_regex(
    r"(?i:INSERT (?:IGNORE )?INTO|COPY) [\w.\"`]{1,80} ?\((?P<heads>[\w \"`,]{3,600})\)\s{1,8}"
    r"(?:(?P<values>(?i:VALUES))\s{0,8}|(?i:FROM stdin)[^;\n]{0,80};\n)"
)
_SQL_HEAD: Final = lazy_regex(r"\w[\w ]{0,60}")
_JSON: Final = lazy_regex(
    r"\[\s{0,8}(?P<heads>\"[A-Za-z][\w ]{0,40}\"(?:,\s{0,8}\"[A-Za-z][\w ]{0,40}\"){1,40})\s{0,8}\],\s{0,8}"
    r"(?:\"(?:rows|data|values|records|results)\"\s{0,4}:\s{0,4}\[\s{0,8})?(?=\[)"
)
_JSON_HEAD: Final = lazy_regex(r"[A-Za-z][\w ]{0,40}")
_LISTED_ROW: Final = lazy_regex(r"\s{0,24}(?:,\s{0,24})?[(\[]")
_LISTED_CELL: Final = lazy_regex(
    r"\s{0,24}+(?:[NE]?'(?P<single>(?:[^'\n]|''){0,400}+)'|\"(?P<double>[^\"\n]{0,400}+)\"|(?P<bare>[^\s,()\[\]'\"]{0,80}+))"
    r"\s{0,24}+(?P<end>[,)\]])"
)


def _lists(text: str) -> Iterator[_Table]:
    """Yield tables that are lists of values behind a list of their heads: of SQL, of a database's dump, of JSON."""
    for form, head in ((_SQL, _SQL_HEAD), (_JSON, _JSON_HEAD)):
        for header in matches(form, text) if form is _JSON or any(matches(_INSERTS, text)) else ():
            cells = [_Cell(cell.start(), cell[0].rstrip()) for cell in head.finditer(text, *header.span("heads"))]
            columns = _column_kinds(cells, ",")
            if not any(columns.values()):
                continue
            if form is _SQL and not header["values"]:
                yield _rows(text, header.end(), "\t", columns)[0], columns, []
            else:
                yield _listed_rows(text, header.end(), columns), columns, []


_INSERTS: Final = lazy_regex(r"(?i)\b(?:INTO|COPY) ", words="into copy")


def _listed_rows(text: str, place: int, columns: dict[int, str]) -> dict[int, list[_Cell]]:
    """Return the cells of each column that may hold persons or values: ('a', 'b'), ('c', 'd')."""
    held: dict[int, list[_Cell]] = {column: [] for column, kind in columns.items() if kind}
    while (row := _LISTED_ROW.match(text, place)) is not None:
        check_time()
        place, number = row.end(), 0
        while (cell := _LISTED_CELL.match(text, place)) is not None:
            group = next((group for group in ("single", "double") if cell[group] is not None), "bare")
            value = cell[group].rstrip()
            if number in held and not (group == "bare" and value.upper() in _NULLS):
                held[number].append(_Cell(cell.start(group), value))
            place, number = cell.end(), number + 1
            if cell["end"] != ",":
                break
        else:
            break
    return held


_NULLS: Final = frozenset(("NULL", "TRUE", "FALSE", "DEFAULT", ""))


def _tables(text: str, headers: Iterator[re.Match[str]]) -> Iterator[_Table]:
    """Yield the cells of each table below one of these heads of columns, by column, what columns hold, and the heads.

    The heads name nobody.
    """
    reached = consumed = scanned = line = 0
    string = -1
    for match in headers:
        if not _begins_cell(text, match.start(), consumed):
            continue
        consumed = match.end()
        if consumed <= reached:
            continue
        line = max(line, text.rfind("\n", scanned, match.start()) + 1)
        string = max(string, text.rfind(': "', max(scanned - 2, 0), match.start()))  # of JSON: its first line there
        scanned = match.start()
        start = string + 3 if string >= line else line
        if start < reached:
            continue
        end = line_end(text, start)
        header = text[start:end].rstrip("\r")
        beside = (sign for sign in match["mark"] if sign in _CELLS)
        apart = " " if match["mark"] == "  " else ""
        mark = next(beside, "") or apart or next((sign for sign in _CELLS if sign in header), " ")
        cells = _cells(header, start, mark)
        columns = {} if mark == " " and _in_form(text, start, cells) else _column_kinds(cells, mark)
        reached = end
        if any(columns.values()):
            rows, reached = _rows(text, end + 1, mark, columns)
            heads = (cell for cell, kind in zip(cells, columns.values(), strict=True) if kind and cell.value)
            yield rows, columns, [Found(cell.start, cell.start + len(cell.value), ORDINARY, 0.0) for cell in heads]


def _in_form(text: str, start: int, cells: Sequence[_Cell]) -> bool:
    """Return whether a line of two cells stands below another such line, or above one with a head: a form, no table."""
    if len(cells) != 2:
        return False
    above = text.rfind("\n", 0, max(0, start - 1)) + 1
    below = line_end(text, cells[1].start) + 1
    column = cells[1].start - start
    for begin, end in ((above, max(0, start - 1)), (below, line_end(text, below))):
        beside = _cells(text[begin:end], begin, " ") if begin < end else []
        if len(beside) == 2 and beside[1].start - begin == column:
            heads = (_COLUMN, _VOTED, _PHONES, _IDS, _PLACES)
            if begin < start or any(head.fullmatch(beside[0].value) for head in heads):
                return True
    return False


def _begins_cell(text: str, start: int, consumed: int) -> bool:
    """Tell if a word is the first of a cell: of a line, behind a mark that no header before it has taken, or a string.

    White space before it may hold tabs, which are marks as well: a pattern would read the run from each of them.
    """
    for first in (start, start - 1):
        at = first
        while at > 0 and text[at - 1] != "\n" and text[at - 1].isspace():
            at -= 1
        if at == 0 or text[at - 1] == "\n" or text.startswith(': "', at - 3) or first - at > 1:
            return True
        if (text[at - 1] in "|,;" and at > consumed) or text.rfind("\t", max(at, consumed), first) >= 0:
            return True
        if text[start - 1] != '"':
            break
    return False


def _cells(line: str, start: int, mark: str) -> list[_Cell]:
    if mark == " ":
        return [_Cell(start + cell.start(), cell[0]) for cell in matches(_SPACED, line)]
    cells, at = [], 0
    while at <= len(line):
        cell = _CELLS[mark].match(line, at)
        if cell is None:
            return []
        group = "quoted" if cell["quoted"] is not None else "bare"
        cells.append(_Cell(start + cell.start(group), cell[group].rstrip()))
        if cell.end() == len(line) and line[-1:] != mark:
            break
        at = cell.end() if cell.end() > at else at + 1
    return cells


def _column_kinds(cells: Sequence[_Cell], mark: str) -> dict[int, str]:
    """Return of each column what it holds: "name", "role", "vote", a kind, a form's label or nothing.

    Empty if the line is no header.

    A column is known by its number, one of a table that is parted by spaces by its distance from the line's start.
    """
    if len(cells) < 2 or not all(_HEADING.fullmatch(cell.value) or (mark == "|" and not cell.value) for cell in cells):
        return {}
    kinds = (
        (_COLUMN, "name"), (_LOGINS, "login"), (_ROLE, "role"), (_PHONES, "phone"), (_IDS, "id"), (_PLACES, "place"),
        (_VOTED, "vote"), (_SECRETS, "secret"), (_PASS, "pass"),
    )  # fmt: skip
    return {
        cell.start if mark == " " else number: next(
            (kind for head, kind in kinds if head.fullmatch(cell.value)),
            "date" if MONTH_FOLLOWS.search(cell.value) else form_label(cell.value, secrets=True),
        )
        for number, cell in enumerate(cells)
    }


def _rows(text: str, start: int, mark: str, columns: dict[int, str]) -> tuple[dict[int, list[_Cell]], int]:
    """Return the cells of each column that may hold persons, and where the table ends."""
    held: dict[int, list[_Cell]] = {column: [] for column, kind in columns.items() if kind}
    header = text.rfind("\n", 0, max(start - 1, 0)) + 1
    end = start - 1
    while start < len(text):
        check_time()
        stop = line_end(text, start)
        line = text[start:stop].rstrip("\r")
        if _RULE.fullmatch(line) is None:
            cells = _cells(line, start, mark)
            if (len(cells) < 2) if mark == " " else (len(cells) != len(columns)):
                break
            for number, cell in enumerate(cells):
                column = _column_at(cell.start - start + header, columns) if mark == " " else number
                if column in held:
                    held[column].append(cell)
        end, start = stop, stop + 1
    return held, end


def _column_at(place: int, columns: dict[int, str]) -> int:
    """Return the column of a table that is parted by spaces: the nearest that begins within a few characters."""
    nearest = min(columns, key=lambda column: abs(column - place))
    return nearest if abs(nearest - place) <= _SHIFTED else -1


def _persons(rows: dict[int, list[_Cell]], columns: dict[int, str]) -> Iterator[Found]:
    spans = []
    for column, cells in rows.items():
        kind = columns[column]
        if kind in _FITS or kind.endswith(":"):
            continue
        if kind == "login":
            users = [cell for cell in cells if _LOGIN_CELL.fullmatch(cell.value) and names_user(cell.value)]
            spans += [Found(cell.start, cell.start + len(cell.value), "handle", _SCORE, "column") for cell in users]
            if users:
                continue
        bare = (cell._replace(value=_NUMBER_BEHIND.split(cell.value, 1)[0]) for cell in cells)
        named = (cell for cell in bare if _NAME_CELL.fullmatch(cell.value))
        full = [cell for cell in named if cell.value.casefold().rstrip(".") not in _NO_NAME]
        if kind in ("vote", "login"):
            counted = [cell for cell in cells[:_MOST_CELLS] if cell.value]
            votes = sum(_looks_like_person(cell.value) for cell in counted if _NAME_CELL.fullmatch(cell.value))
            if votes < _MAJORITY * len(counted) or not votes:
                continue
        for cell in full:
            for part in re.finditer(r"[^,]+", cell.value):  # the family name first
                name = part[0].strip()
                begin = cell.start + part.start() + part[0].index(name)
                if kind != "role" or names_somebody(name):
                    spans.append(Found(begin, begin + len(name), "person", _SCORE, "column"))
    yield from sorted(spans)


def _looks_like_person(value: str) -> bool:
    """Return whether a cell is written as a person's name, and most of its words name persons or nothing else."""
    words = [word for word in value.lower().replace(",", " ").replace(".", " ").split() if len(word) > 1]
    if not value[0].isupper() and words[:1] and words[0] not in known.PARTICLES:
        return False
    marks = [lists().words.get(word, 0) for word in words]
    named = [bool(mark & (Marks.GIVEN | Marks.FAMILY)) for mark in marks]
    if any(word in known.COMPANY_ENDS or word in known.INSTITUTIONS or word in known.FUNCTION_WORDS for word in words):
        return False
    plain = [is_plain_form(word) for word in words]
    if len(words) < 2:
        return bool(words) and ((named[0] and not plain[0]) or ("." in value and not plain[0]))
    things = sum(is_thing and not name for is_thing, name in zip(plain, named, strict=True))
    return things == 0 and (any(named) or "," in value or not any(plain))


_MARKS: Final = "|\t;,"
_EDGES: Final = ("", "\n", *_MARKS)
FEWEST: Final = 3  # cells of a column that name persons


def with_columns(text: str, spans: list[DetectedSpan], ordinary: Collection[str]) -> list[DetectedSpan]:
    """Return the spans, and the other names of columns whose cells are mostly persons, under any head or none."""
    alone = [
        span.start
        for span in spans
        if span.kind == "person"
        and text[max(0, span.start - 4) : span.start].rstrip(" \"'")[-1:] in _EDGES
        and text[span.end : span.end + 4].lstrip(" \"'\r")[:1] in _EDGES
    ]
    if len(alone) < FEWEST:
        return spans
    persons, held = set(alone), {span.start for span in spans}
    more: list[DetectedSpan] = []
    seen = -1
    for start in alone:
        if start < seen:
            continue
        mark = next(
            (sign for sign in _MARKS if sign in text[text.rfind("\n", 0, start) + 1 : line_end(text, start)]), ""
        )
        table, seen = _table_around(text, start, mark) if mark else ([], start)
        for cells in zip(*table, strict=True):
            written = [cell for cell in cells if cell.value]
            named = sum(cell.start in persons for cell in written)
            if named >= max(FEWEST, _MAJORITY * len(written)):
                first = table[0][0].start
                more += [
                    DetectedSpan(cell.start, cell.start + len(cell.value), "person", 0.5, "embedded", "column")
                    for cell in written
                    if cell.start not in held
                    and (cell is not cells[0] or any(first <= start < table[1][0].start for start in held))
                    and _is_unlisted_name(cell.value, ordinary)
                ]
    return covering(text, [*spans, *more]) if more else spans


def _table_around(text: str, place: int, mark: str) -> tuple[list[list[_Cell]], int]:
    """Return the cells of the lines around a place that have as many as its line, and where they end."""
    start = text.rfind("\n", 0, place) + 1
    wanted = len(_cells(text[start : line_end(text, start)].rstrip("\r"), start, mark))
    while start > 0:
        check_time()
        above = text.rfind("\n", 0, start - 1) + 1
        line = text[above : start - 1].rstrip("\r")
        if not _RULE.fullmatch(line) and len(_cells(line, above, mark)) != wanted:
            break
        start = above
    table = []
    while start < len(text):
        check_time()
        end = line_end(text, start)
        line = text[start:end].rstrip("\r")
        if not _RULE.fullmatch(line):
            cells = _cells(line, start, mark)
            if len(cells) != wanted:
                break
            table.append(cells)
        start = end + 1
    return table, start


def _is_unlisted_name(value: str, ordinary: Collection[str]) -> bool:
    """Return whether a cell is written as a name, and no word of it is a plain one."""
    words = [word for word in value.replace(",", " ").split() if word.lower() not in known.PARTICLES]
    return (
        _NAME_CELL.fullmatch(value) is not None
        and value.casefold().rstrip(".") not in _NO_NAME
        and all(
            not word[0].islower() and not is_plain_form(word.lower()) and word.lower() not in ordinary for word in words
        )
    )
