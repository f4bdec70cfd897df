"""Sheets: .xlsx files, every cell in its row, with formulas that stay and values that were stored for them gone."""

import re
from collections import Counter
from collections.abc import Collection, Mapping
from copy import deepcopy
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Final

from textveil.documents.cells import is_plain, outside, pieces_of, pieces_of_formula, strings_of
from textveil.documents.markup import Element, Name, column_number, new_child, sheet_name, short
from textveil.documents.model import STATED, Piece
from textveil.documents.office import CHART, CHARTS, DRAWING, FONT, FORMAT, as_number
from textveil.documents.opc import Known, Package
from textveil.documents.registry import take

_GONE: Final = (
    "x:workbookProtection x:fileSharing x:customWorkbookViews x:webPublishing x:webPublishObjects x:fileRecoveryPr"
    " x:protectedRanges x:scenarios x:oleObjects x:controls x:customSheetViews x:customProperties x:smartTags"
    " x:webPublishItems x:extLst x:phoneticPr x:rPh x:dataConsolidate x:cellWatches x:filterColumn x:sortState x:functionGroups"
    " x:oleSize x:smartTagPr x:smartTagTypes x:calculatedColumnFormula x:totalsRowFormula x:xmlColumnPr x:sheetProtection"
    " x:metadata xl:FmlaMacro xl:FmlaLink xl:FmlaRange xl:FmlaGroup xl:FmlaTxbx xl:FmlaPict xl:ScriptText xl:ScriptExtended"
    " c:strCache c:numCache c:multiLvlStrCache"
)
_RANGE: Final = re.compile(r"(?:\$?[A-Z]{1,3}\$?\d{0,7}|\d{1,7})(?::(?:\$?[A-Z]{1,3}\$?\d{0,7}|\d{1,7}))?(?: (?=.)|\Z)")
_RANGES: Final = re.compile(rf"\A(?:{_RANGE.pattern})*+")
_PLACE: Final = re.compile(
    r"(?:(?:'(?:[^']|''){1,64}'|[\w.]{1,64})!)?\$?[A-Z]{1,3}\$?\d{1,7}(?::\$?[A-Z]{1,3}\$?\d{1,7})?"
)
CELL_STYLE: Final = Name(
    "Style",
    re.compile(
        r"(?:Normal|Good|Bad|Neutral|Calculation|Check Cell|Explanatory Text|Followed Hyperlink|Hyperlink|Input|Linked Cell"
        r"|Note|Output|Percent|Title|Total|Warning Text|(?:Comma|Currency)(?: \[0\])?|Heading [1-4]"
        r"|(?:[246]0% - )?Accent[1-6]|RowLevel_\d|ColLevel_\d)"
    ),
)
_BUILT_IN: Final = (
    r"_xlnm\.(?:Print_Area|Print_Titles|_FilterDatabase|Criteria|Extract|Consolidate_Area|Database|Sheet_Title|Recorder"
    r"|Data_Form|Auto_(?:Open|Close|Activate|Deactivate))"
)
"""Names that spreadsheets give to ranges themselves."""
_TABLE_STYLE: Final = Name("Style", re.compile(r"(?:Table|Pivot|Slicer|Timeline)Style[A-Za-z]{0,12}\d{0,2}"))
_TABLE: Final = Name("Table", re.compile(r"(?!)"))
_FORMULAS: Final = ("x:f", "x:formula", "x:formula1", "x:formula2", "x:definedName", "c:f")
_HEADERS: Final = tuple(f"x:{which}{what}" for which in ("odd", "even", "first") for what in ("Header", "Footer"))
_CODE: Final = re.compile(r'&(?:"[^"]*"|\d{1,3}|K[0-9A-Fa-f]{6}|K\d\d[+-]\d{3}|[A-Za-z&])')
_FONT_CODE: Final = re.compile(r'&"([^",]{0,80}+),?([^"]{0,80}+)"')


def _formula(element: Element) -> list[Piece]:
    return pieces_of_formula(element.text or "", lambda text: setattr(element, "text", text))


