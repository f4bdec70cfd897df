"""What answers tell of guarantees and budgets is true of every policy of the catalog."""

from __future__ import annotations

import math
from collections.abc import Iterator

import httpx
import pytest
from tests.helpers.servers import running

from textveil.sanitize.policy.choice import PRESETS


@pytest.fixture(scope="module")
def client() -> Iterator[httpx.Client]:
    with running() as made:
        yield made


WEAKEST = {
    "all-words": ("8-DP", ["word", "number"]),
    "content-words": ("8-DP", ["word", "number"]),
    "identifiers": ("0-DP", None),
    "clinical": ("2-DP", ["age"]),
    "prompts": ("2-DP", ["age"]),
}


def test_every_policy_of_the_catalog_is_looked_at() -> None:
    assert set(WEAKEST) == set(PRESETS)


@pytest.mark.parametrize("policy", WEAKEST)
def test_what_any_value_is_promised_names_the_kinds_that_are_promised_no_more(
    client: httpx.Client, policy: str
) -> None:
    told = client.post("/v1/explain", json={"policy": policy}).json()
    text, kinds = WEAKEST[policy]
    each = {one["kind"]: (one["epsilon"], one["delta"]) for one in told["by_kind"]}
    least = told["per_value"]
    assert least["text"] == text and least["kinds"] == (kinds or list(each))
    for kind, (epsilon, delta) in each.items():
        assert delta <= least["delta"] == 0
        assert math.isclose(epsilon, least["epsilon"]) if kind in least["kinds"] else epsilon < least["epsilon"]


def test_a_call_tells_what_it_drew_and_not_what_the_policy_could_have_drawn(client: httpx.Client) -> None:
    for policy in ("prompts", "clinical", "identifiers"):
        asked = {"text": "Maria Gonzalez and Maria Gonzalez came.", "policy": policy}
        guarantee = client.post("/v1/sanitize", json=asked).json()["guarantee"]
        (person,) = guarantee["by_kind"]
        assert person == {
            "kind": "person", "count": 1, "text": "0-DP", "status": "proved",
            "epsilon": 0.0, "delta": 0.0, "unit": "entity", "pays": "value",
        }  # fmt: skip
        assert (
            guarantee["epsilon"] == 0.0 and "person" not in guarantee["per_value"]["kinds"]
        ) or policy == "identifiers"
