"""Hostile texts of many shapes at two sizes: what a character costs, and whether a long text costs more of it.

    python benchmarks/attacks/slow_texts.py [--characters 3000] [--shapes N]

A shape is a beginning, a unit again and again, and an end: those below, some of them with
a new word in each unit, and the pumps of every quantifier of every
pattern that reads texts (pumps.py). The patterns themselves are read for what a character may cost. Each shape
is sanitized and restored under the preset ``prompts``
at a size and at eight times the size; printed are the shapes whose characters cost the most and those that grow the
fastest. Processor time of this thread is measured, the least of up to four runs. Exit status 1 if time grows by more
than three times the growth of the text.
"""

import argparse
import sys
import time
from collections.abc import Callable
from itertools import product
from typing import NamedTuple

import pumps

from textveil.sanitize.policy.choice import policy
from textveil.sanitize.sanitizer import Sanitizer
from textveil.surrogates.restoring import Restorer

GROWTH = 8
MARGIN = 3
RUNS = 4

UNITS = tuple(
    """1|1 |1-|1.|1,|1/|1:|12 |123 |123-|(1)|+1|1$|$1 |1a|A1|0a:|f:|1.1.|2020-|12:12:|a|A|a |A |a-|A-|A.|a.|A'|'s|a@|@
@a|a@b.co |www.a|http://a|a.com/|.com|John |Maria de |A, Inc|Inc.|Dr. |University of |van |of |twenty |one hundred and
May |May 1 |Monday |1 Main Street |calle a |Apt 1 |id |id: is |ID 1a |aged 4 |call |card |paris |john |mr |dollars |_|#
...|(|"|\\| |\t|\r|\x00|\u00e9|e\u0301|\u200b|\u4e00|\U0001f600|\u0661""".replace("\n", "|").split("|")
)
GERMAN = (
    "Der Patient wohnt seit vielen Jahren in der Stadt und ist mit der Behandlung nicht zufrieden, weil sie dauert. "
    * 4
)
SPANISH = "El paciente vive desde hace muchos anos en la ciudad y no esta contento con el tratamiento que le dan. " * 4
NEW = "Nuovo"
"""Stands for a word that no other unit of the text holds."""
DISTINCT = (
    "Mr. John Nuovo met Nuovo. ",
    "John Nuovo ",
    "Nuovo.nuovo@mail.org ",
    "Nuovo Nuovo University (NUOVO) ",
    "NUOVO ",
    "name|Nuovo|",
    '"nuovo": "name;Nuovo", ',
    "owner: Nuovo Nuovo\n",
    "reviewers: [Nuovo Nuovo, ",
    "reviewers:\n- Nuovo Nuovo\n",
    "in Nuovo, the Nuovo River. ",
    "`nuovo_nuovo` def nuovo(x): ",
    "password=nuovo9Nuovo ",
    "https://nuovo.com/nuovo?a=Nuovo ",
    "[12:03] Nuovo: nuovo\n",
    "Mr Nuovo Nuovo, born in Nuovo, represented by Ms Nuovo, ",
    "Herr Nuovo wohnt in der Nuovostrasse 7 und ist mit Nuovo da. ",
)
"""Units of texts that hold many different values."""
FRAMES = (("", ""), ("5 dollars ", " 5$ #"), ("call ", "a"), ("", "@"), (GERMAN, ""), (SPANISH, "@"))
"""Beginnings and ends."""


