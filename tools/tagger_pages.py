"""Synthetic sentences, letters, notes, prompts and chats with labeled names, and with words that look like names."""

import random
import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from faker_lists import entries

_LOCALES: Final = """ar_AA ar_PS az_AZ bg_BG bn_BD cs_CZ da_DK de_DE el_GR en_GB en_IE en_IN en_NZ en_US
    es_CO es_ES es_MX et_EE fa_IR fi_FI fr_FR ga_IE gu_IN hi_IN hr_HR hu_HU hy_AM id_ID it_IT ja_JP ka_GE
    ko_KR lt_LT lv_LV ne_NP nl_NL no_NO or_IN pl_PL pt_BR pt_PT ro_RO ru_RU rw sk_SK sl_SI sq_AL sv_SE sw
    ta_IN th_TH tr_TR tw_GH uk_UA uz_UZ vi_VN yo_NG zh_CN zh_TW zu_ZA""".split()  # noqa: SIM905
_GIVEN: Final = ("first_names", "first_names_male", "first_names_female", "first_romanized_names")
_FAMILY: Final = ("last_names", "last_names_female", "last_names_male", "last_romanized_names")
_TOWNS: Final = ("cities", "city_names", "municipalities", "communes", "districts")
_ASCII_NAME: Final = re.compile(r"[A-Z][a-z]+(?:['-][A-Z]?[a-z]+)*").fullmatch

_STARTS: Final = """Bel Kor Tan Mar Ven Sol Kra Dun Hol Fen Gor Zel Ash Bran Cal Dor El Far Gil Har Iv Jas
    Kel Lor Mel Nor Ost Pel Quin Ros Sar Tor Ulm Var Wes Yar Zan Ach Bor Chid Dem Eze Fod Gwa Hla Iji Kwa
    Lub Mbo Nko Oye Pat Rad Shev Tcha Ust Vlas Wojc Xan Yilm Zub Aga Bhat Chau Dutt Ghos Iyeng Jaya Kris
    Mukh Nair Pill Rama Srin Tha Venk Abde Bouk Cham Djel Hadd Ibra Jabr Khal Mans Nasr Qasi Rahm Saba Tari
    Youn Zahr""".split()  # noqa: SIM905
_MIDDLES: Final = "a e i o u ar en il on ik ak ou ei an in er ol am ov esh".split()  # noqa: SIM905
_PERSON_ENDS: Final = """son sen ski sky vich ova enko ez es ini etti elli man berg stein ley ton ford ier
    eau ura moto awa anda ama ele uku obi adze shvili yan oglu pour zadeh nejad sson quist strom dottir escu
    eanu ic ovic nen la ner mann feld bach ey ie o a i u is as os idis akis poulos ng nh eng ar an en""".split()  # noqa: SIM905
_PLACE_ENDS: Final = """ton ham ford bury ville burg stadt dorf heim hausen berg field mouth wick by thorpe
    stead grad gorod abad pur nagar stan ia land borg stad vik minster chester cester port pool dale wood
    ley ow sk ovo ice any aya uk an a o""".split()  # noqa: SIM905
_FIRM_ENDS: Final = "tec ix a o on ex ent soft corp data net ware gen com Bank Med Tech Pay Cloud eon ia".split()  # noqa: SIM905

