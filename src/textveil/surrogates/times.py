"""Times of day: a staircase on the minutes of a day, or one stretch by which all of a scope move."""

import re
from collections.abc import Sequence
from functools import cache
from typing import Annotated, Final

import numpy as np

from textveil.errors import need
from textveil.privacy.units import Adjacency, Unit
from textveil.registry.options import Option, named
from textveil.surrogates.drawn import AS_READ, UNREAD, Draw, Drawn, Together, agreed, proved
from textveil.surrogates.making import SURROGATES, OptionalEpsilon, declared
from textveil.surrogates.quantities import check_width, width_option, window
from textveil.surrogates.scopes import Scope
from textveil.surrogates.surrogate import Mention
from textveil.surrogates.writing import filled
from textveil.text.patterns import lazy_regex

MINUTES: Final = 24 * 60

_TIME: Final = lazy_regex(
    r"(?P<hour>[0-9]{1,2})"
    r"(?:(?P<mark>[:.]| ?h ?|)(?P<minute>[0-9]{2})"
    r"(?:(?P<seconds>:?[0-5][0-9])(?:(?P<point>[.,])(?P<fraction>[0-9]{1,9}))?)?)?"
    r"(?P<gap>\s{0,2})(?P<end>a\.?m\.?|p\.?m\.?|h(?:rs|ours)?|)"
    r"(?P<offset>z|[+-](?P<hours>[0-9]{2})(?:(?P<colon>:?)(?P<minutes>[0-9]{2}))?)?",
    re.IGNORECASE,
)
_ZONE: Final = lazy_regex(r"(?P<sign>[+-])(?P<hours>[0-9]{1,2})(?:(?P<colon>:?)(?P<minutes>[0-9]{2}))?")
"""An offset from UTC alone, behind UTC or GMT."""
# Minutes that clocks somewhere are before or behind UTC; the first 27 are whole hours.
_SHIFTS: Final = (*range(-720, 841, 60), -570, -210, 210, 270, 330, 345, 390, 525, 570, 630, 765)
_WHOLE_HOURS: Final = 27
_WIDTH = width_option("minutes", "MINUTES")


_EACH, _SHIFT = "each", "shift"
_TIMES = Option(
    domain=named(_EACH, _SHIFT),
    help="shift: all times of a scope are moved by one random stretch, so that their order and the time between them "
    "stay, and are public; each: every time has a draw of its own.",
    metavar="NAME",
)


@cache
def all_moved() -> Adjacency:
    """Two inputs of which one has the times of the other, all moved by one stretch of time."""
    return Adjacency(
        Unit.SPAN,
        "two texts in which the same spans of the same kinds are found, and in which all times of one scope differ by "
        "the same stretch of time, which carries none past midnight; the time between them is public, and so are "
        "offsets from UTC",
    )