class Shape(NamedTuple):
    """A beginning, a unit that is repeated, and an end."""

    beginning: str
    unit: str
    end: str

    def text(self, characters: int) -> str:
        """A text of about so many characters."""
        count = characters // len(self.unit)
        if NEW.lower() not in self.unit.lower():
            return self.beginning + self.unit * count + self.end
        return self.beginning + "".join(map(self._renewed, range(count))) + self.end

    def _renewed(self, number: int) -> str:
        word = "".join(chr(ord("a") + 7919 * (number + 1) // 26**place % 26) for place in range(5))
        unit = self.unit.replace(NEW, word.capitalize()).replace(NEW.upper(), word.upper())
        return unit.replace(NEW.lower(), word)


class Cost(NamedTuple):
    """Seconds for the long text, its microseconds a character, and its time by that of the short one."""

    growth: float
    microseconds: float
    shape: Shape


SHAPES = (
    *(Shape("", unit, "") for unit in DISTINCT),
    *(Shape(beginning, unit, end) for (beginning, end), unit in product(FRAMES, UNITS)),
)
READERS = ("textveil.detection.", "textveil.sanitize.", "textveil.surrogates.", "textveil.text.")
"""Packages whose patterns read texts."""


def derived_shapes() -> list[Shape]:
    """The pumps of all patterns that read texts."""
    shapes: dict[Shape, None] = {}
    for one in pumps.all_patterns():
        if one.name.startswith(READERS) and isinstance(one.pattern, str):
            automaton = pumps.Automaton(one.pattern, one.flags)
            shapes.update((Shape(*pump), None) for pump in pumps.pumps_of(automaton))
    return list(shapes)


def work_of(sanitizer: Sanitizer) -> Callable[[str], object]:
    """Sanitizes a text, and puts the originals of the release back."""

    def work(text: str) -> object:
        (release,) = sanitizer.batch([text])
        return Restorer(() if release.private_map is None else release.private_map).restore(release.text)

    return work


def seconds(work: Callable[[str], object], text: str) -> float:
    """Of this thread's processor time."""
    start = time.thread_time()
    work(text)
    return time.thread_time() - start


def cost(work: Callable[[str], object], shape: Shape, characters: int) -> Cost:
    """What a shape costs; measured again while it looks as if it grew too fast, for a slow run proves nothing."""
    short, long = shape.text(characters), shape.text(GROWTH * characters)
    least = [seconds(work, short), seconds(work, long)]
    for _ in range(RUNS - 1):
        if least[1] <= MARGIN * GROWTH * least[0]:
            break
        least = [min(least[0], max(1e-4, seconds(work, short))), min(least[1], seconds(work, long))]
    return Cost(least[1] / max(least[0], 1e-4), 1e6 * least[1] / len(long), shape)


def main() -> int:
    """Prints the slowest shapes; 1 if one grows too fast."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--characters", type=int, default=3000)
    parser.add_argument("--shapes", type=int, help="how many, evenly spaced; all of them unless given")
    given = parser.parse_args()
    work = work_of(Sanitizer(policy("prompts")))
    work("Ask Maria Gonzalez of Denver on March 3, 2024 at 555-123-4567.")  # what is read once is read
    shapes = [*SHAPES, *derived_shapes()]
    shapes = shapes[:: max(1, len(shapes) // (given.shapes or len(shapes)))]
    costs = sorted((cost(work, shape, given.characters) for shape in shapes), reverse=True)
    print("microseconds a character, growth of time where the text grows eightfold, shape")
    for one in sorted(costs, key=lambda one: -one.microseconds)[:5] + costs[:5]:
        print(f"{one.microseconds:8.1f} {one.growth:8.1f}  {tuple(ascii(part[-40:]) for part in one.shape)}")
    slow = [one for one in costs if one.growth > MARGIN * GROWTH]
    print(f"{len(slow)} of {len(costs)} shapes grow too fast")
    patterns = pumps.all_patterns()
    dear = [one.name for one in patterns if any(pumps.findings(pumps.Automaton(one.pattern, one.flags, full=one.full)))]
    print(
        f"{len(dear)} of {len(patterns)} patterns may take over {pumps.MOST_STEPS} steps a character: {', '.join(dear)}"
    )
    return 1 if slow or set(dear) - set(pumps.KNOWN) else 0


if __name__ == "__main__":
    sys.exit(main())
