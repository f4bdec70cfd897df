"""Cells, formulas and addresses of tables: numbers stay numbers, and formulas keep their sense.

Strings of a formula are text, and what is outside of these is changed apart.
"""

import re
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, Final

from textveil.documents.markup import Element, attribute, listed, new_child, short
from textveil.documents.model import STATED, Piece
from textveil.documents.office import as_number
from textveil.documents.open_words import FORMULAS, TABLE, put

CELLS: Final = ("table:table-cell", "table:covered-table-cell")
_OFFICE: Final = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"
_TABLE: Final = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
_TEXT: Final = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
_NUMBERS: Final = ("float", "currency", "percentage")
_VALUES: Final = ("value", "date-value", "time-value", "boolean-value", "string-value")
_DURATION: Final = re.compile(r"PT(\d{1,6})H(\d{1,2})M(\d{1,2})(?:[.,]\d{1,9})?S")
_CLOCK: Final = re.compile(r"(\d{1,6}):(\d\d)(?::(\d\d))?")
_SHEET: Final = r"(?:\$?(?:'(?:[^']|''){1,64}+'|[^\W\d][\w-]{0,80}+))?"
_PLACE: Final = rf"{_SHEET}\.\$?[A-Z]{{1,3}}\$?\d{{0,7}}|{_SHEET}\.\$?\d{{1,7}}"
ADDRESS: Final = re.compile(rf"(?:(?:{_PLACE}|\$?[A-Z]{{1,3}}\$?\d{{0,7}})(?=[: ]|\Z)[: ]?)*+")
"""Places in sheets, as attributes have them."""
_REFERENCE: Final = re.compile(r"\[([^\[\]]{0,600}+)\]")
_REFERRED: Final = re.compile(rf"(?:{_PLACE}|#REF!)(?::(?:{_PLACE}|#REF!))?")
_IDENTIFIER: Final = re.compile(r"(?<![\w.$'])([^\W\d][\w.]{0,255}+)(?![\w.])")
_OWN: Final = re.compile(r"[eE]\d{0,3}")
_NAMED_SHEET: Final = re.compile(r"'((?:[^']|''){1,64}+)'(?=\.)|(?<![\w.'-])([^\W\d][\w-]{0,80}+)(?=\.)")
_CONDITION: Final = re.compile(
    r"(?<![\w.])(?:cell-content(?:-[a-z]{1,8}){0,5}|is-true-formula)\(|(?<=[ )])(?:and|or)(?=[ (])"
)
_OPEN_FORMULA: Final = "of:"


def prepare_tables(root: Element, package: Any) -> None:
    """Make cells say what they show, take what is stored for formulas out, and what formulas say of other files."""
    for element in list(root.iter(f"{_TABLE}table")):
        if not _in_sheets(element):
            element.set(f"{_TABLE}name", package.names.of(TABLE, element.get(f"{_TABLE}name", "")))
    for element in list(root.iter()):
        name = short(element.tag)
        for key in list(element.attrib):
            if f"{name} {short(key)}" in FORMULAS:
                _prepare_formula(element, key, package)
        if name in CELLS:
            _prepare_cell(element)
        elif name in ("table:content-validation", "table:named-expression", "style:map") and _says_nothing(
            element, name
        ):
            element.getparent().remove(element)


def _in_sheets(element: Element) -> bool:
    return any(short(above.tag) == "office:spreadsheet" for above in element.iterancestors())


def _says_nothing(element: Element, name: str) -> bool:
    wanted = {
        "table:content-validation": "table:condition",
        "table:named-expression": "table:expression",
        "style:map": "style:condition",
    }
    return not attribute(element, wanted[name])


def _prepare_formula(element: Element, key: str, package: Any) -> None:
    """Write the names of ranges anew; what names another file, or what nothing defines, goes."""
    formula = element.get(key)
    prefix, _, body = formula.partition(":") if formula.startswith(_OPEN_FORMULA) else ("", "", formula)
    if (short(element.tag) in CELLS and not prefix) or not all(map(_is_own, strings_of(formula)[::2])):
        foreign = True
    else:
        names = package.defined_names

        def named(part: str) -> str:
            return _apart(part, lambda text: _IDENTIFIER.sub(lambda match: names.get(match[1].lower(), match[1]), text))

        body = outside(body, named)
        parts = strings_of(body)[::2]
        foreign = any(not is_plain(_CONDITION.sub("(", _REFERENCE.sub("", part)), _OWN) for part in parts)
    if foreign:
        package.removed["formula of another file or of a table"] += 1
        del element.attrib[key]
    else:
        element.set(key, f"{prefix}:{body}" if prefix else body)


def _apart(part: str, change: Callable[[str], str]) -> str:
    out, at = "", 0
    for match in _REFERENCE.finditer(part):
        out += change(part[at : match.start()]) + match[0]
        at = match.end()
    return out + change(part[at:])


def _is_own(part: str) -> bool:
    """Tell whether what a formula has outside of its strings refers to places of the same file alone."""
    rest = _REFERENCE.sub("", part)
    return (
        "#" not in rest
        and "'" not in rest
        and all(_REFERRED.fullmatch(match[1]) for match in _REFERENCE.finditer(part))
    )