def _header(element: Element) -> list[Piece]:
    """Return the text in a header of a page, without its codes."""
    text = _FONT_CODE.sub(lambda match: match[0] if FONT.public.fullmatch(match[1]) else "", element.text or "")
    element.text = text
    parts = [""]
    at = 0
    for code in _CODE.finditer(text):
        parts += [text[at : code.start()], code[0]]
        at = code.end()
    parts += [text[at:], ""]
    return pieces_of(parts, lambda text: setattr(element, "text", text), "".join, " ")


def _value(element: Element) -> list[Piece]:
    """Return the place of a cell's value: a number that stays one, a date that stays one, or a text."""
    cell, stored = element.getparent(), element.text or ""
    if cell.get("t", "n") in ("b", "e") and STATED.fullmatch(stored):
        return []
    date = cell.attrib.pop(_DATED, "")
    zero = _ZERO[date == "1904"]
    shown = _as_date(stored, zero) if date else ""

    def write(text: str) -> str:
        number = _serial(text, zero) if shown else as_number(text) if as_number(stored) else ""
        if number:
            element.text = number
            return text if shown else number
        cell.set("t", "str")
        element.text = text
        return text

    return [Piece(shown or stored, write, (lambda: element.text or "") if shown else None)]


_DATED: Final = "date1904"  # marks cells whose numbers are dates, until they are read
_ZERO: Final = (datetime(1899, 12, 30), datetime(1904, 1, 1))
_LAST_DAY: Final = 2_958_465


def _as_date(stored: str, zero: datetime) -> str:
    number = float(as_number(stored) or -1)
    if not 0 < number <= _LAST_DAY:
        return ""
    moment = zero + timedelta(seconds=round(number * 86400))
    return f"{moment:%Y-%m-%d}" if number == int(number) else f"{moment:%Y-%m-%d %H:%M:%S}"


def _serial(text: str, zero: datetime) -> str:
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError:
        return ""
    days = (moment.replace(tzinfo=None) - zero).total_seconds() / 86400
    return repr(int(days) if days == int(days) else days) if days > 0 else ""


SHEETS: Final = replace(
    DRAWING,
    texts=DRAWING.texts | {"x:t", "x:v", *_FORMULAS, *_HEADERS},
    lines=DRAWING.lines | {"x:c", "x:text", "x:definedName", "x:formula", "x:formula1", "x:formula2", *_HEADERS},
    gone=DRAWING.gone | frozenset(_GONE.split()),
    spoken=DRAWING.spoken
    | {"x:sheet name", "x:dataValidation prompt", "x:dataValidation promptTitle", "x:dataValidation error",
       "x:dataValidation errorTitle", "x:cfRule text", "x:hyperlink display", "x:hyperlink tooltip"},
    named={
        **DRAWING.named, "x:name val": FONT, "x:rFont val": FONT, "x:numFmt formatCode": FORMAT,
        "x:cellStyle name": CELL_STYLE, "x:tableStyles defaultTableStyle": _TABLE_STYLE,
        "x:tableStyles defaultPivotStyle": _TABLE_STYLE, "x:tableStyle name": _TABLE_STYLE,
        "x:tableStyleInfo name": _TABLE_STYLE, "x:table name": _TABLE, "x:table displayName": _TABLE,
        "x:definedName name": Name("Name_", re.compile(rf"{_BUILT_IN}|Name_\d{{1,6}}")),
    },
    plain={**DRAWING.plain,
           "xl:Anchor": re.compile(r"[\d, \s]*"),
           **dict.fromkeys([f"xl:{name}" for name in "Row Column AutoFill Locked TextHAlign TextVAlign MoveWithCells SizeWithCells"
                            " Visible AutoLine DefaultSize PrintObject".split()], re.compile(r"-?\d*|True|False|[A-Z][a-z]*")),
           "x:author": re.compile("Author"), **dict.fromkeys(
               [f"xdr:{name}" for name in ("col", "row", "colOff", "rowOff")], re.compile(r"-?\d{1,12}")), },
    lost=DRAWING.lost
    | {"codeName", "x:definedName comment", "x:definedName description", "x:definedName help", "x:definedName statusBar",
       "x:definedName customMenu", "x:definedName function", "uniqueName", "x:table comment", "macro", "x:hyperlink id",
       "x:workbookPr dateCompatibility", "lastEdited", "lowestEdited", "rupBuild", "x:dataValidations count",
       "x:tableParts count", "x:c cm", "x:c vm", "x:c ph", "totalsRowLabel", "headerRowCellStyle", "dataCellStyle", "totalsRowCellStyle"},
    worded={**DRAWING.worded,
            **dict.fromkeys(("ref", "sqref", "r", "spans", "topLeftCell", "activeCell", "x:f r1", "x:f r2", "activeCellId",
                             "x:brk id"), _RANGES),
            "x:hyperlink location": _PLACE, "xl:ClientData ObjectType": re.compile("Note|Pict|Shape|Group|Rect"),
            "x:tableColumn name": re.compile("(?s).*"), "x:fileVersion appName": re.compile("xl"), f"x:c {_DATED}": re.compile("19|1904")},
    anchors=DRAWING.anchors | {"x:pivotCaches", "x:externalReferences", "x:tableParts", "xdr:twoCellAnchor", "xdr:oneCellAnchor",
                               "xdr:absoluteAnchor"},
    filled=frozenset(("x:definedNames", "x:hyperlinks", "x:dataValidations", "x:conditionalFormatting", "x:tableParts")),
    pieces={"x:v": _value, **dict.fromkeys(_FORMULAS, _formula), **dict.fromkeys(_HEADERS, _header)},
    spelled={"x:sheet name": sheet_name},
)  # fmt: skip
_CHART: Final = replace(
    CHART,
    texts=CHART.texts | {"c:f"},
    gone=CHART.gone | frozenset(_GONE.split()),
    plain={key: form for key, form in CHART.plain.items() if key != "c:f"},
    pieces={**CHART.pieces, "c:f": _formula},
)
_BUILT_IN_DATES: Final = frozenset((*range(14, 18), 22, *range(27, 37), *range(50, 59)))
_DATE_CODE: Final = re.compile(r"[dy]", re.IGNORECASE)
_NO_CODE: Final = re.compile(r'"[^"]{0,255}"|\\.|\[[^\]]{0,80}\]|_.|\*.')


