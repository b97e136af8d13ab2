"""Word lists for the text-to-SQL corpus: values that fill the cells, and names for schemas made up on the fly.

All lists were written for this project. Nothing here knows about SQL; `schemas` builds tables from these words.
"""

from __future__ import annotations

import random

FIRST_NAMES = tuple(
    """Ada Adam Aisha Alan Alba Amir Ana Anna Anton Ari Basil Bela Ben Bianca Boris Carla Carlos Celia Chen Clara Dana
    Daniel David Dina Dora Elena Eli Elsa Emil Emma Eric Eva Farid Felix Fiona Frank Gina Greta Gus Hana Hans
    Hugo Ida Igor Ines Ingrid Ivan Jack Jana Jim Joan Jonas Juan Judy Kai Karim Kate Kim Lara Lea Leo Lily Linus
    Lola Luca Lucy Maja Marco Maria Mark Marta Max Mei Mia Mila Mina Nadia Nils Nina Noah Nora Olga Oliver Omar
    Oscar Otto Paul Pavel Petra Pia Quinn Rania Rita Robin Rosa Ruth Sam Sara Sofia Stefan Sven Tara Theo Tina
    Tom Uma Ursula Vera Viktor Wanda Wei Will Xavier Yara Yusuf Zara Zoe""".split()
)
SURNAMES = tuple(
    """Abbas Adler Almeida Andersen Baker Banerjee Barros Becker Bell Berg Blanc Borges Bruno Byrne Castro Chan Clark
    Conti Costa Cruz Dahl Dekker Diaz Doyle Dubois Duran Eklund Evans Farah Fischer Flores Fontana Fox Gallo
    Garcia Gomez Grant Gruber Gupta Haas Hansen Hassan Hill Horvat Ito Ivanov Jensen Jones Kaya Keller Khan King
    Klein Kovacs Kumar Lang Larsen Leroy Lima Lopez Lund Mahler Marino Martin Mbeki Meyer Mori Moreau Nagy Nair
    Navarro Nguyen Nowak Okafor Olsen Ortiz Osei Park Patel Perez Petrov Popov Price Quist Rao Reyes Ricci Rossi
    Roth Sato Schmidt Shaw Silva Simon Singh Sousa Stone Tanaka Toth Turner Ueda Vargas Vidal Vogel Walsh Wang
    Weber White Wolf Wood Yamada Young Zeller Zhang""".split()
)
CITIES = tuple(
    """Accra Agra Aleppo Algiers Amman Ankara Antwerp Athens Baku Bangkok Basel Beirut Belfast Bergen Berlin Bern
    Bilbao Bogota Bologna Boston Bremen Brno Cairo Calgary Cardiff Chicago Cologne Cork Dakar Dallas Delhi
    Denver Dhaka Dublin Durban Essen Faro Fez Florence Geneva Genoa Ghent Graz Haifa Hanoi Havana Helsinki
    Houston Izmir Jaipur Kigali Kobe Krakow Kyoto Lagos Lahore Leeds Lille Lima Linz Lisbon London Luanda Lusaka
    Lyon Madrid Malaga Malmo Manila Medina Miami Milan Minsk Mumbai Munich Nairobi Nantes Naples Nice Odessa
    Osaka Oslo Ottawa Oxford Palermo Paris Perth Porto Prague Quito Rabat Riga Rome Salem Seattle Seoul Seville
    Sofia Split Sydney Tallinn Tampa Tokyo Toronto Tours Tunis Turin Utrecht Venice Vienna Vilnius Warsaw York
    Zagreb Zurich""".split()
)
COUNTRIES = tuple(
    """Albania Algeria Angola Argentina Austria Belgium Bolivia Brazil Bulgaria Cambodia Canada Chad Chile China
    Colombia Croatia Cuba Cyprus Denmark Ecuador Egypt Estonia Ethiopia Finland France Georgia Germany Ghana
    Greece Hungary Iceland India Iran Ireland Italy Japan Jordan Kenya Latvia Lebanon Malta Mexico Morocco Nepal
    Norway Oman Panama Peru Poland Portugal Romania Rwanda Senegal Serbia Spain Sweden Tunisia Turkey Uganda
    Ukraine Uruguay Vietnam Zambia""".split()
)
ADJECTIVES = tuple(
    """Ancient Bitter Black Blue Bold Brave Bright Broken Calm Clever Cold Crimson Dark Deep Distant Dusty Early
    Eastern Empty Endless Fading Fallen Fast Final First Forgotten Frozen Gentle Golden Grand Gray Great Green
    Hidden High Hollow Hungry Iron Jolly Last Lazy Light Little Lone Long Lost Loud Lucky Magic Merry Misty New
    Noble Northern Old Pale Perfect Plain Proud Quick Quiet Rapid Red Royal Rusty Sacred Salty Second Secret
    Sharp Shy Silent Silver Slow Small Smart Soft Southern Steady Stormy Strange Sunny Sweet Tall Tiny True
    Urban Velvet Warm Western Wild Winter Wise Yellow""".split()
)
NOUNS = tuple(
    """Anchor Angel Apple Arrow Autumn Bear Bell Bird Boat Candle Castle Circle Cloud Comet Corner Crown Dancer Dawn
    Desert Door Dragon Dream Eagle Echo Empire Ember Engine Falcon Feather Field Fire Flower Forest Fox Garden
    Gate Ghost Giant Harbor Hawk Heart Hill Horizon House Island Jungle Key Kingdom Lake Lantern Leaf Letter
    Lion Meadow Mirror Moon Morning Mountain Night North Oak Ocean Orchid Owl Palace Path Pearl Pine Planet
    Queen Rain Raven River Road Rose Sea Shadow Ship Shore Sky Snow Song Spark Spring Star Stone Storm Stream
    Summer Sun Thunder Tide Tiger Tower Valley Voyage Wave Whale Wind Window Wolf World""".split()
)
THINGS = tuple(
    """almond amber apple apricot arrow bamboo barley basil bean birch bronze butter candle cedar cherry clay clover
    cocoa copper coral cotton cream daisy denim elm fern fig flint garlic ginger glass granite hazel honey
    indigo iris ivory ivy jade jasmine juniper lace lemon lilac lime linen lotus mango maple marble mint moss
    mustard nutmeg oak oat olive onyx orange orchid paper peach pearl pepper pine plum poppy quartz rice ruby
    rust sage salt sand satin silk silver slate spice steel sugar teal thyme tulip vanilla velvet walnut wax
    willow wool""".split()
)
SYLLABLES = tuple(
    """ba be bi bo bra bru ca co cra da de di dor dra du el fa fe fi fro ga ge gi gor gra ha he hu il in ja jo ka ke
    kir kor la le li lo lun ma me mi mor mu na ne ni nor ol or pa pe pi pol qua ra re ri ros ru sa se si sol sta
    ta te ti tor tra tu ul va ve vi vol wa we wi xa ya yo za ze zi zor""".split()
)
CODAS = ("", "", "", "n", "r", "l", "k", "m", "t", "x", "nd", "sk", "th")