@declared(summary="A time near the true one, or any; or all times moved together.", kinds=("time",), proof=SURROGATES)
def time(
    *,
    epsilon: OptionalEpsilon = 0.0,
    width: Annotated[int, _WIDTH] | None = None,
    times: Annotated[str, _TIMES] = _EACH,
) -> Drawn:
    """Times by a staircase on the 1,440 minutes of a day, round the clock; all that is finer is uniform.

    An offset alone (behind UTC) is drawn by itself.

    Equal times get equal ones, in whatever format: where seconds are written, that is hour, minute and second. A
    fraction of a second gets as many digits, and an offset from UTC (+02:00) another one of those that clocks have.

    Hours are written with two digits on the clock of 24 hours and without a leading zero before am and pm, however the
    private one is: a zero would tell its hour. What cannot be read as a time gets a uniform one, as 14:05. At epsilon 0
    the minutes of a text's times rise in the order in which it has them first, whatever they are, as those of most do.

    With ``times`` "shift" all times of a scope move by one stretch, at epsilon 0: the first is uniform between 6:00 and
    22:00 if all lie within eight hours, else in the day; those that lie more than twelve hours apart go round the
    clock. Offsets from UTC stay, and times on five minutes stay on five minutes.

    ``width`` is that of the staircase, where ``epsilon`` is above 0.
    """
    if times == _SHIFT:
        need(epsilon == 0 and width is None, "epsilon", epsilon, "0, without width, where times is shift")
        return _moved_together()
    check_width(width, epsilon, MINUTES, f"at most {MINUTES} minutes")
    minutes, label = window(size=MINUTES, epsilon=epsilon, width=width, circle=True), f"time {epsilon!r} {width}"

    def in_order(values: Sequence[str], scope: Scope, rng: np.random.Generator) -> None:
        known = scope.remembered(label)
        read = {_key(value): match for value in values if (match := _read(value)[1]) is not None}
        new = [key for key in read if key not in known]
        for key, minute in zip(new, sorted(minutes.draw(0, rng) for _ in new), strict=True):
            known[key] = f"{minute}{_finer(read[key], rng)}"

    def surrogate_of(value: str, scope: Scope, rng: np.random.Generator) -> str:
        if (zone := _ZONE.fullmatch(value)) is not None:
            shifts = _SHIFTS if zone["minutes"] else _SHIFTS[:_WHOLE_HOURS]
            drawn_shift = agreed(
                scope, f"{label} zone", _key(value), rng, lambda source: str(shifts[source.integers(len(shifts))])
            )
            return _zone(int(drawn_shift), zone)
        minute, match = _read(value)
        if match is None:
            return _unread(label, value, scope, rng)
        drawn = agreed(
            scope, label, _key(value), rng, lambda source: f"{minutes.draw(minute, source)}{_finer(match, source)}"
        )
        return _written(drawn, match)

    return Drawn(
        name="time",
        parameters={"epsilon": epsilon} | ({} if width is None else {"width": width}),
        guarantee=proved(epsilon, SURROGATES),
        public=(_FORM,),
        equality=AS_READ,
        surrogate_of=surrogate_of,
        of_mentions=(lambda mentions, ages: Together(surrogate_of, in_order)) if epsilon == 0 else None,
        read=_key,
    )


_FORM: Final = (
    "its format: whether minutes, seconds and a fraction of them, am or pm are written and how, whether it is "
    "UTC (Z), has an offset or is one, and whether it can be read as a time"
)
_SECOND: Final = 10**9  # nanoseconds: times are points of a line of them
_MINUTE, _HOUR, _DAY = 60 * _SECOND, 3_600 * _SECOND, 86_400 * _SECOND
_FIVE: Final = 5 * _MINUTE
_NEAR, _FAR = 8 * _HOUR, 12 * _HOUR  # times so near lie in the day's waking hours; times so far go round the clock
_LABEL: Final = "time shift"


def _moved_together() -> Drawn:
    def of_mentions(mentions: Sequence[Mention], ages: Sequence[str]) -> Draw:
        points = sorted(point for mention in mentions if (point := _point(mention.value)) is not None)

        def surrogate_of(value: str, scope: Scope, rng: np.random.Generator) -> str:
            if _ZONE.fullmatch(value):
                return value
            _, match = _read(value)
            if match is None:
                return _unread(_LABEL, value, scope, rng)
            point = _point(value) or 0
            moved_by = int(agreed(scope, _LABEL, "", rng, lambda source: str(_stretch(points or [point], source))))
            minute, finer = divmod((point + moved_by) % _DAY, _MINUTE)
            second, fraction = divmod(finer, _SECOND)
            digits = f"{fraction:09d}"[: len(match["fraction"] or "")]
            hours, minutes = int(match["hours"] or 0), int(match["minutes"] or 0)
            offset = (hours * 60 + minutes) * (-1 if (match["offset"] or "").startswith("-") else 1)
            return _written(f"{minute} {second:02d} {digits} {offset}", match)

        return surrogate_of

    return Drawn(
        name="time",
        parameters={"times": _SHIFT},
        guarantee=proved(0.0, SURROGATES, all_moved()),
        public=(
            _FORM,
            "the time between times of one scope, and their offsets from UTC",
            "whether all times of a scope stand on five minutes",
            "which values that are no times are equal",
        ),
        counts="scope",
        surrogate_of=lambda value, scope, rng: of_mentions([Mention(value)], ())(value, scope, rng),
        of_mentions=of_mentions,
    )