class Sheets(Package):
    """A file of sheets."""

    suffix = ".xlsx"

    def begin(self) -> None:
        self.strings: list[Element] = []
        self.string_sizes: list[tuple[int, int]] = []
        self.dates: set[str] = set()
        self.epoch = "19"
        self.defined_names: dict[str, str] = {}
        self.sheet_names: dict[Element, str] = {}
        for part in list(self.order):
            kind = "" if part.known is None else part.known.kind
            if kind not in ("strings", "styles", "body"):
                continue
            root = self.root(part)
            if kind == "strings":
                self.strings = [child for child in root if short(child.tag) == "x:si"]
                for text in (
                    part for string in self.strings for part in string.iter() if part.text and "_x" in part.text
                ):
                    text.text = _unescaped(text.text)
                self.string_sizes = [_size(child) for child in self.strings]
                self.order.remove(part)
            elif kind == "styles":
                self.dates = _date_styles(root)
            else:
                if any(child.get("date1904") in ("1", "true") for child in root if short(child.tag) == "x:workbookPr"):
                    self.epoch = "1904"
                named = SHEETS.named["x:definedName name"]
                olds = [el.get("name", "") for el in root.iter() if short(el.tag) == "x:definedName"]
                self.defined_names = {old.lower(): self.names.of(named, old) for old in olds}
                self.sheet_names = {el: el.get("name", "") for el in root.iter() if short(el.tag) == "x:sheet"}

    def written(self) -> bytes:
        """Return the file, whole, with the names of sheets and columns that formulas and tables have to share."""
        taken: Counter[str] = Counter()
        renamed: dict[str, str] = {}
        for element, old in self.sheet_names.items():
            new = element.get("name", "Sheet")
            taken[new.lower()] += 1
            if taken[new.lower()] > 1:
                new = f"{new[:26]} {taken[new.lower()]}"
                element.set("name", new)
            if new != old:
                renamed[old.lower()] = new
            self.sheet_names[element] = new
        for part in self.order:
            for element in part.root.iter() if renamed and part.root is not None else ():
                if (name := short(element.tag)) in _FORMULAS and element.text:
                    element.text = _renamed(element.text, renamed)
                elif name == "x:hyperlink" and "location" in element.attrib:
                    element.set("location", _renamed(element.get("location"), renamed))
            if part.known is not None and part.known.kind == "sheet":
                self._head_tables(part)
        return super().written()

    def _head_tables(self, sheet: Any) -> None:
        """Give the columns of tables the names that their cells have."""
        tables = [self.part_of(relation.target) for relation in sheet.relations if relation.kind == "table"]
        cells = {cell.get("r"): cell for cell in sheet.root.iter() if short(cell.tag) == "x:c"} if tables else {}
        for table in tables:
            match = re.match(r"([A-Z]{1,3})([0-9]{1,7})", table.root.get("ref", ""))
            columns = [element for element in table.root.iter() if short(element.tag) == "x:tableColumn"]
            seen: Counter[str] = Counter()
            for number, column in enumerate(columns):
                cell = cells.get(f"{_letters(column_number(match[1]) + number)}{match[2]}") if match else None
                name = "" if cell is None else "".join(cell.itertext())
                name = name or f"Column{number + 1}"
                seen[name.lower()] += 1
                column.set("name", name if seen[name.lower()] == 1 else f"{name}{seen[name.lower()]}")