ENTITIES = tuple(
    """account actor agent airport alarm alley antenna apartment applicant archive armchair artist athlete auction
    author award bag balloon band banner barge barrel basket battery beach bed belt bicycle bill blanket board
    bolt bottle bowl box bracelet branch brand brewery brick broker brush bucket builder bus button cabin cable
    cafe camera camp canal candidate canoe captain carpet cart cave chair channel chapel charity chest clerk
    clinic clock closet coach coat coin collar committee company computer contract cottage councillor counter
    courier cow crane crew cup curtain dealer desk device diary dish doll donor drawer dress driver drone drum
    editor elephant employer engine envelope essay event exhibit fabric factory farm fence ferry festival file
    film filter flag fleet flute folder footpath forest fountain frame garage garment gate gift glove goat guard
    guest guitar gym hall hammer harbor hat helmet herb hill horse hose hostel hut idea inspector instrument
    invoice island jacket jar journal journey judge junction kettle keyboard kiosk kitchen knife ladder lake
    lamp lane laptop lawyer league lesson letter lift lodge machine magazine mailbox manager map market mask
    mattress mechanic medal meeting message mill mine mirror mobile model monitor mosque motor mug nest network
    newspaper notebook nurse oven owner package paddle painter palace parcel passport patent path pavilion pen
    permit phone photo piano picnic pilot pipe plan plate poem poet pond pool poster printer prize probe
    producer project pump quarry quilt rabbit radio ranch receipt reef refund region rental reporter reservoir
    rider ring robot rope rug saddle sailor sandal scarf school scout screen sculpture seed senator sensor
    server sheep shelf shield ship shirt shoe signal singer sketch sled sofa spoon stall stamp statue stove
    street suit summit supplier surfer survey sweater switch tailor tank taxi teapot tenant tent terminal ticket
    tile tower toy tractor trader trail trailer tram tree trophy trumpet tunnel turbine umbrella uniform vase
    vendor village visa volunteer voter wagon wallet warehouse watch wheel window workshop writer yacht""".split()
)
NUMBER_ATTRIBUTES = tuple(
    """age altitude amount angle area balance budget capacity charge cost damage deadline debt deposit depth diameter
    discount distance duration efficiency energy expense fare fee frequency fuel gain grade height humidity
    importance income intensity interest latency latitude length level lifespan load longitude loss margin mass
    mileage noise output payment penalty percentage popularity population power pressure price priority profit
    progress purity quality quantity quota radius rainfall rank rate ratio rating reach reliability rent
    resolution response revenue reward risk salary score severity size speed spending stock strength surface tax
    temperature tension thickness torque traffic turnover usage value velocity visibility voltage volume wage
    warranty waste weight width yield_rate year""".split()
)
COUNTED_ATTRIBUTES = tuple(
    """accidents assists awards beds branches buttons calls cars clients colleagues colors comments complaints copies
    cylinders days defects desks doors downloads drivers employees errors exits fans files floors followers
    gears guards holes hours houses injuries items jobs kilometers layers legs lessons likes lines litres losses
    machines meetings messages minutes months nights orders owners parcels parts passengers payments photos
    pieces pockets points ports prizes readers repairs replies requests rooms rounds screens sales seats shares
    shelves shops signatures sockets steps stops strings students tasks tickets tools trips units users vehicles
    versions visitors volunteers votes watts weeks wheels windows winners workers""".split()
)
TEXT_ATTRIBUTES = (
    tuple(
        (name, "person")
        for name in """advisor agent_name architect artist buyer captain contact coordinator creator
    designer director engineer founder host inspector instructor inventor leader manager mentor officer operator owner
    partner president referee representative sender sponsor supervisor teacher technician trainer winner""".split()
    )
    + tuple(
        (name, "city")
        for name in """birthplace capital city depot destination hometown location office origin
    residence source_city town venue""".split()
    )
    + tuple((name, "country") for name in "country exporter homeland market nation nationality territory".split())
    + tuple(
        (name, "company")
        for name in """agency bank brand carrier company dealer developer employer insurer maker
    manufacturer producer provider publisher seller supplier""".split()
    )
    + tuple(
        (name, "thing")
        for name in """color fabric flavor ingredient keyword material motif nickname pattern scent
    symbol theme""".split()
    )
    + (("name", "title"), ("name", "person"), ("name", "company"), ("title", "title")) * 5
    + tuple((name, "title") for name in "caption headline motto project_name slogan subject summary".split())
    + tuple((name, "code") for name in "barcode badge license passcode reference_code serial shelf_code".split())
)
CATEGORY_ATTRIBUTES = (
    ("category", ("basic", "standard", "premium", "special")),
    ("class", ("first", "second", "third", "fourth")),
    ("condition", ("new", "used", "worn", "broken")),
    ("delivery", ("air", "road", "rail", "sea")),
    ("difficulty", ("easy", "medium", "hard", "expert")),
    ("direction", ("north", "south", "east", "west")),
    ("education", ("primary", "secondary", "college", "doctorate")),
    ("finish", ("matte", "glossy", "satin", "raw")),
    ("format", ("digital", "paper", "audio", "video")),
    ("frequency_band", ("low", "middle", "high")),
    ("gender", ("female", "male", "other")),
    ("language", ("Arabic", "English", "French", "German", "Hindi", "Spanish", "Chinese")),
    ("membership", ("bronze", "silver", "gold", "platinum")),
    ("method", ("manual", "mixed", "automatic")),
    ("mood", ("happy", "sad", "calm", "angry")),
    ("payment_type", ("cash", "card", "cheque", "transfer")),
    ("period", ("morning", "noon", "evening", "night")),
    ("season", ("spring", "summer", "autumn", "winter")),
    ("shape", ("round", "square", "oval", "flat")),
    ("shift", ("day", "late", "night")),
    ("state", ("open", "closed", "paused", "planned")),
    ("status", ("active", "idle", "retired", "pending")),
    ("style", ("modern", "classic", "rustic", "plain")),
    ("surface_type", ("smooth", "rough", "soft", "hard")),
    ("tier", ("low", "middle", "top")),
    ("type", ("small", "medium", "large", "giant")),
    ("weekday", ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")),
    ("zone", ("alpha", "beta", "gamma", "delta")),
)
MODIFIERS = tuple(
    """annual average base current daily domestic early estimated extra final first foreign former gross home initial
    inner last late local lower main maximum medium minimum monthly net new next nominal old original outer past
    peak planned previous primary private public real regular second standard target third total upper usual
    weekly yearly""".split()
)
NUMBER_RANGES = (
    (1, 60),
    (1, 99),
    (5, 120),
    (10, 500),
    (50, 999),
    (100, 5000),
    (1000, 9999),
    (1900, 2024),
    (1000, 90000),
)
COUNT_RANGES = ((1, 60), (1, 90), (2, 150), (5, 400), (10, 900), (100, 5000))


SQL_KEYWORDS = frozenset(
    """add all alter and as asc between by case cast check collate column commit constraint create cross default delete
    desc distinct drop else end escape except exists for foreign from full glob group having if in index inner
    insert intersect into is isnull join left like limit natural not notnull null of offset on or order outer
    over primary references right select set table then to transaction union unique update using values view
    when where with""".split()
)
"""Words that no table or column may be called."""


def invent_word(rng: random.Random) -> str:
    """A lower-case pronounceable word of two or three syllables, mostly in no list, e.g. `brukan`; never a keyword."""
    while True:
        word = "".join(rng.choice(SYLLABLES) for _ in range(rng.choice((2, 2, 3)))) + rng.choice(CODAS)
        if word not in SQL_KEYWORDS:
            return word


def plural_of(noun: str) -> str:
    """The regular English plural of a lower-case noun: `box` -> `boxes`, `diary` -> `diaries`, `map` -> `maps`."""
    if noun.endswith("y") and noun[-2:-1] not in "aeiou":
        return noun[:-1] + "ies"
    if noun.endswith(("s", "x", "ch", "sh", "z")):
        return noun + "es"
    return noun + "s"


def _person(rng: random.Random) -> str:
    roll = rng.random()
    if roll < 0.45:
        return rng.choice(FIRST_NAMES)
    if roll < 0.75:
        return rng.choice(SURNAMES)
    if roll < 0.85:
        return invent_word(rng).capitalize()
    return f"{rng.choice(FIRST_NAMES)} {rng.choice(SURNAMES)}"


def _city(rng: random.Random) -> str:
    return rng.choice(CITIES) if rng.random() < 0.9 else invent_word(rng).capitalize()


def _country(rng: random.Random) -> str:
    return rng.choice(COUNTRIES)


def _title(rng: random.Random) -> str:
    return f"{rng.choice(ADJECTIVES)} {rng.choice(NOUNS)}" if rng.random() < 0.8 else rng.choice(NOUNS)


def _company(rng: random.Random) -> str:
    roll = rng.random()
    if roll < 0.4:
        return invent_word(rng).capitalize()
    return (
        f"{rng.choice(NOUNS)} {rng.choice(('Group', 'Works', 'House', 'Lab', 'Union'))}"
        if roll < 0.6
        else (rng.choice(NOUNS))
    )


def _thing(rng: random.Random) -> str:
    return rng.choice(THINGS) if rng.random() < 0.9 else invent_word(rng)


def _code(rng: random.Random) -> str:
    letters = "".join(rng.choice("ABCDEFGHKLMNPRSTUVWX") for _ in range(rng.choice((1, 2))))
    return f"{letters}{rng.randint(10, 999)}"


POOLS = {
    "person": _person,
    "city": _city,
    "country": _country,
    "title": _title,
    "company": _company,
    "thing": _thing,
    "code": _code,
}
"""Name of a value pool -> a function that draws one value from it."""
