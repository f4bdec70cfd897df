"""``textveil mcp`` refuses what it cannot serve before a client is answered."""

import pytest

pytest.importorskip("mcp")


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--policy", "promts"], "must be one of all-words"),
        (["--policy", "prompts", "--policy", "prompts"], "--policy must be of different names"),
        (["--tool", "search"], "--tool must be among sanitize"),
        (["--unit", "maria"], "--unit must be left out where there is no --ledger"),
        (["--forget-after", "0"], "--forget-after must be above 0"),
    ],
)
def test_options_are_checked(command, options, told) -> None:
    code, out, err = command("mcp", *options)
    assert code == 2 and out == b"" and told in err
