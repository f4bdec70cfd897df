"""A small independent checker: four lemmas as rules over integers, in exact arithmetic.

It reads a file of statements and trusts none of it: each statement names a rule, and the checker computes the rule's
conditions anew from the integers that the statement or a table beside it holds. It needs the standard library, and
imports nothing of textveil, so that it can be read alone. Exit code 0: every statement follows; 1: one does not.

    python checker.py STATEMENTS.json...
    python checker.py REPORT.json...        reports of releases: their sums alone, by rule 3

Rules. Each proves epsilon-DP for any two inputs, or inputs as the rule says.

1. equal totals. Rows of integer weights have one total T. If w(x, y) <= e^epsilon w(x', y) for all x, x', y, then
   P(y | x) = w(x, y) / T obeys P(y | x) <= e^epsilon P(y | x'). Forms of a table: `rows`, all weights; `two-level`,
   m of n outputs weigh `inside`, the others `outside`, whichever they are; `raised`, output y weighs
   b(y) = counts(y) 2^shift and in each row at most c(y) = gains(y) unit more, going through an order of outputs until
   row_gain units are spent: all rows have the total sum b + row_gain unit.
2. range. Weights v(0) <= ... <= v(R) are positive integers, and output y weighs v(u(x, y)) where u is in 0 ... R for
   every x and y, over one set of n outputs. A row's total is between n v(0) and n v(R), so a ratio of probabilities is
   at most (v(R) / v(0))^2.
3. adaptive product. Outputs are drawn one after another, each by a statement that holds whatever the earlier outputs
   are. Then their losses add: epsilon >= the sum over statements of times * epsilon.
4. uniform injection. Distinct values get distinct entries of one pool of n distinct entries, uniformly: any k values
   get each of the n (n - 1) ... (n - k + 1) lists of entries equally often, so their law does not depend on the values,
   and epsilon is 0.

A comparison with e^epsilon uses a rational number below it: first terms of its series, which are positive, cut down.
"""

import gzip
import hashlib
import json
import sys
import zlib
from collections.abc import Callable, Iterator
from fractions import Fraction
from math import gcd
from pathlib import Path
from typing import Any

Statement = dict[str, Any]
Proved = dict[str, Fraction]

TERMS = (
    200  # of the series of e^x for x in (0, 1]: what is left is below 1 / 200!, and far below any integer's last place
)
NOT_WHOLE = (LookupError, TypeError, ValueError, ArithmeticError, AttributeError, OSError, EOFError, zlib.error)
LARGEST = 700  # epsilon beyond this is no guarantee that anybody reads


class Wrong(Exception):
    """A condition does not hold; the message names it."""


def demand(holds: bool, what: str) -> None:
    """Raise Wrong with ``what`` unless the condition holds."""
    if not holds:
        raise Wrong(what)


def whole(value: Any, name: str, least: int = 0) -> int:
    """Return ``value`` if it is an integer (no float, no bool) of at least ``least``."""
    demand(type(value) is int and value >= least, f"{name} must be an integer >= {least}")
    return value


def exact(value: Any, name: str) -> Fraction:
    """Return a number of the file as a fraction: an integer, or a string such as "1/3" or "0.5"; never a float."""
    demand(type(value) in (int, str), f"{name} must be an integer or a string")
    demand(type(value) is int or (len(value) < 60 and set(value) <= set("0123456789./")), f"{name} is no number")
    try:
        number = Fraction(value)
    except (ValueError, ZeroDivisionError):
        raise Wrong(f"{name} is no number") from None
    demand(0 <= number <= LARGEST, f"{name} must be between 0 and {LARGEST}")
    return number