_MEDICINES: Final = """Metformin Lisinopril Atorvastatin Amlodipine Omeprazole Gabapentin Sertraline
    Losartan Warfarin Furosemide Prednisone Amoxicillin Azithromycin Cephalexin Tramadol Oxycodone
    Hydrocodone Lorazepam Diazepam Zolpidem Escitalopram Fluoxetine Bupropion Duloxetine Venlafaxine
    Quetiapine Risperidone Olanzapine Insulin Glipizide Levothyroxine Synthroid Lasix Coumadin Eliquis
    Xarelto Plavix Lipitor Crestor Norvasc Toprol Coreg Zestril Diovan Cozaar Nexium Prilosec Protonix
    Zofran Reglan Tylenol Motrin Advil Aleve Toradol Dilaudid Percocet Vicodin Norco Ativan Xanax Klonopin
    Valium Ambien Zoloft Prozac Lexapro Celexa Paxil Effexor Cymbalta Wellbutrin Abilify Seroquel Zyprexa
    Risperdal Lantus Humalog Novolog Levemir Januvia Jardiance Ozempic Trulicity Farxiga Symbicort Advair
    Spiriva Singulair Ventolin Flonase Zyrtec Claritin Allegra Benadryl Keflex Augmentin Bactrim Cipro
    Levaquin Flagyl Rocephin Ancef Zosyn Cefepime Meropenem Vancomycin Lovenox Heparin Keppra Dilantin
    Depakote Lamictal Topamax Tegretol Neurontin Lyrica Flexeril Robaxin Imitrex Humira Enbrel Remicade
    Rituxan Keytruda Taxol Cisplatin Carboplatin Gemcitabine Tamoxifen Letrozole Arimidex Zometa Fosamax
    Premarin Depo Nystatin Lotrimin Bacitracin Betadine Colace Senna Miralax Dulcolax Pepcid Tums Maalox
    Mylanta Hydralazine Labetalol Digoxin Amiodarone Spironolactone Naloxone Methadone Suboxone Ketamine
    Propofol Fentanyl Versed Lidocaine Marcaine Decadron Solumedrol Kenalog Mucinex Robitussin Tessalon
    Tamiflu Valtrex Acyclovir Truvada Biktarvy Plaquenil Methotrexate Imuran Cellcept Prograf Colchicine
    Allopurinol""".split()  # noqa: SIM905
_ABBREVIATIONS: Final = """BP HR RR SpO2 BMI CBC BMP CMP INR PTT WBC RBC Hgb Hct Plt MCV BUN Cr Na K Cl CO2
    Ca Mg Phos AST ALT ALP Bili Alb LDH TSH HbA1c LDL HDL PSA CEA EKG ECG EEG EMG MRI CT CXR KUB US DEXA PET
    NSTEMI STEMI CAD CHF COPD DM HTN HLD CKD ESRD GERD DVT PE TIA CVA UTI URI MRSA HIV HCV PICC NG OG ET IV
    PO PRN BID TID QID QHS NPO DNR ICU ED OR PACU PCP NKDA SOB CP N/V HEENT PERRLA EOMI RRR CTAB JVD ROM WNL
    GCS NIHSS ECOG ROS HPI PMH PSH FH SH ADL PT OT API SQL JSON XML HTML CSS HTTP HTTPS URL URI CPU GPU RAM
    SSD DNS TCP UDP TLS SSL SSH FTP CLI GUI IDE SDK ORM CRUD REST JWT CSV PDF UTF ASCII YAML TOML AWS GCP CI
    CD PR QA UAT KPI OKR ROI SLA SLO B2B SaaS CRM ERP HR PTO EOD ETA FYI ASAP TBD TBA FAQ DIY LOL OMG BTW
    IMO TV DVD CD PC USB HDMI LED LCD GPS SMS PIN ATM VAT GDP CEO CFO CTO COO VP MBA PhD BA BSc MSc GPA SAT
    GRE WiFi LAN VPN NAS VM LLM RAG NLP OCR""".split()  # noqa: SIM905
_EPONYMS: Final = """Parkinson Alzheimer Hodgkin Crohn Graves Hashimoto Addison Cushing Marfan Raynaud
    Sjogren Kawasaki Huntington Tourette Wilson Paget Bell Barrett Wernicke Broca Babinski Romberg Murphy
    McBurney Rovsing Kernig Brudzinski Trendelenburg Homan Tinel Phalen Lachman McMurray Spurling Hawkins
    Neer Apgar Glasgow Braden Norton Wells Bishop Gleason Breslow Child-Pugh Rinne Weber Snellen Foley
    Hickman Swan-Ganz Yankauer Steri-Strip Jackson-Pratt Penrose Kocher Kelly Gauss Bayes Laplace Fourier
    Euler Newton Markov Poisson Bernoulli Turing Boole Planck Ohm Kelvin Celsius Fahrenheit Achilles Baker
    Colles Dupuytren Eustachian Gram Kaplan-Meier Likert Mantoux Pap Papanicolaou Ringer Coombs""".split()  # noqa: SIM905
