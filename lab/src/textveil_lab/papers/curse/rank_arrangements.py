"""Smallest arrangements of points in which the rank of a neighbor is no metric, found by exhaustive search.

rank(a, b) is the position of b among the points in order of distance from a: 0 for a itself, 1 for its nearest
neighbor. Arrangements with two points equally far from a third are skipped, so ranks need no rule for ties. Distances
are compared by their integer squares, so nothing is rounded.

Exhaustive search finds three facts. With two points ranks are symmetric. With three they need not be, but the triangle
inequality holds: the search covers every way in which each of three points may order the other two, in any space. With
four points on a line, it covers every arrangement of integers, narrower ones first.
"""

from collections.abc import Iterator
from itertools import combinations, pairwise, permutations, product
from typing import Final, NamedTuple, TypeAlias

from textveil.errors import need

Point: TypeAlias = tuple[int, ...]
RankTable: TypeAlias = tuple[tuple[int, ...], ...]  # rank(a, b) at [a][b]
_MOST_POINTS: Final = 5
_MOST_DIMENSIONS: Final = 2
_LARGEST_SIDE: Final = 30


class Fault(NamedTuple):
    """Indices of three points with rank(a, b) = 1, rank(b, a) = 2 and rank(a, c) > rank(a, b) + rank(b, c).

    ``c`` is None if only the first two were searched for.
    """

    a: int
    b: int
    c: int | None


class Arrangement(NamedTuple):
    """Smallest arrangement, with what was tried before it."""

    points: tuple[Point, ...]  # integer coordinates
    ranks: RankTable  # of each point around each
    fault: Fault  # where rank is no metric
    side: int  # the largest difference between two coordinates
    narrower: int  # arrangements without ties of smaller side; none of them has the fault
    narrower_broken: int  # those of them in which some triangle is broken, whatever a and b


def rank_table(points: tuple[Point, ...]) -> RankTable | None:
    """Return the ranks of all points around each; None if two of them are equally far from a third, or coincide.

    Args:
        points: integer coordinates, all of one length.
    """
    rows = []
    for own in points:
        gaps = [sum((one - other) ** 2 for one, other in zip(own, point, strict=True)) for point in points]
        ordered = sorted(gaps)
        if any(one == other for one, other in pairwise(ordered)):
            return None
        rows.append(tuple(ordered.index(gap) for gap in gaps))
    return tuple(rows)


def asymmetry(ranks: RankTable) -> Fault | None:
    """Return two points with rank(a, b) = 1 and rank(b, a) = 2, the first by index; None if there are none."""
    size = len(ranks)
    for a, b in permutations(range(size), 2):
        if ranks[a][b] == 1 and ranks[b][a] == 2:
            return Fault(a, b, None)
    return None


def broken_triangles(ranks: RankTable) -> Iterator[tuple[int, int, int]]:
    """Yield all (a, b, c) with rank(a, c) > rank(a, b) + rank(b, c)."""
    for a, b, c in permutations(range(len(ranks)), 3):
        if ranks[a][c] > ranks[a][b] + ranks[b][c]:
            yield a, b, c


def both_faults(ranks: RankTable) -> Fault | None:
    """Return the first a, b, c with rank(a, b) = 1, rank(b, a) = 2 and a broken triangle over b; None if none."""
    for a, b, c in broken_triangles(ranks):
        if ranks[a][b] == 1 and ranks[b][a] == 2:
            return Fault(a, b, c)
    return None


def every_rank_table(size: int) -> Iterator[RankTable]:
    """Yield every way in which each of ``size`` points may order the others, whether or not a space allows it."""
    orders = []
    for own in range(size):
        others = [point for point in range(size) if point != own]
        rows = []
        for order in permutations(others):
            row = [0] * size
            for place, point in enumerate(order, start=1):
                row[point] = place
            rows.append(tuple(row))
        orders.append(rows)
    return iter(product(*orders))


def arrangements(size: int, dimensions: int, side: int) -> Iterator[tuple[Point, ...]]:
    """Yield all sets of ``size`` integer points in [0, side]^dimensions that touch both walls of some direction.

    Sets that fit between narrower walls in all directions are left out, and so are shifted copies; mirror images are
    not.
    """
    grid = list(product(range(side + 1), repeat=dimensions))
    for points in combinations(grid, size):
        spans = [(min(axis), max(axis)) for axis in zip(*points, strict=True)]
        if all(low == 0 for low, _ in spans) and max(high for _, high in spans) == side:
            yield points


def smallest_arrangement(size: int, dimensions: int, *, triangle: bool) -> Arrangement | None:
    """Return the first arrangement of smallest side in which rank is no metric; None if no side up to 30 has one.

    Args:
        size: number of points, between 2 and 5.
        dimensions: 1 or 2.
        triangle: whether the triangle inequality must fail too, over the same a and b.
    """
    need(2 <= size <= _MOST_POINTS, "size", size, f"between 2 and {_MOST_POINTS}")
    need(1 <= dimensions <= _MOST_DIMENSIONS, "dimensions", dimensions, f"between 1 and {_MOST_DIMENSIONS}")
    wanted = both_faults if triangle else asymmetry
    narrower = broken = 0
    for side in range(1, _LARGEST_SIDE + 1):
        tables = [(points, rank_table(points)) for points in arrangements(size, dimensions, side)]
        without_ties = [(points, ranks) for points, ranks in tables if ranks is not None]
        for points, ranks in without_ties:
            fault = wanted(ranks)
            if fault is not None:
                return Arrangement(points, ranks, fault, side, narrower, broken)
        narrower += len(without_ties)
        broken += sum(any(True for _ in broken_triangles(ranks)) for _, ranks in without_ties)
    return None
