"""English words that keep a capital; public, and read by rendering only."""

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