def _size(element: Element) -> tuple[int, int]:
    return 2 * sum(1 for _ in element.iter()), sum(map(len, element.itertext()))


def _letters(number: int) -> str:
    letters = ""
    while number:
        number, rest = divmod(number - 1, 26)
        letters = chr(65 + rest) + letters
    return letters


def _date_styles(root: Element) -> set[str]:
    codes = {el.get("numFmtId"): el.get("formatCode", "") for el in root.iter() if short(el.tag) == "x:numFmt"}
    styles = next((el for el in root if short(el.tag) == "x:cellXfs"), ())
    found = set()
    for number, style in enumerate(styles):
        if (own := style.get("numFmtId", "0")) in codes:
            dated = _DATE_CODE.search(_NO_CODE.sub("", codes[own])) is not None
        else:
            dated = own.isdigit() and int(own) in _BUILT_IN_DATES
        if dated:
            found.add(str(number))
    return found


_REFERENCE: Final = re.compile(r"'((?:[^']|''){1,80}+)'!|(?<![\w.])([^\W\d][\w.]{0,80}+)!")
_IDENTIFIER: Final = re.compile(r"(?<![\w.!'\\])([^\W\d][\w.\\]{0,255}+)(?![\w.!'\\])")


def _renamed(text: str, names: Mapping[str, str]) -> str:
    """Return a formula that refers to sheets by their new names."""

    def new(match: re.Match[str]) -> str:
        olds = (match[1] or match[2]).replace("''", "'").lower().split(":")
        new = ":".join(names.get(old, old) for old in olds).replace("'", "''")
        return match[0] if names.keys().isdisjoint(olds) else f"'{new}'!"

    return outside(text, lambda part: _REFERENCE.sub(new, part))


_OWN: Final = re.compile(_BUILT_IN)


def _is_foreign(formula: str, sheets: Collection[str]) -> bool:
    """Tell whether a formula names another file, a table's column or what nothing defines, outside of its strings."""
    parts = strings_of(formula)[::2]
    named = [match for part in parts for match in _REFERENCE.finditer(part)]
    names = {name for match in named for name in (match[1] or match[2]).replace("''", "'").lower().split(":")}
    return not names.issubset(sheets) or not all(is_plain(_REFERENCE.sub("", part), _OWN) for part in parts)


