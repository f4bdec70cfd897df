"""One short paragraph through several mechanisms, without and with the fix."""

from textveil.catalog import word_mechanism
from textveil.mechanisms.kinds import WordMechanism
from textveil.sanitize.sanitizer import Sanitizer
from textveil_lab.evaluation.drawn_tables import drawn_if_possible
from textveil_lab.papers.curse.facts import noise_grid, paper_name
from textveil_lab.papers.curse.profiles import chosen_constant
from textveil_lab.papers.curse.rank_no_metric import label
from textveil_lab.papers.setting import ItemOutcome, StudySetting
from textveil_lab.tables import Cell, Table

TEXT = (
    "Anna Keller came to the city hospital on Monday with a strong headache. "
    "The doctor ordered 2 blood tests and told her to rest for 14 days. "
    "She lives with her mother in a small house near the river."
)
"""Invented text, with marks and numbers like a user's."""


def paragraph(setting: StudySetting) -> ItemOutcome:
    """Release the paragraph at three epsilons, also with the fix, and through the neighborhood mechanism."""
    near = [one for one in setting.vocabularies if paper_name(one.name, one.dim) == "GloVe-Wiki 50d"]
    vocabulary = near[0] if near else max(setting.vocabularies, key=len)
    grid = noise_grid(vocabulary)
    constant = chosen_constant(vocabulary)
    made: list[tuple[str, WordMechanism]] = []
    for part in (0.25, 0.5, 0.75):
        epsilon = grid[int(part * (len(grid) - 1))]
        for fix in (None, constant):
            one = word_mechanism(
                "spherical-laplace", vocabulary, epsilon_per_distance=epsilon, clip=None, rank_constant=fix
            )
            made.append((f"noise{'' if fix is None else f', fix with c = {fix:.2g}'}", one))
    made.append(("neighborhood", word_mechanism("neighborhood", vocabulary, epsilon=8.0, base_weights="flat")))
    rows: list[tuple[Cell, ...]] = [("original", None, None, TEXT)]
    for index, (name, one) in enumerate(made):
        sanitizer = Sanitizer(one, number_epsilon=8.0, rng=setting.generator(3, index))
        rate = one.guarantee.numbers.get("epsilon_per_distance")
        rows.append((name, rate, one.parameters.get("epsilon"), sanitizer(TEXT).text))
        setting.progress((index + 1) / len(made))
    columns = ("mechanism", "epsilon per distance", "epsilon of one word, any two words", "text")
    facts = {"vocabulary": vocabulary.name, "seed": setting.seed, "number_epsilon": 8.0}
    table = Table(columns=columns, rows=tuple(rows), facts=facts)
    return ItemOutcome(
        tables={"": table},
        charts=drawn_if_possible(f"A paragraph, {label(vocabulary)}", table, (22, 12, 14, 96)),
        findings=(
            "The third column is what one word costs in the worst case, for any two words: hundreds of nats where "
            "noise "
            "leaves a readable text.",
            "Words that the vocabulary lacks are mapped to one of its words before the draw.",
        ),
        settings={"vocabulary": label(vocabulary)},
    )