def _prepare_cell(cell: Element) -> None:
    paragraphs = [child for child in cell if short(child.tag) in ("text:p", "text:h")]
    kind = attribute(cell, "office:value-type")
    if f"{_TABLE}formula" in cell.attrib:
        _untyped(cell, "")
        for child in paragraphs:
            cell.remove(child)
        return
    text = attribute(cell, "office:string-value")
    if not (shown := _shown(cell, kind)):
        _untyped(cell, "string" if kind else "")
        if text and not paragraphs:
            put(new_child(cell, f"{_TEXT}p"), text)
        return
    kept = {"date": "date-value", "time": "time-value", "boolean": "boolean-value"}.get(kind, "value")
    for name in set(_VALUES) - {kept}:
        cell.attrib.pop(f"{_OFFICE}{name}", None)
    for child in paragraphs[1:]:
        cell.remove(child)
    paragraph = paragraphs[0] if paragraphs else new_child(cell, f"{_TEXT}p")
    for child in list(paragraph):
        if child.find(f".//{_OFFICE}annotation") is None:
            paragraph.remove(child)
    paragraph.text = shown


def _untyped(cell: Element, kind: str) -> None:
    for name in (*_VALUES, "value-type", "currency"):
        cell.attrib.pop(f"{_OFFICE}{name}", None)
    if kind:
        cell.set(f"{_OFFICE}value-type", kind)


def _shown(cell: Element, kind: str) -> str:
    """Return what a cell's typed value says; empty if it has none that is whole."""
    if kind in _NUMBERS:
        return as_number(attribute(cell, "office:value"))
    if kind == "boolean":
        return {"true": "TRUE", "false": "FALSE"}.get(attribute(cell, "office:boolean-value"), "")
    if kind == "time":
        match = _DURATION.fullmatch(attribute(cell, "office:time-value"))
        return f"{int(match[1]):02}:{int(match[2]):02}:{int(match[3]):02}" if match else ""
    if kind == "date":
        moment = _moment(attribute(cell, "office:date-value"))
        return "" if moment is None else _day(moment)
    return ""


def _moment(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text.strip()).replace(tzinfo=None)
    except ValueError:
        return None


def _day(moment: datetime) -> str:
    return (
        f"{moment:%Y-%m-%d}"
        if (moment.hour, moment.minute, moment.second) == (0, 0, 0)
        else f"{moment:%Y-%m-%d %H:%M:%S}"
    )


def value_pieces(paragraph: Element) -> list[Piece] | None:
    """Return the place of a typed cell's value, which its paragraph shows; None of another paragraph."""
    cell = paragraph.getparent()
    kind = attribute(cell, "office:value-type") if cell is not None and short(cell.tag) in CELLS else ""
    if kind in ("", "string", "boolean"):
        return [Piece(paragraph.text or "", lambda text: paragraph.text)] if kind == "boolean" else None

    def write(text: str) -> str:
        if typed := _typed(text, kind):
            cell.set(f"{_OFFICE}{typed[0]}", typed[1])
            paragraph.text = _shown(cell, kind)
        else:
            _untyped(cell, "string")
            put(paragraph, text)
            return text
        return str(paragraph.text)

    return [Piece(paragraph.text or "", write)]


def _typed(text: str, kind: str) -> tuple[str, str] | None:
    """Return the attribute and the value that keep the type of a cell; None if a text says none."""
    if kind in _NUMBERS:
        number = as_number(text)
        return ("value", number) if number else None
    if kind == "time":
        match = _CLOCK.fullmatch(text.strip())
        return ("time-value", f"PT{int(match[1]):02}H{match[2]}M{match[3] or '00'}S") if match else None
    if (moment := _moment(text)) is None:
        return None
    return ("date-value", f"{moment:%Y-%m-%d}" if len(_day(moment)) == 10 else f"{moment:%Y-%m-%dT%H:%M:%S}")


def formula_pieces(attribute: str) -> Callable[[Element], list[Piece]]:
    """Return what makes pieces of the strings in an attribute that is a formula."""

    def made(element: Element) -> list[Piece]:
        key = next(key for key in element.attrib if short(key) == attribute)
        return pieces_of_formula(element.get(key), lambda text: element.set(key, text))

    return made


_MOST_GAPS: Final = 64


def before(element: Element) -> str:
    """Return what parts a line from the one before: tabs between cells, as many as there are columns between them."""
    if (cell := element.getparent()) is None or short(cell.tag) not in CELLS:
        return "\n"
    if element.getprevious() is not None and short(element.getprevious().tag) in ("text:p", "text:h"):
        return " " if _in_sheets(cell) else "\n"
    gap, other = 0, cell.getprevious()
    while other is not None and not _filled(other):
        gap += _columns(other)
        other = other.getprevious()
    if other is not None:
        return "\t" * min(gap + _columns(other), _MOST_GAPS)
    row = cell.getparent()
    first = row.getprevious() is None or short(row.getprevious().tag) not in (
        "table:table-row",
        "table:table-header-rows",
    )
    nested = row.getparent() is not None and short(row.getparent().tag) != "table:table"
    return ("\n\n" if first and not nested else "\n") + "\t" * min(gap, _MOST_GAPS)


