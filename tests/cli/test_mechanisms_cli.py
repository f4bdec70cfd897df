"""``textveil mechanisms``: the catalog, and one mechanism with its options."""

import json
import re

from tests.cli.test_cli import one_line
from tests.helpers.shared import needs_lab


@needs_lab
def test_the_catalog(command) -> None:
    code, out, _ = command("mechanisms")
    assert code == 0
    assert b"refuted" in out
    rows = json.loads(command("mechanisms", "--json")[1])
    assert next(row["name"] for row in rows) == "neighborhood"
    assert {row["status"] for row in rows} == {"proved", "refuted"}
    assert all(
        {
            "name",
            "family",
            "guarantee",
            "notion",
            "unit",
            "adjacency",
            "needs",
            "status",
            "proof",
            "source",
            "summary",
            "options",
        }
        <= set(row)
        for row in rows
    )


@needs_lab
def test_one_mechanism_with_its_options(command) -> None:
    code, out, _ = command("mechanisms", "gaussian")
    assert code == 0
    assert "guarantee  approximate DP [proved]" in out.decode()
    assert re.search(r"\ndelta +in \(0, 1\) +1e-5 +Delta of one token", out.decode())
    (row,) = json.loads(command("mechanisms", "gaussian", "--json")[1])
    assert [one["name"] for one in row["declarations"]] == row["options"]
    assert row["declarations"][1] == {
        "name": "delta",
        "type": "float",
        "values": "in (0, 1)",
        "default": 1e-5,
        "without_it": "1e-5",
        "help": "Delta of one token, for approximate DP.",
        "group": "Guarantee",
    }
    code, _, err = command("mechanisms", "gausian")
    assert code == 2
    one_line(err)
    assert "Did you mean 'gaussian'" in err
