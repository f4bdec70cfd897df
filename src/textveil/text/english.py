"""English word lists, all public: words that keep a capital, and function words, which carry grammar but no content."""

from __future__ import annotations

from typing import Final

ALWAYS_CAPITAL: Final = frozenset(
    """
    i monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays
    fridays saturdays sundays january february april june july august september october november december
    christmas easter halloween hanukkah passover ramadan diwali thanksgiving

    africa antarctica asia australia europe america americas oceania scandinavia caribbean balkans
    atlantic pacific mediterranean arctic antarctic

    afghanistan albania algeria argentina armenia austria azerbaijan bahamas bahrain bangladesh barbados
    belarus belgium belize bolivia bosnia botswana brazil britain bulgaria cambodia cameroon canada chile
    china colombia congo croatia cuba cyprus denmark ecuador egypt england eritrea estonia ethiopia fiji
    finland france gambia germany ghana greece grenada guatemala guyana haiti honduras hungary iceland india
    indonesia iran iraq ireland israel italy jamaica japan jordan kazakhstan kenya korea kosovo kuwait laos
    latvia lebanon liberia libya lithuania luxembourg macedonia madagascar malawi malaysia maldives malta
    mauritius mexico moldova monaco mongolia montenegro morocco mozambique myanmar namibia nepal netherlands
    nicaragua nigeria norway pakistan palestine panama paraguay peru philippines poland portugal qatar
    romania russia rwanda scotland senegal serbia seychelles singapore slovakia slovenia somalia spain sudan
    sweden switzerland syria taiwan tanzania thailand tibet trinidad tunisia uganda ukraine uruguay
    uzbekistan venezuela vietnam wales yemen yugoslavia zambia zimbabwe

    afghan african albanian algerian american americans arab arabs arabic argentine armenian asian asians
    australian australians austrian belgian bolivian bosnian brazilian british bulgarian cambodian canadian
    canadians catalan celtic chilean chinese colombian croatian cuban czech danish dutch egyptian english
    englishman estonian ethiopian european europeans filipino finnish french frenchman georgian german
    germanic germans greek greeks gujarati haitian hebrew hindi hispanic hungarian icelandic indian
    indians indonesian iranian iraqi irish irishman israeli israelis italian italians jamaican japanese
    javanese jordanian kenyan korean koreans kurdish latin latino lebanese lithuanian malaysian
    mexican mexicans mongolian moroccan nepali nigerian nordic norwegian pakistani palestinian
    palestinians persian peruvian portuguese punjabi roman romanian romans russian russians sanskrit saudi
    scandinavian scottish serbian sicilian slavic slovak somali spaniard spanish sudanese swahili swedish
    swiss syrian taiwanese tamil telugu thai tibetan turkish turks ukrainian urdu venezuelan vietnamese
    welsh yiddish

    christian christianity christians catholic catholics protestant jewish judaism muslim muslims islam
    islamic hindu hinduism buddhist buddhism bible quran jesus christ buddha allah

    alabama alaska arizona arkansas california colorado connecticut delaware florida hawaii idaho illinois
    indiana iowa kansas kentucky louisiana maryland massachusetts michigan minnesota mississippi missouri
    montana nebraska nevada ohio oklahoma oregon pennsylvania tennessee texas utah vermont virginia
    wisconsin wyoming ontario quebec manitoba saskatchewan

    amsterdam athens atlanta baghdad bangkok barcelona beijing berlin boston brooklyn brussels budapest
    cairo chicago copenhagen dallas delhi detroit dubai dublin edinburgh geneva glasgow hollywood houston
    istanbul jakarta jerusalem kabul karachi lisbon liverpool london madrid manhattan manila melbourne
    miami milan montreal moscow mumbai munich oslo paris philadelphia prague rome seattle seoul shanghai
    stockholm sydney tehran tokyo toronto vancouver vienna warsaw washington zurich
    """.split()  # noqa: SIM905 - a list of its words would take a line each
)
"""English words that are written with a capital wherever they stand; none that is also a common word."""


FUNCTION_WORDS: Final = frozenset(
    """
    a an the this that these those each every either neither both all any some no none such another other others
    several few fewer many more most much less least enough half own same

    i me my mine myself we us our ours ourselves you your yours yourself yourselves he him his himself she her hers
    herself it its itself they them their theirs themselves one oneself who whom whose whoever which whichever what
    whatever someone somebody something anyone anybody anything everyone everybody everything nobody nothing

    aboard about above across after against along alongside amid among amongst around as at before behind below
    beneath beside besides between beyond but by concerning despite down during except for from in inside into like
    near of off on onto opposite out outside over past per plus regarding since than through throughout till to
    toward towards under underneath unlike until unto up upon versus via with within without

    and or nor so yet although though because if unless while whilst whereas whether lest once provided when whenever
    where wherever whereby wherein why how however

    am is are was were be been being do does did doing done have has had having can cannot could may might must ought
    shall should will would used

    not never ever also too very just only even still already again almost always anyway anywhere apart away back
    else elsewhere everywhere far forth further furthermore hence here indeed instead later maybe meanwhile moreover
    nearly nevertheless nonetheless now nowhere often otherwise perhaps quite rather really seldom somehow
    sometimes somewhat somewhere soon then thence there thereafter thereby therefore thus together usually well yes

    aren't can't couldn't didn't doesn't don't hadn't hasn't haven't isn't mustn't shouldn't wasn't weren't won't
    wouldn't i'm i've i'll i'd you're you've you'll you'd he's he'll he'd she's she'll she'd it's it'll we're we've
    we'll we'd they're they've they'll they'd that's there's here's what's who's where's how's let's
    """.split()  # noqa: SIM905 - a list of its words would take a line each
)
"""Determiners, pronouns, prepositions, conjunctions, auxiliary verbs, particles and the adverbs that join sentences, in
lower case. Written for textveil; no text was counted for it."""

NAMES_TOO: Final = frozenset(["an", "can", "do", "even", "may", "more", "per", "so", "than", "will"])
"""Those that are names of people as well: with a capital they are no function words."""


def function_word(surface: str) -> str | None:
    """Return the word of the list that a token is, in lower case; None if it is none.

    It is one if it is written in lower case, or with its first letter alone a capital ("The", not "US" or "WHO"),
    unless it can be a name then ("Will"). Any other character, such as a mark that cannot be seen, makes it none.
    """
    plain = surface.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")
    lower = plain.lower()
    if lower not in FUNCTION_WORDS:
        return None
    if plain == lower:
        return lower
    capital = plain == lower[:1].upper() + lower[1:]
    return lower if capital and lower not in NAMES_TOO else None
