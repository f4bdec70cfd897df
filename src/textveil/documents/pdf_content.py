"""Content streams of PDF: operators that are known stay, text is read into runs, everything else goes."""

import re
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any, Final

from textveil.documents.pdf_fonts import WORDS, array, matrix, numbers, shading, space, standard_font, state
from textveil.documents.pdf_text import IDENTITY, Fonts, Matrix, Run, State, parts_of, times
from textveil.documents.registry import hold
from textveil.errors import MissingExtra

with MissingExtra("pikepdf", "documents"):
    import pikepdf
    from pikepdf import Array, ContentStreamInstruction, Dictionary, Name, Operator, Stream

_OPERATOR: Final = re.compile(rb"[A-Za-z'\"*]++")
_NUMBERS: Final = frozenset(
    (
        "q Q cm w J j M d i m l c v y h re S s f F f* B B* b b* n W W* g G rg RG k K sc SC scn SCN d0 d1 BX EX Tc"
        " Tw Tz TL Tr Ts BT ET Td TD Tm T*"
    ).split()
)
"""Operators that take numbers alone, or nothing."""
_MOVES: Final = frozenset("q Q cm BT Tm Td TD T* Tc Tw Tz TL".split())


class Content:
    """A content stream: what is known of it, with the runs of its text; ``pdf`` is the file, which reads resources."""

    def __init__(self, pdf: Any, resources: Any, ctm: Matrix, depth: int, *, texts: bool = True) -> None:
        self._pdf, self._depth, self._texts = pdf, depth, texts
        self._old = resources if isinstance(resources, Dictionary) else Dictionary()
        self._new = Dictionary()
        self._named: dict[tuple[str, str], Name | None] = {}
        self._out: list[ContentStreamInstruction | Run] = []
        self._packed: list[bytes | Run] = []
        self.cost = 0  # operators, with those of forms as often as they are shown
        self._state = State(ctm)
        self._stack: list[State] = []
        self._text = self._line = IDENTITY
        self._marks: list[bool] = []
        self._hidden = 0
        self._target: Any = None
        self._fonts = Fonts(set())
        pdf.contents.append(self)

    def put_to(self, target: Any, fonts: Any = None) -> None:
        """Say what this is the content of, and what holds its resources if it is a glyph."""
        self._target = target
        if self._texts or fonts is not None:
            (target if fonts is None else fonts).Resources = self._new
        self._is_page = target.get("/Type") == Name("/Page")

    def read(self, item: Any) -> None:
        for row in self._rows(item):
            if (operator := str(row.operator)) == "INLINE IMAGE":
                self._pdf.inline_picture()
                continue
            if operator in ("BMC", "BDC", "EMC"):
                self._mark(operator, row.operands)
                continue
            if self._hidden and operator not in ("q", "Q", "cm", "BT", "ET"):
                continue
            try:
                if operator not in _NUMBERS or not self._drawn(operator, row):
                    self._take(operator, list(row.operands))
            except (TypeError, ValueError, AttributeError, KeyError, IndexError, pikepdf.PdfError, OverflowError):
                self._pdf.removed["operator that cannot be read"] += 1

        self._pack()

    def _rows(self, item: Any) -> Sequence[Any]:
        """Return the operators of a page or a stream, which are counted before they are made."""
        try:
            given = item.get("/Contents") if item.get("/Type") == Name("/Page") else item
            streams = [one for one in (given if isinstance(given, Array) else [given]) if isinstance(one, Stream)]
            hold("operators_in_one", sum(len(_OPERATOR.findall(one.read_bytes())) for one in streams))
            rows = pikepdf.parse_content_stream(item) if streams else []
        except (pikepdf.PdfError, TypeError):
            self._pdf.removed["content that cannot be read"] += 1
            return ()
        self.cost += len(rows)
        return rows

    def _pack(self) -> None:
        """Hold all but text as bytes, which take a fraction of the memory."""
        rows: list[ContentStreamInstruction] = []
        for row in self._out:
            if isinstance(row, Run):
                self._packed += [pikepdf.unparse_content_stream(rows), row]
                rows = []
            else:
                rows.append(row)
        self._packed.append(pikepdf.unparse_content_stream(rows))
        self._out = []

    def _mark(self, operator: str, operands: Any) -> None:
        if operator == "EMC":
            if self._marks:
                self._hidden -= self._marks.pop()
            return
        hidden = False
        if len(operands) == 2:
            given = operands[1]
            if isinstance(given, Name):
                given = self._old.get("/Properties", Dictionary()).get(str(given))
            if operands[0] == Name("/OC") and isinstance(given, Dictionary):
                hidden = is_hidden(given, self._pdf.hidden)
            elif isinstance(given, Dictionary) and ("/ActualText" in given or "/Alt" in given):
                self._pdf.removed["spoken text"] += 1
        self._pdf.removed["hidden layer"] += hidden
        self._marks.append(hidden)
        self._hidden += hidden

    def _resource(self, kind: str, old: Any, make: Callable[[Any], Any]) -> Name | None:
        key = (kind, str(old))
        if key not in self._named:
            item = self._old.get(kind, Dictionary()).get(str(old))
            made = None if item is None else make(item)
            self._named[key] = None
            self._pdf.removed[f"unknown {kind[1:]}"] += made is None and item is not None and kind != "/XObject"
            if made is not None:
                if kind not in self._new:
                    self._new[kind] = Dictionary()
                name = Name(f"{kind[:2]}{len(self._new[kind]) + 1}")
                self._new[kind][name] = made
                self._named[key] = name
        return self._named[key]

    def _take(self, operator: str, operands: list[Any]) -> None:  # noqa: C901
        pdf, now = self._pdf, self._state
        if operator in ("Tj", "TJ", "'", '"'):
            self._show(operator, operands)
        elif operator == "Tf":
            new = self._resource("/Font", operands[0], lambda item: pdf.font(item, self._depth)[1])
            now.font, now.size = None, float(operands[1])
            if new is not None:
                item = self._old.Font[str(operands[0])]
                now.font, now.name = pdf.font(item, self._depth)[0], str(new)
                self._put(operator, new, operands[1])
        elif operator == "Do":
            item = self._old.XObject[str(operands[0])]
            new = self._resource("/XObject", operands[0], lambda item: pdf.form(item, now.ctm, self._depth, self._old))
            if new is not None and item is not None:
                self.cost += pdf.costs.get(item.objgen, 0)
                self._put(operator, new)
        elif operator == "gs":
            item = self._old.ExtGState[str(operands[0])]
            pdf.removed["mask"] += isinstance(item.get("/SMask"), Dictionary)
            if (
                new := self._resource(
                    "/ExtGState", operands[0], lambda item: pdf.once(item, lambda one: state(pdf.new, one))
                )
            ) is not None:
                self._put(operator, new)
        elif operator in ("cs", "CS"):
            if str(operands[0])[1:] in WORDS:
                self._put(operator, operands[0])
            elif (new := self._resource("/ColorSpace", operands[0], lambda item: space(pdf.new, item))) is not None:
                self._put(operator, new)
        elif operator == "sh":
            if (
                new := self._resource(
                    "/Shading", operands[0], lambda item: pdf.once(item, lambda one: shading(pdf.new, one))
                )
            ) is not None:
                self._put(operator, new)
        elif operator in ("scn", "SCN") and operands and isinstance(operands[-1], Name):
            make = lambda item: pdf.once(item, lambda one: pdf.pattern(one, self._depth))  # noqa: E731
            new = self._resource("/Pattern", operands[-1], make)
            if new is not None and numbers(Array(operands[:-1])) is not None:
                self._put(operator, *operands[:-1], new)
        elif operator == "ri" and str(operands[0])[1:] in WORDS:
            self._put(operator, operands[0])
        elif operator not in ("MP", "DP"):
            pdf.removed["operator that is not known"] += 1

    def _drawn(self, operator: str, row: ContentStreamInstruction) -> bool:
        """Take an operator as it is if it has numbers alone; tell whether it has."""
        operands: Any = row.operands
        if len(operands) and any(numbers(one) is None for one in operands):
            return False
        if operator in _MOVES:
            self._move(operator, operands)
        if operator not in ("BX", "EX"):
            self._out.append(row)
        return True

    def _put(self, operator: str, *operands: Any) -> None:
        self._out.append(ContentStreamInstruction(list(operands), Operator(operator)))

    def _move(self, operator: str, operands: Sequence[Any]) -> None:
        state = self._state
        if operator == "q":
            self._stack.append(state.copy())
        elif operator == "Q" and self._stack:
            self._state = self._stack.pop()
        elif operator == "cm":
            state.ctm = times(matrix(operands), state.ctm)
        elif operator == "BT":
            self._text = self._line = IDENTITY
        elif operator == "Tm":
            self._text = self._line = matrix(operands)
        elif operator in ("Td", "TD"):
            x, y = map(float, operands)
            if operator == "TD":
                state.leading = -y
            self._next(x, y)
        elif operator == "T*":
            self._next(0, -state.leading)
        elif operator in ("Tc", "Tw", "Tz", "TL"):
            value = float(operands[0])
            name = {"Tc": "letter", "Tw": "word", "Tz": "scale", "TL": "leading"}[operator]
            setattr(state, name, value / 100 if operator == "Tz" else value)

    def _next(self, x: float, y: float) -> None:
        self._text = self._line = times((1, 0, 0, 1, x, y), self._line)

    def _show(self, operator: str, operands: Sequence[Any]) -> None:
        state = self._state
        if operator == '"':
            for name, value in zip(("Tw", "Tc"), operands, strict=False):
                self._drawn(name, ContentStreamInstruction([value], Operator(name)))
        if operator in ("'", '"'):
            self._move("T*", ())
            self._put("T*")
        shown = array(operands[0]) if operator == "TJ" else [operands[-1]]
        strings = [float(one) if isinstance(one, (int, float, Decimal)) else bytes(one) for one in shown]
        parts = parts_of(strings, state) if self._texts else None
        if parts is None:
            self._pdf.removed["text that cannot be read" if self._texts else "text within a glyph"] += any(
                map(bool, strings)
            )
            return
        if not parts:
            return
        place = times(self._text, state.ctm)
        run = Run(state.copy(), (place[4], place[5]), (place[0], place[1]), parts)
        for part in parts:
            part.run = run
        self._out.append(run)
        if any(part.text for part in parts):
            self._pdf.lines.add(run)
        self._text = times((1, 0, 0, 1, run.width * state.scale, 0), self._text)

    def write(self, wide: set[str]) -> None:
        """Write all of it to what it is the content of."""
        self._fonts = Fonts(wide)
        data = b"\n".join(
            pikepdf.unparse_content_stream(list(row.instructions(self._fonts))) if isinstance(row, Run) else row
            for row in self._packed
        )
        if self._is_page:
            self._target.Contents = self._pdf.new.make_stream(data)
        else:
            self._target.write(data)

    def name_fonts(self, pdf: pikepdf.Pdf, wide: Any) -> None:
        """Put the fonts of new text to the resources."""
        for style, name in self._fonts.used.items():
            if "/Font" not in self._new:
                self._new.Font = Dictionary()
            self._new.Font[name] = wide if style == "wide" else standard_font(style)


def is_hidden(layer: Any, hidden: set[tuple[int, int]]) -> bool:
    """Tell whether what is of a layer, or of several, is shown to nobody."""
    members = layer.get("/OCGs") if isinstance(layer, Dictionary) else None
    if isinstance(members, Array) and len(members):
        return all(one.objgen in hidden for one in members)
    return (layer if members is None else members).objgen in hidden