def _filled(cell: Element) -> bool:
    return any(short(child.tag) in ("text:p", "text:h") for child in cell)


def _columns(cell: Element) -> int:
    count = cell.get(f"{_TABLE}number-columns-repeated", "1")
    return int(count) if count.isdigit() and len(count) < 8 else 1


def readdressed(text: str, names: Mapping[str, str]) -> str:
    """Return a formula or an address that refers to sheets by their new names."""

    def new(match: re.Match[str]) -> str:
        name = names.get((match[1] or match[2]).replace("''", "'").lower())
        return match[0] if name is None else "'" + name.replace("'", "''") + "'"

    return outside(text, lambda part: _NAMED_SHEET.sub(new, part))


def sheets_of(text: str) -> set[str]:
    """Return the sheets that an address names, in small letters."""
    return {(match[1] or match[2]).replace("''", "'").lower() for match in _NAMED_SHEET.finditer(text)}


def strings_of(formula: str) -> list[str]:
    """Return the parts of a formula: every second one is a string, without its quotes."""
    parts: list[str] = []
    for part in formula.split('"'):
        if len(parts) > 2 and len(parts) % 2 and not parts[-1]:  # two quotes in a string are one
            parts.pop()
            parts[-1] += f'"{part}'
        else:
            parts.append(part)
    return parts


def quoted(parts: list[str]) -> str:
    """Return a formula of its parts."""
    doubled = [part.replace('"', '""') if number % 2 else part for number, part in enumerate(parts)]
    return '"'.join(doubled)


def outside(formula: str, change: Callable[[str], str]) -> str:
    """Change a formula outside of its strings."""
    return quoted([part if number % 2 else change(part) for number, part in enumerate(strings_of(formula))])


def pieces_of(
    parts: list[str], store: Callable[[str], object], joined: Callable[[list[str]], str] = quoted, between: str = "; "
) -> list[Piece]:
    """Return pieces for every second one of some parts, of which ``store`` keeps what ``joined`` makes of them."""
    pieces: list[Piece] = []
    for place in range(1, len(parts), 2):

        def write(text: str, place: int = place) -> None:
            parts[place] = text
            store(joined(parts))

        if pieces and between:
            pieces.append(Piece(between, lambda text: between))
        pieces.append(Piece(parts[place], write))
    return pieces


def pieces_of_formula(formula: str, store: Callable[[str], object]) -> list[Piece]:
    """Return pieces for the strings and long numbers of a formula; ``store`` keeps the whole formula."""
    parts: list[str] = []
    numbers: set[int] = set()
    for number, part in enumerate(strings_of(formula)):
        if number % 2:
            parts.append(part)
            continue
        outside, *more = _LONG_NUMBER.split(part)
        parts.append(outside)
        for at, one in enumerate(more):
            if not at % 2:
                numbers.add(len(parts))
            parts.append(one)

    def joined(parts: list[str]) -> str:
        def spelled(number: int, part: str) -> str:
            if not number % 2 or (number in numbers and part.isascii() and part.isdigit()):
                return part
            return '"' + part.replace('"', '""') + '"'

        return "".join(spelled(number, part) for number, part in enumerate(parts))

    return pieces_of(parts, store, joined)


_LONG_NUMBER: Final = re.compile(r"(?<![\w.$:!'])(\d{7,20})(?![\w(!:'])")
"""A number that may be somebody's: a row has seven digits, but stands at a colon."""
_FUNCTIONS: Final = listed("functions.txt")
_ERROR: Final = re.compile(STATED.pattern.partition("false|")[2])
_WORD: Final = re.compile(r"[\w.$\\]+\(?")
_PLACE_IN_FORMULA: Final = (
    r"\$?(?:[A-Z]{1,2}|[A-W][A-Z]{2}|X[A-E][A-Z]|XF[A-D])(?:\$?\d{1,7})?|\$?\d{1,7}"
    r"|\d{1,20}\.?\d{0,20}(?:E[+-]?\d{0,3})?|\.\d{1,20}|TRUE|FALSE|Name_\d{1,6}\(?"
)
_KNOWN: Final = re.compile(_PLACE_IN_FORMULA, re.IGNORECASE)
_PREFIX: Final = re.compile(r"\A(?:_xlfn\.)?(?:_xlws\.)?")


def is_plain(outside: str, built_in: re.Pattern[str]) -> bool:
    """Return whether a formula outside of its strings has only cells and known functions; references are cut before."""
    rest = _ERROR.sub("", outside)
    return _MARKS.fullmatch(rest) is not None and all(
        _PREFIX.sub("", word[0])[:-1].upper() in _FUNCTIONS
        if word[0][-1] == "(" and word[0][:5] != "Name_"
        else _KNOWN.fullmatch(word[0]) or built_in.fullmatch(word[0])
        for word in _WORD.finditer(rest)
    )


_MARKS: Final = re.compile(r"[\w.$\\\s,;:+*/^&=<>()%{}|@#-]*")