_AFTER_EPONYM: Final = """disease syndrome sign test catheter lymphoma score scale palsy criteria transform
    distribution theorem esophagus maneuver drain constant equation matrix chorea stain smear cyst tendon
    number method""".split()  # noqa: SIM905
_TOOLS: Final = """Python JavaScript TypeScript Java Kotlin Swift Rust Golang Ruby Perl Haskell Scala
    Clojure Elixir Erlang Fortran Cobol Julia Lua Dart Bash PowerShell React Angular Vue Svelte Next.js Nuxt
    Ember jQuery Bootstrap Tailwind Django Flask FastAPI Rails Laravel Symfony Spring Hibernate Express
    NestJS Node.js Deno Bun Webpack Vite Babel ESLint Prettier Jest Mocha Cypress Selenium Playwright Pytest
    Docker Kubernetes Helm Terraform Ansible Puppet Chef Jenkins Travis CircleCI GitHub GitLab Bitbucket
    Jira Confluence Trello Asana Notion Slack Zoom Teams Discord Figma Sketch Photoshop Illustrator Excel
    PowerPoint Outlook Word Access SharePoint OneDrive Dropbox Postgres PostgreSQL MySQL SQLite MariaDB
    Oracle MongoDB Redis Cassandra Neo4j Elasticsearch Kibana Grafana Prometheus Datadog Splunk Sentry Kafka
    RabbitMQ Celery Airflow Spark Hadoop Hive Presto Snowflake BigQuery Redshift Databricks Tableau Looker
    Pandas NumPy SciPy PyTorch TensorFlow Keras Jupyter Anaconda Linux Ubuntu Debian Fedora CentOS Windows
    macOS Android iOS Chrome Firefox Safari Edge Opera Nginx Apache Tomcat Caddy HAProxy Envoy Istio Consul
    Vault Git Subversion Vim Emacs Eclipse IntelliJ PyCharm Xcode Gradle Maven Cargo Homebrew Netlify Vercel
    Heroku Firebase Supabase Twilio Stripe Shopify WordPress Drupal Joomla Magento Wix Salesforce HubSpot
    Zendesk Intercom Mailchimp GraphQL OAuth Markdown LaTeX Unicode Arduino Raspberry Bluetooth Ethernet
    Kindle iPhone iPad MacBook PlayStation Xbox Wii Minecraft Fortnite Tetris Photoshop Lego Barbie Tesla
    Prius Corolla Civic Mustang""".split()  # noqa: SIM905
_PEOPLES: Final = """English French German Spanish Italian Dutch Russian Polish Turkish Arabic Hebrew
    Persian Hindi Urdu Bengali Tamil Chinese Mandarin Cantonese Japanese Korean Vietnamese Thai Swahili Zulu
    Yoruba Hausa Catholic Muslim Jewish Buddhist Hindu Protestant American British Canadian Mexican
    Brazilian Ukrainian Armenian Kurdish Roma Somali Nepali Tagalog Creole Welsh Gaelic Basque Catalan
    Finnish Norwegian Swedish Danish Greek Latin""".split()  # noqa: SIM905
_DAYS: Final = """Monday Tuesday Wednesday Thursday Friday Saturday Sunday January February March April May
    June July August September October November December Christmas Easter Ramadan Diwali Passover
    Thanksgiving Halloween Mon Tue Wed Thu Fri Sat Sun Jan Feb Mar Apr Jun Jul Aug Sep Sept Oct Nov Dec""".split()  # noqa: SIM905
