"""Names and numbers that no draw can give by chance, and a policy that finds them: what is heard of them leaked."""

from pathlib import Path
from typing import Final

NAMES: Final = ("Zyrqel Quxbolt", "Wexthor Bragulf", "Ixqualm Drovnik", "Pfelgor Zwickbund", "Oqualt Vyrnasch")
ACCENTED: Final = "Zÿrqél Quxbölt"
NAME: Final = NAMES[0]
CODE: Final = "ZQ-481516234208"
OTHER_CODE: Final = "ZQ-915273648015"
NOTE: Final = f"{NAME}, born in spring, has the number {CODE}."
PRIVATE: Final = ("Zyrqel", "Quxbolt", "481516234208", "915273648015", "Zÿrqél", "Quxbölt", *NAMES)

_POLICY: Final = f"""
name = "canaries"
describes = "Invented names and codes are drawn, all else stays."
marks = "keep"
scope = "conversation"
detectors = ["embedded"]

[[rule]]
kind = "word"
keep = true

[[rule]]
kind = "person"
surrogate = "person"

[[rule]]
kind = "code"
surrogate = "digits"
epsilon = 0

[[pattern]]
kind = "code"
regex = 'ZQ-\\d{{12}}'

[[list]]
kind = "person"
words = {[*NAMES, ACCENTED]}
"""


def write_policy(folder: Path) -> Path:
    """The folder with a policy ``canaries``: a name has a uniform draw of the pool, a code one of 10^12.

    Under the policy ``paid`` a code costs epsilon 1, shared over its digits: it stays with probability below 10^-10.
    """
    (folder / "canaries.toml").write_text(_POLICY, encoding="utf-8")
    paid = _POLICY.replace("epsilon = 0", "epsilon = 1").replace('"canaries"', '"paid"')
    (folder / "paid.toml").write_text(paid, encoding="utf-8")
    return folder
