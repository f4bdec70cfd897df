"""What answers tell of guarantees and budgets is true of every policy of the catalog."""

import math
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from tests.helpers.servers import running

from textveil.budget.account import Account, Limit
from textveil.budget.ledger import Ledger
from textveil.budget.standing import Balance
from textveil.privacy.accountant import Accountant
from textveil.privacy.guarantees import PureDP
from textveil.sanitize.policy.choice import PRESETS
from textveil.server.keys import LOCAL_TENANT


@pytest.fixture(scope="module")
def client() -> Iterator[httpx.Client]:
    with running() as made:
        yield made


WEAKEST = {
    "all-words": ("8-DP", ["word", "number"]),
    "content-words": ("8-DP", ["word", "number"]),
    "common-words": ("0-DP", None),
    "identifiers": ("0-DP", None),
    "clinical": ("2-DP", ["age"]),
    "prompts": ("2-DP", ["age"]),
}


@pytest.mark.parametrize("policy", PRESETS)
def test_what_any_value_is_promised_names_the_kinds_that_are_promised_no_more(
    client: httpx.Client, policy: str
) -> None:
    told = client.post("/v1/explain", json={"policy": policy}).json()
    each = {one["kind"]: (one["epsilon"], one["delta"]) for one in told["by_kind"]}
    least = told["per_value"]
    text, kinds = WEAKEST.get(policy, (least["text"], least["kinds"]))
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


class Watched:
    """A ledger of which it is known how often a balance was asked for beside reservations."""

    def __init__(self, ledger: Ledger) -> None:
        self.reserve_all, self.commit = ledger.reserve_all, ledger.commit
        self._ledger, self.asked = ledger, 0

    def balance(self, account: Account) -> Balance:
        self.asked += 1
        return self._ledger.balance(account)


def test_what_is_left_is_what_the_ledger_pays_for(tmp_path: Path) -> None:
    account, limit = Account(LOCAL_TENANT, "p1"), Limit(2000.0, 1e-6, "optimal")
    with Ledger(str(tmp_path / "budgets.db")) as ledger:
        ledger.set_limit(account, limit)
        watched = Watched(ledger)
        with running(ledger=watched) as client:
            body = {"text": "Maria sings.", "policy": "all-words@2", "unit": "p1"}
            told = client.post("/v1/sanitize", json=body).json()["budget"]
            assert watched.asked == 0, "a release is one transaction"
            words = ledger.affords(account, Accountant().compose(PureDP(epsilon=2.0)))
            assert told["words_left"] == words and words > told["remaining"]["epsilon"] / 2 * 1.1
            messages = told["messages_left"]
            assert told["values_left"] is None and 2 * messages <= words < 2 * messages + 2
            assert told["left"] == f"about {messages // 10 * 10:,} messages like this one left"
            asked = {"unit": "p1", "policy": "clinical"}
            values = client.get("/v1/budget", params=asked).json()
            assert values["words_left"] is None and values["values_left"] == words, "an age costs as such a word does"
            assert values["left"] == f"about {words // 100 * 100:,} values left"
            free = client.get("/v1/budget", params={**asked, "policy": "identifiers"}).json()
            assert (free["words_left"], free["values_left"]) == (None, None)
            assert free["left"] == "nothing that is drawn costs anything"
            nobody = client.get("/v1/budget", params={"policy": "all-words"}).json()
            assert (nobody["words_left"], nobody["left"]) == (None, "no limit")