_HEADS: Final = """Subjective;Objective;Assessment;Plan;Chief Complaint;History of Present Illness;
    Past Medical History;Past Surgical History;Family History;Social History;Medications;Allergies;
    Review of Systems;Physical Exam;Vitals;Vital Signs;Labs;Laboratory Data;Imaging;Impression;
    Recommendations;Disposition;Follow Up;Hospital Course;Discharge Instructions;Constitutional;
    Cardiovascular;Respiratory;Gastrointestinal;Genitourinary;Musculoskeletal;Neurological;Psychiatric;
    Integumentary;Endocrine;Head;Eyes;Ears;Nose;Throat;Neck;Lungs;Heart;Abdomen;Extremities;Skin;Neuro;
    Psych;Operative Report;Preoperative Diagnosis;Postoperative Diagnosis;Procedure;Anesthesia;
    Estimated Blood Loss;Complications;Findings;Specimens;Indications;Introduction;Summary;Background;
    Methods;Results;Discussion;Conclusion;References;Table of Contents;Getting Started;Installation;Usage;
    Configuration;Troubleshooting;Known Issues;Release Notes;Terms and Conditions;Privacy Policy;Agenda;
    Action Items;Attendees;Minutes;Next Steps;Budget;Deliverables;Requirements;Order Details;
    Shipping Address;Billing Information;Payment Method;Customer Service;Account Number;Subject;
    Best Regards;Kind Regards;Yours Sincerely;Many Thanks;To Whom It May Concern;Dear Customer;Dear Team;
    The Facts;The Law;Alleged Violation;Relevant Domestic Law;The Circumstances of the Case;
    Just Satisfaction;Admissibility;Merits;Experience;Education;Skills;Certifications;Objective;Ingredients;
    Directions;Frequently Asked Questions"""
_SYMPTOMS: Final = """Denies;Reports;Complains;Endorses;Afebrile;Ambulatory;Alert;Oriented;Normocephalic;
    Atraumatic;Normotensive;Tachycardic;Bilateral;Nontender;Nondistended;Supple;Intact;Negative;Positive;
    Edematous;Erythematous;Hypertension;Hyperlipidemia;Hypothyroidism;Diabetes;Asthma;Pneumonia;Anemia;
    Osteoarthritis;Migraine;Appendectomy;Cholecystectomy;Hysterectomy;Tonsillectomy;Colonoscopy;Laparoscopy;
    Echocardiogram;Ultrasound;Mammogram;Electrolytes;Hemoglobin;Creatinine;Glucose;Potassium;Urinalysis;
    Tobacco;Alcohol;Retired;Widowed;Dysphagia;Dysuria;Hematuria;Nocturia;Palpitations;Syncope;Vertigo;
    Tinnitus;Rhinorrhea;Pharyngitis;Sinusitis;Cellulitis;Neuropathy;Sciatica;Radiculopathy;Spondylosis;
    Stenosis;Scoliosis;Gout;Lupus;Psoriasis;Eczema;Melanoma;Leukemia;Sarcoidosis;Influenza;Covid;Tetanus;
    Hepatitis;Cirrhosis;Pancreatitis;Diverticulitis;Colitis;Hernia;Tylenol;Nebulizer;Walker;Brace;Splint"""
_ORG_WORDS: Final = """Regional Constitutional Supreme Administrative Criminal Civil Municipal District
    Appeal Cassation State Security National Central Federal Provincial County City General Community
    Memorial Mercy Northern Southern Western Eastern Royal United First Pacific Atlantic Global Allied
    Advanced Applied""".split()  # noqa: SIM905
_ORG_ENDS: Final = """Court;Hospital;Clinic;Medical Center;University;College;School;Bank;Ministry;Council;
    Commission;Committee;Institute;Foundation;Association;Union;Party;Police;Prosecutor's Office;
    Health Services;Insurance;Holdings;Industries;Logistics;Partners;Solutions;Systems;Foods;Airlines;
    Motors;Energy;Group;Inc;Ltd;LLC;GmbH;Corporation"""