def exp_below(epsilon: Fraction) -> tuple[int, int]:
    """Return integers p, q with 0 < p / q <= e^epsilon, within a relative 2^-180 of it."""
    halvings = 0
    small = epsilon
    while small > 1:
        small, halvings = small / 2, halvings + 1
    term = total = Fraction(1)
    scale = 1 << 256
    for k in range(1, TERMS):
        term = Fraction((term * small / k).numerator * scale // (term * small / k).denominator, scale)  # down
        total += term
        if not term:
            break
    for _ in range(halvings):
        square = total * total
        total = Fraction(square.numerator * scale // square.denominator, scale)  # down
    common = gcd(total.numerator, total.denominator)
    return total.numerator // common, total.denominator // common


def loss(value: Any, name: str) -> Fraction:
    """Return an epsilon of a report exactly as its JSON has it, and never below 0."""
    demand(type(value) in (int, float) and 0 <= value <= LARGEST, f"{name} must be between 0 and {LARGEST}")
    return Fraction(value)


def within(more: int, less: int, bound: tuple[int, int]) -> bool:
    """Tell whether more <= e^epsilon less, for integers and ``bound`` from ``exp_below``."""
    return more * bound[1] <= less * bound[0]


def checked_rows(table: Statement, bound: tuple[int, int]) -> str:
    """Check rule 1 for a table that is written out; return what it proves."""
    rows = table["rows"]
    demand(type(rows) is list and len(rows) >= 2, "rows must be two lists or more")
    for row in rows:
        demand(type(row) is list and len(row) == len(rows[0]) > 0, "rows must have one length")
        for weight in row:
            whole(weight, "a weight")
    total = whole(table["total"], "total", 1)
    demand(all(sum(row) == total for row in rows), "a row has another total")
    for column in zip(*rows, strict=True):
        demand(within(max(column), min(column), bound), "two weights of an output are too far apart")
    return f"{len(rows):,} rows"


def checked_two_level(table: Statement, bound: tuple[int, int]) -> str:
    """Check rule 1 for m outputs of n that weigh more, whichever they are."""
    size, members = whole(table["size"], "size", 2), whole(table["members"], "members", 1)
    inside, outside = whole(table["inside"], "inside", 1), whole(table["outside"], "outside", 1)
    demand(members <= size, "members must be among the outputs")
    demand(inside >= outside, "inside must be the larger weight")
    demand(table["total"] == members * inside + (size - members) * outside, "total is another sum")
    demand(within(inside, outside, bound), "inside / outside is above e^epsilon")
    tight = whole(table.get("next", 0), "next")
    demand(not tight or not within(tight, outside, bound), "a larger weight would do: inside was changed")
    demand(not tight or tight == inside + 1, "next must be inside + 1")
    return ""


def checked_raised(table: Statement, bound: tuple[int, int], folder: Path) -> str:
    """Check rule 1 for base weights that each row raises, in an order of its own, by one sum."""
    counts, gains = table["counts"], table["gains"]
    shift, unit = whole(table["shift"], "shift"), whole(table["unit"], "unit", 1)
    row_gain, each = whole(table["row_gain"], "row_gain", 1), whole(table["each"], "each", 1)
    demand(type(counts) is list and type(gains) is list and len(counts) == len(gains) >= 2, "two lists of one length")
    demand(shift <= 62, "shift must be at most 62")
    for count, gain in zip(counts, gains, strict=True):
        whole(count, "a count", 1)
        demand(gain == min(count * each, row_gain), "a gain is not count * each, cut at row_gain")
        base = count << shift
        demand(within(base + gain * unit, base, bound), "an output may be raised above e^epsilon")
    slots = sum(counts)
    demand(slots & (slots - 1) == 0, "counts must add up to a power of two")
    demand(sum(gains) >= row_gain, "gains must suffice for row_gain")
    total = whole(table["total"], "total", 1)
    demand(total == (slots << shift) + row_gain * unit, "total is another sum")
    demand(total < 1 << 62, "total must be below 2^62")
    orders = table.get("orders")
    return "" if orders is None else checked_orders(orders, gains, row_gain, folder)


def checked_orders(orders: Statement, gains: list[int], row_gain: int, folder: Path) -> str:
    """Check that each row of a table names distinct outputs; rows that reach row_gain within it are whole."""
    data = file_of(orders, folder)
    size, length = whole(orders["rows"], "rows", 2), whole(orders["columns"], "columns", 1)
    width, start = whole(orders["bytes"], "bytes", 1), whole(orders["start"], "start")
    demand(size == len(gains), "a row for each input")
    end = start + size * length * width
    demand(len(data) - end in range(64) and not any(data[end:]), "the table has another length")
    done = 0
    for row in range(size):
        at = start + row * length * width
        named = data[at : at + length * width]
        outputs = [int.from_bytes(named[i : i + width], "little") for i in range(0, len(named), width)]
        demand(len(set(outputs)) == length and max(outputs) < size, f"row {row} names an output twice, or none")
        demand(outputs[0] == row, f"row {row} must begin with its input")
        left = row_gain
        for output in outputs:
            left -= min(left, gains[output])
        done += left == 0
    return f"{done:,} of {size:,} rows end within the table"


def file_of(named: Statement, folder: Path) -> bytes:
    """Return a file's bytes after a check of their digest, which the statement gives."""
    try:
        data = (folder / named["file"]).read_bytes()
    except OSError:
        raise Wrong("a table cannot be read") from None
    demand(hashlib.sha256(data).hexdigest() == named["sha256"], "a table was changed: its SHA-256 is another")
    return data


def equal_totals(statement: Statement, epsilon: Fraction, proved: Proved, folder: Path) -> str:
    """Check rule 1."""
    table, bound = statement["table"], exp_below(epsilon)
    form = table["form"]
    if form == "rows":
        return checked_rows(table, bound)
    if form == "two-level":
        return checked_two_level(table, bound)
    demand(form == "raised", "form must be rows, two-level or raised")
    return checked_raised(table, bound, folder)


def score_range(statement: Statement, epsilon: Fraction, proved: Proved, folder: Path) -> str:
    """Check rule 2."""
    weights = statement["weights"]
    demand(type(weights) is list and len(weights) >= 1, "weights must be a list")
    for weight in weights:
        whole(weight, "a weight", 1)
    demand(weights == sorted(weights), "weights must not fall")
    demand(statement["support"] == "one set of outputs", "the rule needs one set of outputs for all inputs")
    demand(within(weights[-1] ** 2, weights[0] ** 2, exp_below(epsilon)), "(largest / smallest)^2 is above e^epsilon")
    return ""


def adaptive_product(statement: Statement, epsilon: Fraction, proved: Proved, folder: Path) -> str:
    """Check rule 3."""
    parts = statement["parts"]
    demand(type(parts) is list, "parts must be a list")
    total = Fraction(0)
    for part in parts:
        demand(part["of"] in proved, f"part {part['of']!r} is no statement that was proved before")
        total += whole(part["times"], "times") * proved[part["of"]]
    demand(total <= epsilon, f"the parts add up to {float(total):g}")
    return ""


def uniform_injection(statement: Statement, epsilon: Fraction, proved: Proved, folder: Path) -> str:
    """Check rule 4."""
    entries = statement.get("entries")
    if entries is None:
        entries = section(file_of(statement["pool"], folder), statement["pool"])
    demand(type(entries) is list and all(type(entry) is str and entry for entry in entries), "entries must be names")
    demand(len(set(entries)) == len(entries) == whole(statement["size"], "size", 1), "a pool names an entry twice")
    demand(whole(statement["values"], "values") <= len(entries), "more values than entries")
    return f"{len(entries):,} entries"


def section(data: bytes, named: Statement) -> list[str]:
    """Return the lines below ``[NAME]`` of a list of pools, packed or not."""
    text = (gzip.decompress(data) if named["file"].endswith(".gz") else data).decode("utf-8")
    head, _, rest = text.partition(f"[{named['section']}]\n")
    demand(not head or head.endswith("\n"), "no such section")
    demand(bool(rest), "no such section")
    return rest.partition("\n[")[0].rstrip("\n").split("\n")


def release_report(statement: Statement, epsilon: Fraction, proved: Proved, folder: Path) -> str:
    """Check rule 3 for a release's report: its document's epsilon is at least the sum over its draws.

    The epsilon of one draw is the report's own; the statement of its mechanism proves it.
    """
    report = statement["report"]
    guarantee, documents = report["guarantee"], whole(report["documents"], "documents", 1)
    demand(report["for_release"] is True, "a seed or an unproved part: the report is not for release")
    spent, drawn = Fraction(0), 0
    for kind in guarantee["by_kind"]:
        count = whole(kind["count"], "count")
        times = {"value": count, "mention": count, "scope": min(count, documents)}
        each = loss(kind["epsilon"], "epsilon of a kind")
        demand(kind.get("pays", "value") in times, "a kind pays in another way")
        demand(kind["delta"] == 0, "a kind has a delta: no rule of this checker")
        demand(count == report["tokens"].get(kind["kind"], 0), "a kind has another count")
        spent += each * times[kind.get("pays", "value")]
        drawn += count if each else 0
    whole_input, token = guarantee["whole_input"], guarantee["per_token"]
    demand(whole_input["protected_tokens"] == drawn, "protected_tokens is another sum")
    if token is not None:
        demand(token["delta"] == 0, "a token has a delta: no rule of this checker")
        demand(report["mechanism"]["parameters"]["epsilon"] == token["epsilon"], "the mechanism states another epsilon")
        most = max(loss(kind["epsilon"], "epsilon of a kind") for kind in guarantee["by_kind"])
        demand(most <= loss(token["epsilon"], "epsilon of a token"), "a kind costs more than a token")
    demand(whole_input["delta"] == 0, "a delta: no rule of this checker")
    stated = loss(whole_input["epsilon"], "epsilon of the whole input")
    demand(spent <= stated, f"the draws add up to {float(spent):g}, and less is stated")
    demand(stated <= epsilon, "the report states more than the statement")
    return f"the draws add up to {float(spent):g} of {float(stated):g}"


def stated_by(report: Statement) -> str | None:
    """Return the epsilon that a report states for its whole input; None if there is none, which no rule takes."""
    try:
        return str(Fraction(report["guarantee"]["whole_input"]["epsilon"]))
    except NOT_WHOLE:
        return None


RULES: dict[str, Callable[[Statement, Fraction, Proved, Path], str]] = {
    "equal totals": equal_totals,
    "range": score_range,
    "adaptive product": adaptive_product,
    "uniform injection": uniform_injection,
    "report": release_report,
}


def check(data: Any, folder: Path = Path()) -> Iterator[tuple[str, str, bool]]:
    """Yield (ID, what it proves or why not, whether it follows) for each statement of a file, in order."""
    proved: Proved = {}
    if type(data) is not dict or data.get("type") != "textveil-integers-1" or type(data.get("statements")) is not list:
        yield "file", "is no file of statements", False
        return
    if not data["statements"]:
        yield "file", "has no statement", False
    for statement in data["statements"]:
        name = str(statement.get("id", "")) if type(statement) is dict else ""
        try:
            demand(bool(name) and name not in proved, "needs an ID of its own")
            demand(statement["rule"] in RULES, "names no rule")
            epsilon = exact(statement["epsilon"], "epsilon")
            note = RULES[statement["rule"]](statement, epsilon, proved, folder)
        except Wrong as error:
            yield name, str(error), False
        except (
            LookupError,
            TypeError,
            ValueError,
            ArithmeticError,
            AttributeError,
            OSError,
            EOFError,
            zlib.error,
        ) as error:
            yield name, f"is not whole ({type(error).__name__})", False
        else:
            proved[name] = epsilon
            yield name, f"{float(epsilon):.12g}-DP by {statement['rule']}{'; ' + note if note else ''}", True


def main(paths: list[str]) -> int:
    """Check files; return the exit code."""
    good = bool(paths)
    for path in paths:
        try:
            data = json.loads(Path(path).read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError):
            data = None
        if type(data) is dict and "guarantee" in data:
            row = {"id": Path(path).name, "rule": "report", "epsilon": stated_by(data), "report": data}
            data = {"type": "textveil-integers-1", "statements": [row]}
        for name, what, follows in check(data, Path(path).parent):
            good = good and follows
            print(f"{'follows' if follows else 'DOES NOT FOLLOW'}: {name}: {what}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
