"""What the released words of a text show of it: its language, and the country whose conventions it follows.

Both are functions of released text alone, so a surrogate may follow them at no cost.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import cache
from typing import Final, NamedTuple

from textveil.text.patterns import lazy_regex

READ: Final = 800  # characters of released text that are read
_FEWEST: Final = 2


class Page(NamedTuple):
    """What released words show; empty where they do not."""

    language: str = ""  # ISO 639-1
    region: str = ""  # ISO 3166: GB or US, of English pages

    @property
    def day_first(self) -> bool | None:
        """Whether the day stands before the month in dates in digits; None if that is open."""
        if self.region:
            return self.region != "US"
        return None if self.language in ("", "en") else True


UNKNOWN: Final = Page()

_WORDS: Final = {
    "en": "the and of to is was with for that he she his her you have from are this not my will at i we our your "
    "please on "
    "be an it has had by as patient seen name date",
    "de": "der die das und ist nicht mit ich sie wir den dem ein eine f\xfcr auf von im zu wird wurde bei herr "
    "frau sehr geehrte "
    "ihr ihre als auch am uns liebe lieber patient gr\xfc\xdfe gr\xfc\xdfen stra\xdfe",
    "fr": "le la les des et est une un dans pour que qui avec sur vous nous votre notre au du par ce je monsieur "
    "madame "
    "ch\xe8re cher bonjour mon ma \xe0 elle rue n\xe9e",
    "es": "el la los las y es una un en para que con por su se del al le lo usted se\xf1or se\xf1ora do\xf1a "
    "estimado estimada fue "
    "mi calle hola tel\xe9fono nacido nacida",
    "it": "il la lo gli e \xe8 una un in per che con di della del dal si al le signora signor gentile dott "
    "dottoressa paziente "
    "suo sua via ciao nato nata sono",
    "pt": "o a os as e \xe9 uma um em para que com por do da no na se ao seu sua senhor senhora prezado prezada "
    "foi meu minha "
    "rua nascido nascida n\xe3o voc\xea",
    "nl": "de het een en is niet met ik wij van voor op te dat aan uw mevrouw meneer geachte bij naar zijn haar "
    "groet groeten wordt "
    "werd mijn",
    "pl": "i w na z do nie jest si\u0119 \u017ce pan pani dla po od jak szanowny szanowna oraz przy ul pana pani\u0105",
    "sv": "och att det som en \xe4r p\xe5 av f\xf6r med till den har inte jag hon han fr\xe5n vi du",
    "da": "og at det som en er p\xe5 af for med til den har ikke jeg hun han fra vi du efter",
    "no": "og at det som en er p\xe5 av for med til den har ikke jeg hun han fra vi du etter",
    "fi": "ja on ei ett\xe4 se h\xe4n min\xe4 ovat kun oli my\xf6s tai mutta hyv\xe4 terveisin",
    "cs": "a je se na \u017ee v s z do pro by pan pan\xed byl byla jsem dobr\xfd den",
    "tr": "ve bir bu i\xe7in ile da de olarak bey han\u0131m say\u0131n olan daha ne",
    "ro": "\u0219i este nu de la cu pe \xeen pentru c\u0103 domnul doamna din mai a fost",
    "hu": "\xe9s a az nem hogy egy van is \xfar asszony k\xe9rem kedves tisztelt",
}


@cache
def _languages_of() -> dict[str, list[str]]:
    languages: dict[str, list[str]] = {}
    for language, words in _WORDS.items():
        for word in words.split():
            languages.setdefault(word, []).append(language)
    return languages


_WORD: Final = lazy_regex(r"[^\W\d_]+")
_GB: Final = lazy_regex(
    r"(?i)\xa3|\b(?:colou?rful|colours?|favou?rites?|favours?|neighbours?|behaviours?|honours?|labour|centres?|"
    r"metres?|litres?|theatres?"
    r"|cheques?|organis|apologis|recognis|realis|practised|licence|paediatric|haemo\w+|anaem\w+|oesoph\w+|oedema|"
    r"fulfil|whilst"
    r"|nhs|gp|a&e|postcode|post code|mum|mums|solicitors?|county court|council|faithfully|quid|surgery on|flat "
    r"[0-9]|bleep|crown court"
    r"|magistrates)(?!\w)"
)
_US: Final = lazy_regex(
    r"(?i)\b(?:colors?|favorites?|favors?|neighbors?|behaviors?|honors?|labor|centers?|meters?|liters?|theaters?|"
    r"organiz|apologiz|recogniz"
    r"|realiz|pediatric|anem\w+|esoph\w+|edema|fulfill|zip code|zip|mom|moms|ssn|social security|medicaid|"
    r"medicare|county,|attorney|dmv"
    r"|er|copay|sheriff|sophomore|freshman|apartment|apt)(?!\w)"
)


def page_of(released: Iterable[str], shown: Iterable[str] = ()) -> Page:
    """Return what a text shows by its released stretches, and by values as they are released.

    Released values tell the country alone: an American state with its code, a British postal or calling code.
    """
    text = " ".join(released)[:READ]
    languages, counts = _languages_of(), Counter[str]()
    for word in _WORD.findall(text.lower()):
        for language in languages.get(word, ()):
            counts[language] += 1
    ranked = counts.most_common(2)
    language = ranked[0][0] if ranked and ranked[0][1] >= _FEWEST else ""
    if len(ranked) == 2 and ranked[0][1] == ranked[1][1] and "en" in (ranked[0][0], ranked[1][0]):
        language = "en" if ranked[0][1] >= _FEWEST else ""
    if language not in ("", "en"):
        return Page(language)
    british, american = len(_GB.findall(text)), len(_US.findall(text))
    for value in shown:
        british += _OF_GB.search(value) is not None
        american += _OF_US.search(value) is not None
    region = "GB" if british > american else "US" if american > british else ""
    return Page(language, region)


_OF_GB: Final = lazy_regex(r"^\+44|^0[0-9]{3,4} [0-9]{5,6}$|\b[A-Z]{1,2}[0-9]{1,2}[A-Z]? [0-9][A-Z]{2}\b")
_OF_US: Final = lazy_regex(r"^\+1\b|^\([0-9]{3}\) [0-9]{3}-[0-9]{4}$|\b[A-Z]{2} [0-9]{5}(?:-[0-9]{4})?\b")