_TEMPLATES: Final = r"""
Dear {F},
Dear Mr {L},
Hi {F}, can you send the {A} report by {D}? Thanks, {G}
Hello {F} and {F}, please welcome {P} to the team.
Best regards,\n{P}\n{O}
Kind regards,\n{F} {L}
Sincerely,\n{P}
{F}: are we still on for {D}?\n{G}: yes, at the {T} meetup in {C}
{F}: lol ok\n{G}: did {L} reply yet?
@here {F} merged the {T} branch, {G} reviews {I}
From: {P}\nTo: {P}\nSubject: {H}
Name: {P}\nCity: {C}\nEmployer: {O}
Patient: {P}\nMRN 4471\n{H}:
{H}\n{S}, {S}, {S}.\n{H}\n{A} 12, {A} 4.1, {A} 98.
{H}: {S} with {A} and {A}. {S} {M} 40 mg daily.
{H}:\n- {M} 20 mg {A}\n- {M} 5 mg {A}\n- {M} {A}
Vitals: {A} 120/80, {A} 72, {A} 98%.
{A} within normal limits. {A} shows {S} changes. Continue {M}.
Started on {M} and {M}; allergic to {M}.
The patient was given {M} in the {A}. {X} placed, {X} removed.
Mr. {L} denies chest pain. {S} noted. {A} negative.
{P} is a 45-year-old seen by Dr. {L} for {E}.
Dr. {L} and RN {F} discussed {E} with {F}.
Her daughter {F} and her husband {G} live in {C}.
His son {F} drove him from {C} to {O}.
Wife {F} at bedside. {S}. {A} pending.
{E} was ruled out. {E} positive. {X} scale 3.
History of {E}, {S} and {S}. {M} was stopped on {D}.
Her {A} was 7.2 and the {X} test was negative.
{S} is noted on {A}. {S} of the left knee.
{H}\n{S}: {S}. {S}: {S}. {S}: Negative.
{L} moved from {C} to {C} in 2011 and works for {O}.
{F} works at {O} in {C}.
{P}, who was born in {C}, joined {O} on {D}.
We met {F} at the airport near {C}, and {G} drove us home.
{L} said that {O} would appeal.
{O} announced that {P} will lead its office in {C}.
The {O} rejected the claim of Mr {L}.
The applicant, Mr {P}, was born in 1960 and lives in {C}.
The applicant was represented by Ms {L}, a lawyer practicing in {C}.
On {D} the {O} dismissed the appeal. The Government were represented by their Agent, {P}.
{H}\n1. The case originated in an application against {C}.
On {D} the applicant was taken to {C} prison by Officer {L}.
The witnesses {L}, {L} and {L} were heard by the {O}.
According to {L}, the {O} had ignored the Convention and the Code.
How do I connect {T} to {T} with {T}?
Why does {I} raise {K} in {T}?
Compare {T}, {T} and {T} for a {A} service.
I get {K} when I call {I} from {T}. The {A} log says {S}.
Write a {T} script that reads {A} files from {T}.
Use {T} instead of {T}; {T} has better {A} support.
{T} crashed after the {T} update. {T} is fine.
```\nclass {I}:\n    def __init__(self):\n        raise {K}\n```
{I} extends {I} implements {I}
import {T}\nfrom {T} import {I}
Deploy the {T} container to {T}. {T} {A} limits apply.
Translate this {Q} sentence into {Q}: {F} lives in {C}.
She speaks {Q} and {Q}, and teaches {Q} on {D}.
He is {Q}; his {Q} neighbors are {Q}.
Plot the {X} distribution and the {X} transform with {T}.
The {X} {Z} and the {X} {Z} are taught in {D}.
I bought a {T} and a {T} for {F}'s birthday on {D}.
RT {F} {L} is live from {C} tonight
Just saw {P} at {O}, so happy
Happy birthday {F}!! Miss you
Watching {T} with {F} and {G} in {C}
Going to {C} on {D}. Who is coming?
My landlord {L} kept the deposit. My neighbor {F} saw it.
I told {F} that {G} is at {O}.
{F} and I went to {C}. It rained.
{F} is late. {G} has the keys. {L} wrote to {O}.
{W} {W} {W}\n{W} the {W} and the {W}.
# {W} {W}\n\n{W} this before you start. {W} the {T} page.
{W}: {W}\n{W}: {A}\n{W}: {P}
| {W} | {W} | {W} |\n| {A} | {T} | {F} |
{W} your {W} today. {W} more about {T}.
{D}: {W} with {F}. {D}: {W} at {C}.
{A} {A} {A}
{L}, {F} ({A}) {D}
Signed: {P}, {O}, {C}
Attn: {P}\n{O}\n{C}
Invoice to {O}, {C}. Contact: {F} {L}.
Ask {F} from {A} about the {T} invoice; {L} in {A} knows too.
The {A} team, led by {P}, moved {T} to {T}.
{O} ({A}) and {O} signed on {D}.
{P} v. {O}
[{D} 10:02] {F}: {W} please\n[{D} 10:03] {G}: {T} is down again
Q: {W} is {T}?\nA: {T} is a {A} tool by {O}.
"{W}," said {F}. "{W} it," {G} answered.
{F}'s {T} account was locked, so {F} called {O}.
Flight {A}100 from {C} to {C}, passenger {L}/{F}
""".strip().split("\n")
_COMMON_WORDS: Final = """Read Open Close Update Check Review Submit Call Send Create Delete Total Status
    Order Note Page Form Item Price Quantity Shipping Payment Refund Return Section Chapter Figure Table
    Appendix Step Warning Error Question Answer Team Project Task Deadline Meeting Report Draft Final
    Version Release Issue Ticket Priority High Low Medium None Yes Please Thanks Sorry Great Good Morning
    Welcome Home About Contact Help Search Settings Profile Password Login Account Billing Support Learn
    Build Test Run Install Download Start Stop Save Edit View Add Remove Select Choose Dinner Lunch
    Breakfast School Church Hospital Doctor Nurse Mother Father Uncle Grandma Brother Teacher Student
    Manager Director Engineer Applicant Government Court Article Convention Protocol Code Act Law
    Constitution Minister President Committee Commission Judgment Party Parties Appendix Schedule Agreement
    Company Client Customer Vendor Buyer Seller Tenant Landlord Plaintiff Defendant Witness Counsel""".split()  # noqa: SIM905