def _prepare(root: Element, package: Any) -> None:
    """Write every string in its cell, and take what is stored for formulas out of them."""
    lost = set()
    names = package.defined_names
    sheets = {name.lower() for name in package.sheet_names.values()}

    def named(text: str) -> str:
        """Write the names of ranges anew, outside of the quoted names of sheets."""
        quoted = text.split("'")
        quoted[::2] = [
            _IDENTIFIER.sub(lambda match: names.get(match[1].lower(), match[1]), part) for part in quoted[::2]
        ]
        return "'".join(quoted)

    for element in root.iter():
        if (name := short(element.tag)) in ("x:t", "x:v") and element.text and "_x" in element.text:
            element.text = _unescaped(element.text)
        for key in element.attrib if name in _ESCAPED else ():
            element.set(key, _unescaped(element.get(key)))
        if name in _FORMULAS and element.text:
            if names and name != "c:f":
                element.text = outside(element.text, named)
            if _is_foreign(element.text, sheets):
                lost.add(element)
        elif name == "x:author":
            element.text = "Author"
    shared = {element.get("si") for element in lost if element.get("t") == "shared"} - {None}
    for cell in [element for element in root.iter() if short(element.tag) == "x:c"]:
        _prepare_cell(cell, lost, shared, package)
    for element in lost:
        parent = element.getparent()
        if short(element.tag) == "c:f" or parent is None:
            element.text = "#REF!"
        elif short(parent.tag) in ("x:cfRule", "x:dataValidation"):
            parent.getparent().remove(parent)
        else:
            parent.remove(element)
        package.removed["formula of another file or of a table"] += 1


_ESCAPED: Final = ("x:dataValidation", "x:hyperlink", "x:sheet", "x:cfRule", "x:definedName")
_CHARACTER: Final = re.compile(r"_x([0-9A-Fa-f]{4})_")
_NO_XML: Final = re.compile(r"[\x00-\x08\x0b-\x1f\ud800-\udfff\ufffe\uffff]")


def _unescaped(text: str) -> str:
    """Return a text without codes of characters, which spell others if a program shows it."""
    while _CHARACTER.search(text):
        text = _NO_XML.sub("", _CHARACTER.sub(lambda match: chr(int(match[1], 16)), text))
    return text


def _prepare_cell(cell: Element, lost: set[Element], shared: set[str], package: Any) -> None:
    children = {short(child.tag): child for child in cell}
    formula, value = children.get("x:f"), children.get("x:v")
    if formula is not None and (formula in lost or formula.get("si") in shared):
        lost.discard(formula)
        cell.remove(formula)
        formula = None
        package.removed["formula of another file or of a table"] += 1
    if formula is not None:
        if value is not None:
            cell.remove(value)
        cell.attrib.pop("t", None)
        return
    namespace = cell.tag[: cell.tag.index("}") + 1]
    kind = cell.get("t", "n")
    if value is not None and kind in ("s", "str"):
        cell.remove(value)
        text = value.text or ""
        inline = new_child(cell, f"{namespace}is")
        if kind == "str":
            new_child(inline, f"{namespace}t").text = text
        elif text.strip().isdigit() and int(text) < len(package.strings):
            string = package.strings[int(text)]
            take("tags", package.string_sizes[int(text)][0])
            take("characters", package.string_sizes[int(text)][1])
            for child in string:
                inline.append(deepcopy(child))
        cell.set("t", "inlineStr")
    elif kind == "n" and cell.get("s") in package.dates:
        cell.set(_DATED, package.epoch)


def _prepare_workbook(root: Element, package: Any) -> None:
    """Have formulas computed anew by whoever opens the file."""
    _prepare(root, package)
    namespace = root.tag[: root.tag.index("}") + 1]
    if (calculation := next((child for child in root if short(child.tag) == "x:calcPr"), None)) is None:
        before = [child for child in root if short(child.tag) in ("x:sheets", "x:externalReferences", "x:definedNames")]
        calculation = new_child(root, f"{namespace}calcPr")
        if before:
            before[-1].addnext(calculation)
    calculation.set("fullCalcOnLoad", "1")


_TYPE: Final = "spreadsheetml."
Sheets.known = {
    **CHARTS,
    f"{_TYPE}sheet.main+xml": Known("body", SHEETS, _prepare_workbook),
    f"{_TYPE}template.main+xml": Known("body", SHEETS, _prepare_workbook),
    f"{_TYPE}worksheet+xml": Known("sheet", SHEETS, _prepare),
    f"{_TYPE}sharedStrings+xml": Known("strings", SHEETS),
    f"{_TYPE}styles+xml": Known("styles", SHEETS),
    f"{_TYPE}comments+xml": Known("comments", SHEETS, _prepare),
    f"{_TYPE}table+xml": Known("table", SHEETS, _prepare),
    "drawing+xml": Known("drawing", SHEETS),
    "vmlDrawing": Known("drawing of comments", SHEETS, optional=True),
    "drawingml.chart+xml": Known("chart", _CHART, _prepare),
}
