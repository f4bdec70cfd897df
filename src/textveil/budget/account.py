"""Whose budget a release is taken from."""

from dataclasses import dataclass, field

from textveil.errors import need


@dataclass(frozen=True, slots=True)
class Account:
    """A tenant, a person of one, or a key of one; what is None is all of that.

    Names are private: they are not in the representation, and a ledger keeps keyed digests of them alone.

    Attributes:
        tenant: an organization, or whoever's ledger it is.
        unit: the person whose texts are released, by any name that is hers alone within the tenant.
        key: the name of an API key of the tenant.

    Raises:
        ParameterError: a name is empty or no str.
    """

    tenant: str = field(repr=False)
    unit: str | None = field(default=None, repr=False)
    key: str | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        for name, value in (("tenant", self.tenant), ("unit", self.unit), ("key", self.key)):
            if not (value is None and name != "tenant") and not (isinstance(value, str) and value):
                got = "an empty one" if value == "" else type(value).__name__
                need(False, name, got, "a name of at least one character")

    @property
    def scope(self) -> str:
        """What it is, in words."""
        if self.unit is not None:
            return "person" if self.key is None else "person by this key"
        return "tenant" if self.key is None else "key"