_SLOT: Final = re.compile(r"\{([A-Z])\}")
_STEMS: Final = """User Order Data File Request Response Cache Session Token Event Job Task Node Graph Tree
    List Map Config Client Server Http Json Parser Reader Writer Base Abstract Main Test Mock Account
    Payment Search Index Query Page View Model Form Auth Login Image Text Stream Buffer Thread Lock Pool
    Queue Message Email Report Chart Input Output""".split()  # noqa: SIM905
_TAILS: Final = """Repository Service Controller Manager Factory Builder Handler Provider Adapter Listener
    Helper Util Config Client Store Component Interface Impl Exception Error Warning View Model Test State
    Context Id Type""".split()  # noqa: SIM905


class Page(NamedTuple):
    """A text with its names: start, end, and kind."""

    text: str
    names: list[tuple[int, int, str]]


def pages(number: int, seed: int = 22) -> Iterator[Page]:
    """So many synthetic pages of one to four pieces; the same for the same seed."""
    draw = random.Random(seed)
    pieces = _Pieces(draw)
    for _ in range(number):
        text, names = "", []
        for _ in range(draw.choice((1, 2, 2, 3, 4))):
            if text:
                text += draw.choice((" ", "\n", "\n\n"))
            piece = draw.choice(_TEMPLATES).replace("\\n", "\n")
            position = 0
            for slot in _SLOT.finditer(piece):
                text += piece[position : slot.start()]
                kind, written = pieces.fill(slot[1])
                if kind:
                    names.append((len(text), len(text) + len(written), kind))
                text += written
                position = slot.end()
            text += piece[position:]
        yield Page(text, names)


