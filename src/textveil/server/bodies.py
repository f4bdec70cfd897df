"""What the API takes and gives, as pydantic models: fields that nobody reads are refused by name."""

from typing import Annotated, Any, Final

from pydantic import AfterValidator, BaseModel, ConfigDict, Field
from pydantic_core import PydanticCustomError


def _encodable(text: str) -> str:
    """Refuse halves of surrogate pairs, which JSON can spell and UTF-8 cannot."""
    if not text.isascii() and any("\ud800" <= character <= "\udfff" for character in text):
        raise PydanticCustomError("string_unicode", "lone surrogates")
    return text


Text = Annotated[str, AfterValidator(_encodable)]
"""A string of Unicode characters."""

Texts = Annotated[list[Text], Field(min_length=1, max_length=10_000)]
"""Several."""

NAME_CHARACTERS: Final = 256
"""Of a person's name and of an id at the most."""

UnitName = Annotated[Text, Field(min_length=1, max_length=NAME_CHARACTERS)]
"""A person, by any name that is hers alone within the tenant."""


Epsilon = Annotated[
    float | None,
    Field(
        description="Nats of one word, where the policy draws words: one of its `epsilons` in /v1/policies, of which "
        "its own is the most. It is public: choose it without looking at the text."
    ),
]
"""What is asked for in place of a policy's own."""


class Body(BaseModel):
    """A request: fields that nobody reads are refused."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class SanitizeRequest(Body):
    """What to sanitize, by which policy, and whose texts it is."""

    text: Text | Texts = Field(description="One text or several, all of one person.")
    policy: str | None = Field(None, description="A name from /v1/policies; the server's default if left out.")
    unit: UnitName | None = Field(None, description="The person whose budget pays, where the key is not one person's.")
    epsilon: Epsilon = None
    report: bool = Field(False, description="Whether the answer holds the whole report.")
    restorable: bool = Field(False, description="Whether the server keeps, for a while, what /v1/restore needs.")


class SanitizeAnswer(BaseModel):
    """What may be passed on, and what it cost."""

    text: str | list[str]
    guarantee: dict[str, Any]
    budget: dict[str, Any]
    report: dict[str, Any] | None = None
    release: str | None = Field(None, description="For /v1/restore, where it was asked for and something was replaced.")


class RestoreRequest(Body):
    """A text in which originals are put back."""

    text: Text | Texts = Field(description="What was released, or what somebody wrote with it.")
    release: str = Field(max_length=NAME_CHARACTERS, description="Of the answer of /v1/sanitize.")


class RestoreAnswer(BaseModel):
    """The text with originals in it: private.

    Attributes:
        text: the text.
        replaced: how many mentions of surrogates were replaced.
        ambiguous: how many stay, since they do not tell for what they stand.
    """

    text: str | list[str]
    replaced: int
    ambiguous: int


class DetectRequest(Body):
    """A text in which spans are looked for."""

    text: Text
    policy: str | None = Field(None, description="Whose detectors look; the server's default if left out.")


class FoundSpan(BaseModel):
    """The characters ``text[start:end]``, of this kind."""

    start: int
    end: int
    kind: str
    score: float


class DetectAnswer(BaseModel):
    """What was found, by start, none overlapping."""

    policy: str
    spans: list[FoundSpan]


class ExplainRequest(Body):
    """What to explain."""

    policy: str | None = None
    epsilon: Epsilon = None
    word: Annotated[Text, Field(min_length=1, max_length=NAME_CHARACTERS)] | None = Field(
        None, description="A word, under a policy that draws words: what it becomes, and how probably."
    )
    top: int = Field(10, ge=0, le=1000, description="How many of the likeliest outputs are listed.")