def _stretch(points: Sequence[int], rng: np.random.Generator) -> int:
    """Draw by how many nanoseconds times move: uniform among all that leave them in their hours, by the gaps alone."""
    step = _FIVE if all(point % _FIVE == 0 for point in points) else 1
    gap = points[-1] - points[0]
    if gap > _FAR:
        return int(rng.integers(_DAY // step)) * step
    begin, end = (6 * _HOUR, 22 * _HOUR) if gap <= _NEAR else (0, _DAY)
    return begin + int(rng.integers((end - begin - gap) // step)) * step - points[0]


def _point(value: str) -> int | None:
    minute, match = _read(value)
    if match is None:
        return None
    second = int((match["seconds"] or ":0")[1:])
    return minute * _MINUTE + second * _SECOND + int((match["fraction"] or "").ljust(9, "0"))


def _unread(label: str, value: str, scope: Scope, rng: np.random.Generator) -> str:
    any_minute = agreed(scope, label, _key(value), rng, lambda source: str(source.integers(MINUTES)))
    return "{:02d}:{:02d}".format(*divmod(int(any_minute), 60))


def _key(value: str) -> str:
    if (zone := _ZONE.fullmatch(value)) is not None:
        return f"UTC {zone['sign']}{int(zone['hours'])} {zone['minutes'] or ''}"
    minute, match = _read(value)
    if match is None:
        return UNREAD + value
    offset = (match["offset"] or "").replace(":", "").lower()
    return f"{minute} {match['seconds'] or ''} {match['fraction'] or ''} {offset}"


def _read(value: str) -> tuple[int, re.Match[str] | None]:
    match = _TIME.fullmatch(value) if len(value) <= 30 else None
    minute = -1 if match is None else _minute_of(match)
    return minute, match if minute >= 0 else None


def _finer(match: re.Match[str], source: np.random.Generator) -> str:
    """Draw second, fraction and offset beside the minute, each behind a space, if they are written."""
    second = f"{source.integers(60):02d}" if match["seconds"] else ""
    fraction = filled("9" * len(match["fraction"]), source) if match["fraction"] else ""
    if not match["hours"]:
        return f" {second} {fraction} 0"
    shifts = _SHIFTS if match["minutes"] else _SHIFTS[:_WHOLE_HOURS]
    return f" {second} {fraction} {shifts[source.integers(len(shifts))]}"


def _minute_of(match: re.Match[str]) -> int:
    """Return the minute of the day that was read; -1 if it is none.

    Any hour is read in any format, 24:00 as midnight and 14:30 pm by its hour: else which can be read would tell it.
    """
    hour, minute, end = int(match["hour"]), int(match["minute"] or 0), match["end"][:1].lower()
    if match["seconds"] and bool(match["mark"]) != match["seconds"].startswith(":"):
        return -1
    if match["seconds"] and not match["mark"] and len(match["hour"]) == 1:
        return -1
    if end in ("a", "p") and 1 <= hour <= 12:
        hour = hour % 12 + (12 if end == "p" else 0)
    if match["minute"] is None and not end:
        return hour % 24 * 60 if hour <= 24 and not match["offset"] else -1
    read = hour * 60 + minute if minute < 60 else -1
    return read % MINUTES if read <= MINUTES else -1


def _written(drawn: str, match: re.Match[str]) -> str:
    minute, second, fraction, shift = drawn.split(" ")
    hour, rest = divmod(int(minute), 60)
    end = match["end"]
    if end[:1].lower() in ("a", "p"):
        half = "p" if hour >= 12 else "a"
        end = (half.upper() if end[0].isupper() else half) + end[1:]
        shown = str((hour - 1) % 12 + 1)
    else:
        shown = f"{hour:02d}" if match["minute"] is not None or end else str(hour)
    if match["minute"] is not None:
        shown += f"{match['mark']}{rest:02d}"
    if match["seconds"]:
        shown += f"{match['seconds'][:-2]}{second}"
    if match["fraction"]:
        shown += match["point"] + fraction
    return shown + match["gap"] + end + _offset(int(shift), match)


def _zone(shift: int, match: re.Match[str]) -> str:
    """Write an offset alone: with two digits of hours where minutes follow, else without a leading zero."""
    hours, minutes = divmod(abs(shift), 60)
    behind = f"{match['colon']}{minutes:02d}" if match["minutes"] else ""
    return f"{'-' if shift < 0 else '+'}{f'{hours:02d}' if behind else hours}{behind}"


def _offset(shift: int, match: re.Match[str]) -> str:
    if not match["hours"]:
        return match["offset"] or ""
    hours, minutes = divmod(abs(shift), 60)
    behind = f"{match['colon']}{minutes:02d}" if match["minutes"] else ""
    return f"{'-' if shift < 0 else '+'}{hours:02d}{behind}"