def _parted(words: str) -> list[str]:
    return [word.strip() for word in words.split(";") if word.strip()]


class _Pieces:
    """What fills the slots."""

    def __init__(self, draw: random.Random) -> None:
        self._draw = draw
        self._given, self._family, self._towns = ([], [], [])  # type: tuple[list[str], list[str], list[str]]
        for locale in _LOCALES:
            for pool, provider, lists in (
                (self._given, "person", _GIVEN),
                (self._family, "person", _FAMILY),
                (self._towns, "address", _TOWNS),
            ):
                names = sorted({name for name in entries(provider, lists, [locale]) if _ASCII_NAME(name)})
                pool.extend(draw.sample(names, min(len(names), 120)))
        self._lists = {
            "M": _MEDICINES, "A": _ABBREVIATIONS, "X": _EPONYMS, "T": _TOOLS, "Q": _PEOPLES, "D": _DAYS,
            "H": _parted(_HEADS), "S": _parted(_SYMPTOMS), "W": _COMMON_WORDS, "Z": _AFTER_EPONYM,
        }  # fmt: skip

    def fill(self, slot: str) -> tuple[str, str]:
        """The kind and the text for a slot; no kind for what is no name."""
        draw = self._draw
        if slot in "FG":
            return "person", self._first()
        if slot == "L":
            return "person", self._last()
        if slot == "P":
            middle = f" {draw.choice('ABCDEGHJKLMNPRSTVW')}." if draw.random() < 0.15 else ""
            return "person", f"{self._first()}{middle} {self._last()}"
        if slot == "C":
            return "place", draw.choice(self._towns) if draw.random() < 0.6 else self._made(_PLACE_ENDS)
        if slot == "O":
            return "organization", self._firm()
        if slot == "E":
            owner = draw.choice(("'s", ""))
            return "", f"{draw.choice(_EPONYMS)}{owner} {draw.choice(_AFTER_EPONYM)}"
        if slot == "I":
            return "", draw.choice(_STEMS) + draw.choice(("", draw.choice(_STEMS))) + draw.choice(_TAILS)
        if slot == "K":
            return "", draw.choice(_STEMS) + draw.choice(("Error", "Exception", "Warning", "NotFound"))
        return "", draw.choice(self._lists[slot])

    def _first(self) -> str:
        return self._draw.choice(self._given) if self._draw.random() < 0.85 else self._made(_PERSON_ENDS)

    def _last(self) -> str:
        return self._draw.choice(self._family) if self._draw.random() < 0.6 else self._made(_PERSON_ENDS)

    def _made(self, ends: list[str]) -> str:
        draw = self._draw
        return draw.choice(_STARTS) + (draw.choice(_MIDDLES) if draw.random() < 0.6 else "") + draw.choice(ends)

    def _firm(self) -> str:
        draw = self._draw
        way = draw.random()
        if way < 0.25:
            return self._made(_FIRM_ENDS)
        if way < 0.5:
            name = draw.choice((self._made(_FIRM_ENDS), self._last(), self._made(_PLACE_ENDS)))
            return f"{name} {draw.choice(_parted(_ORG_ENDS))}"
        if way < 0.75:
            return f"{self._made(_PLACE_ENDS)} {draw.choice(_ORG_WORDS)} {draw.choice(_parted(_ORG_ENDS))}"
        if way < 0.9:
            return f"{draw.choice(_ORG_WORDS)} {draw.choice(_parted(_ORG_ENDS))}"
        return f"{self._last()} & {self._last()}"
