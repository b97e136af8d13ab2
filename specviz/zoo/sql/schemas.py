"""Schemas of the text-to-SQL corpus: what tables and columns exist, what fills them, which are kept for evaluation.

The handwritten schemas stand in a small notation, read by `parse_schema`:

    books/book: title=title, genre=novel|poetry, year=1900..2024, pages#40..900
    loans/loan: book_title>books.title, member=person, days#1..90

`=pool` is text from `schema_words.POOLS`, `=a|b` a category, `=low..high` a number, `#low..high` a number of things one
can count ("more than 300 pages"), `=id` a row number, `>table.column` a link. A link's name is always the singular of
the table it points to, `_`, and that table's key, so that a reader of the prompt alone can find the join.
`invent_schema` makes up new schemas in the same form. Questions about the tables live in
`row_questions`, `number_questions` and `join_questions`.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass, replace

from specviz.zoo.sql import schema_words as words


@dataclass(frozen=True, slots=True)
class SchemaColumn:
    """One column. `kind` is "text", "category", "number", "id" or "link".

    pool: name of a pool in `schema_words.POOLS` (text), the values themselves (category), or "" (number, id).
    low, high: inclusive range of a number or id. counted: the name is a plural of countable things.
    links_to: "table.column" for a link, which draws the same values as the column it points to.
    mentioned: values named in a question, which rows should often hold; the first passes the question's condition.
    """

    name: str
    kind: str
    pool: str | tuple[str, ...] = ""
    low: int = 0
    high: int = 0
    counted: bool = False
    links_to: str = ""
    mentioned: tuple[str | int, ...] = ()

    def draw(self, rng: random.Random) -> str | int:
        """One random value of this column."""
        if not self.pool:
            return rng.randint(self.low, self.high)
        if isinstance(self.pool, tuple):
            return rng.choice(self.pool)
        return words.POOLS[self.pool](rng)


@dataclass(frozen=True, slots=True)
class SchemaTable:
    """A table without rows: plural `name`, `singular` of one row, at least two columns."""

    name: str
    singular: str
    columns: tuple[SchemaColumn, ...]

    @property
    def links(self) -> tuple[SchemaColumn, ...]:
        return tuple(column for column in self.columns if column.kind == "link")

    def column(self, name: str) -> SchemaColumn:
        """The column called `name`; KeyError if there is none."""
        for column in self.columns:
            if column.name == name:
                return column
        raise KeyError(f"{self.name} has no column {name}")


@dataclass(frozen=True, slots=True)
class Schema:
    """One to three tables on one subject."""

    name: str
    tables: tuple[SchemaTable, ...]

    def table(self, name: str) -> SchemaTable:
        """The table called `name`; KeyError if there is none."""
        for table in self.tables:
            if table.name == name:
                return table
        raise KeyError(f"{self.name} has no table {name}")

    def target(self, link: SchemaColumn) -> tuple[SchemaTable, SchemaColumn]:
        """The table and the key that `link` points to; KeyError if there is none."""
        table_name, key_name = link.links_to.split(".")
        table = self.table(table_name)
        return table, table.column(key_name)


def parse_schema(name: str, text: str) -> Schema:
    """A schema from the notation in this module's docstring; ValueError if it is malformed."""
    before, *parts = re.split(r"(\w+)/(\w+):", text)
    if before.strip() or not parts:
        raise ValueError(f"schema {name} does not start with a table: {text!r}")
    tables = zip(parts[0::3], parts[1::3], parts[2::3], strict=True)
    schema = Schema(
        name, tuple(SchemaTable(plural, singular, _parse_columns(body)) for plural, singular, body in tables)
    )
    return replace(schema, tables=tuple(_with_filled_links(table, schema) for table in schema.tables))


def _with_filled_links(table: SchemaTable, schema: Schema) -> SchemaTable:
    """The table with its links drawing their values as the keys they point to do."""
    columns = []
    for column in table.columns:
        if column.kind == "link":
            key = schema.target(column)[1]
            column = replace(column, pool=key.pool, low=key.low, high=key.high)
        columns.append(column)
    return replace(table, columns=tuple(columns))


def _parse_columns(body: str) -> tuple[SchemaColumn, ...]:
    return tuple(_parse_column(part.strip()) for part in body.split(","))


def _parse_column(text: str) -> SchemaColumn:
    if ">" in text:
        name, _, target = text.partition(">")
        return SchemaColumn(name, "link", links_to=target)
    if "#" in text:
        name, _, bounds = text.partition("#")
        low, high = bounds.split("..")
        return SchemaColumn(name, "number", low=int(low), high=int(high), counted=True)
    name, _, source = text.partition("=")
    if source == "id":
        return SchemaColumn(name, "id", low=1, high=999)
    if ".." in source:
        low, high = source.split("..")
        return SchemaColumn(name, "number", low=int(low), high=int(high))
    if "|" in source:
        return SchemaColumn(name, "category", tuple(source.split("|")))
    if source not in words.POOLS:
        raise ValueError(f"unknown pool {source!r} in {text!r}")
    return SchemaColumn(name, "text", source)


_TRAINING_TEXT = {
    "library": """
        books/book: title=title, author=person, genre=novel|poetry|history|comics, year=1900..2024, pages#40..900
        loans/loan: book_title>books.title, member=person, days#1..90""",
    "hospital": """
        doctors/doctor: id=id, name=person, specialty=surgery|cardiology|oncology|pediatrics, salary=3000..9000
        patients/patient: name=person, doctor_id>doctors.id, age=1..99, city=city, bill=50..9000
        wards/ward: code=code, beds#2..60, floor=1..40""",
    "football": """
        teams/team: name=city, country=country, founding_year=1880..2010, stadium=title, titles#0..60
        players/player: name=person, team_name>teams.name, position=keeper|defender|midfielder|striker,
            goals#0..300""",
    "bakery": """
        cakes/cake: name=title, flavor=thing, price=5..90, calories#100..900, weight=200..3000
        sales/sale: cake_name>cakes.name, customer=person, quantity=1..60, weekday=Monday|Tuesday|Friday|Saturday""",
    "space": """
        rockets/rocket: name=title, maker=company, height=10..130, payload=100..9000
        missions/mission: name=title, rocket_name>rockets.name, destination=Moon|Mars|Venus|orbit,
            launch_year=1960..2030""",
    "zoo": """
        keepers/keeper: id=id, name=person, experience=1..45, shift=morning|evening|night
        animals/animal: name=person, species=lion|bear|zebra|giraffe|otter, keeper_id>keepers.id, age=1..60,
            weight=1..4000""",
    "railway": """
        stations/station: name=city, platforms#1..40, opening_year=1840..2020, zone=north|south|east|west
        trains/train: train_number=100..9999, station_name>stations.name, operator=company, delay=0..120,
            coaches#1..40""",
    "music": """
        singers/singer: name=person, country=country, genre=rock|jazz|pop|folk|soul, albums#1..40
        songs/song: title=title, singer_name>singers.name, year=1950..2024, seconds#60..600, plays#100..90000""",
    "school": """
        classes/class: code=code, teacher=person, room=1..200, level=beginner|middle|advanced
        pupils/pupil: name=person, class_code>classes.code, age=6..40, absences#0..60, grade=1..100""",
    "airline": """
        planes/plane: code=code, model=title, seats#20..500, building_year=1980..2024
        flights/flight: flight_number=100..9999, plane_code>planes.code, origin=city, destination=city, fare=30..2000,
            distance=100..9000""",
    "restaurant": """
        dishes/dish: name=title, cuisine=Italian|Thai|Mexican|Greek, price=4..80, calories#100..1500
        servings/serving: dish_name>dishes.name, waiter=person, portions#1..50, tip=0..60""",
    "hotel": """
        hotels/hotel: name=title, city=city, rooms#10..600, rating=1..100
        bookings/booking: guest=person, hotel_name>hotels.name, nights#1..40, payment=50..9000,
            status=paid|open|cancelled""",
    "cinema": """
        directors/director: id=id, name=person, nationality=country, birth_year=1900..2000
        films/film: title=title, director_id>directors.id, genre=drama|comedy|horror|action, year=1930..2024,
            minutes#60..240""",
    "bank": """
        branches/branch: code=code, city=city, manager=person, employees#3..90
        accounts/account: owner=person, branch_code>branches.code, kind=savings|checking|business,
            balance=10..90000""",
    "university": """
        departments/department: name=title, building=thing, budget=1000..90000, staff=5..200
        professors/professor: name=person, department_name>departments.name, salary=2000..9900, papers#0..200
        courses/course: title=title, department_name>departments.name, credits#1..40,
            level=bachelor|master|doctoral""",
    "garage": """
        mechanics/mechanic: id=id, name=person, hourly_rate=15..120, certificate=basic|advanced|master
        repairs/repair: car=code, mechanic_id>mechanics.id, cost=20..5000, hours#1..50, part=thing""",
    "shop": """
        products/product: name=thing, category=food|toys|clothes|tools, price=1..900, stock=0..500
        purchases/purchase: buyer=person, product_name>products.name, amount=1..99, discount=0..60""",
    "farm": """
        farms/farm: name=title, region=north|south|east|west, acres#5..900, owner=person
        crops/crop: name=thing, farm_name>farms.name, tons#1..500, season=spring|summer|autumn|winter,
            price=10..900""",
    "weather": """
        cities/city: name=city, country=country, population=1000..90000, altitude=0..4000
        forecasts/forecast: city_name>cities.name, day=1..365, temperature=0..45, rainfall=0..200,
            sky=clear|cloudy|rainy|foggy""",
    "museum": """
        museums/museum: name=title, city=city, opening_year=1750..2020, visitors#100..90000
        paintings/painting: title=title, museum_name>museums.name, painter=person, year=1400..2020,
            value=100..90000""",
    "gym": """
        trainers/trainer: id=id, name=person, sport=boxing|yoga|rowing|cycling, fee=10..150
        members/member: name=person, trainer_id>trainers.id, age=14..90, visits#1..300, plan=monthly|yearly|daily""",
    "postal": """
        couriers/courier: id=id, name=person, vehicle=van|bicycle|truck, rating=1..100
        parcels/parcel: code=code, courier_id>couriers.id, receiver=person, weight=1..80, destination=city""",
    "software": """
        projects/project: name=title, language=Python|Rust|Java|Go, stars#0..9000, starting_year=1985..2024
        bugs/bug: code=code, project_name>projects.name, reporter=person, severity=low|medium|high|critical,
            days_open=1..400""",
    "hiking": """
        trails/trail: name=title, park=company, length=1..120, climb=10..3000, difficulty=easy|medium|hard
        hikes/hike: hiker=person, trail_name>trails.name, hours#1..48, month=March|June|July|October""",
    "cafe": """
        drinks/drink: name=thing, size=small|medium|large, price=1..45, sugar=0..80
        baristas/barista: name=person, shift=morning|noon|evening, wage=8..60, cups_served=10..900""",
    "elections": """
        parties/party: name=title, leader=person, founding_year=1850..2020, mandates#0..200
        candidates/candidate: name=person, party_name>parties.name, district=city, votes#100..90000, age=21..85""",
    "publishing": """
        publishers/publisher: name=company, city=city, founding_year=1800..2020, staff=3..400
        magazines/magazine: title=title, publisher_name>publishers.name, topic=science|fashion|travel|cooking,
            copies#100..90000, price=2..50""",
    "cycling": """
        cyclists/cyclist: name=person, country=country, age=17..55, wins#0..90
        stages/stage: stage_number=1..99, winner=person, distance=5..300, terrain=flat|hilly|mountain, finish=city""",
    "fishing": """
        boats/boat: name=title, captain=person, length=4..90, building_year=1950..2024
        catches/catch: boat_name>boats.name, fish=tuna|cod|salmon|trout, kilos#5..900, price=10..900""",
    "real_estate": """
        agents/agent: id=id, name=person, commission=1..60, office=city
        houses/house: street=title, agent_id>agents.id, price=1000..90000, rooms#1..40, kind=villa|flat|cottage""",
    "concerts": """
        bands/band: name=title, style=metal|blues|indie|reggae, musicians#2..60, forming_year=1960..2024
        concerts/concert: band_name>bands.name, venue=company, city=city, tickets#50..9000, price=10..300""",
    "warehouse": """
        warehouses/warehouse: code=code, city=city, capacity=100..9000, area=50..5000
        shipments/shipment: code=code, warehouse_code>warehouses.code, carrier=company, boxes#1..500,
            weight=5..5000""",
    "insurance": """
        clients/client: id=id, name=person, age=18..95, city=city
        policies/policy: code=code, client_id>clients.id, type=home|car|life|travel, premium=20..900, years#1..40""",
    "power": """
        plants/plant: name=title, fuel=coal|gas|wind|solar|hydro, output=10..4000, country=country
        outages/outage: plant_name>plants.name, hours#1..72, cause=storm|fire|repair|overload, homes#10..9000""",
    "taxi": """
        drivers/driver: id=id, name=person, rating=1..100, joining_year=1990..2024
        rides/ride: driver_id>drivers.id, passenger=person, kilometers#1..90, fare=4..200, district=city""",
    "pets": """
        owners/owner: id=id, name=person, town=city, phone=1000..9999
        dogs/dog: name=person, owner_id>owners.id, breed=poodle|beagle|terrier|collie, age=1..40, weight=1..90""",
    "games": """
        studios/studio: name=company, country=country, founding_year=1970..2020, developers#2..900
        games/game: title=title, studio_name>studios.name, platform=console|phone|computer, score=1..100,
            downloads#100..90000""",
    "company": """
        offices/office: code=code, city=city, floors#1..60, rent=500..9000
        employees/employee: name=person, office_code>offices.code, job=clerk|engineer|analyst|designer,
            salary=1500..9900, age=18..70""",
    "theme_park": """
        attractions/attraction: name=title, zone=pirate|jungle|castle|future, speed=5..140, minimum_height=80..180
        visits/visit: visitor=person, age=3..90, spending=5..400, hours#1..48""",
    "geography": """
        countries/country: name=country, continent=Africa|Asia|Europe|America, population=100..90000, area=100..90000
        rivers/river: name=title, country_name>countries.name, length=20..6000, depth=1..90""",
    "clothing": """
        designers/designer: id=id, name=person, city=city, collections#1..60
        dresses/dress: code=code, designer_id>designers.id, color=thing, fabric=silk|cotton|linen|wool,
            price=20..2000""",
    "pharmacy": """
        medicines/medicine: name=thing, form=tablet|syrup|cream|drops, price=2..300, dose=1..500
        prescriptions/prescription: medicine_name>medicines.name, patient=person, boxes#1..40, days#1..90""",
    "tennis": """
        courts/court: code=code, surface=clay|grass|hard, capacity=50..9000, club=title
        games_played/game_played: court_code>courts.code, winner=person, loser=person, minutes#30..300,
            games#12..70""",
    "phones": """
        phones/phone: model=title, brand=company, price=50..2000, battery=1000..9000, color=thing
        reviews/review: phone_model>phones.model, critic=person, score=1..100, likes#0..900""",
    "recipes": """
        cooks/cook: id=id, name=person, country=country, experience=1..50
        recipes/recipe: title=title, cook_id>cooks.id, meal=breakfast|lunch|dinner|dessert, minutes#5..240,
            servings#1..40""",
    "gardens": """
        gardens/garden: name=title, city=city, area=10..9000, benches#1..90
        trees/tree: species=oak|birch|maple|cedar, garden_name>gardens.name, height=1..60, age=1..400""",
}

_HELD_OUT_TEXT = {
    "wine": """
        vineyards/vineyard: name=title, valley=city, hectares#2..400, slope=1..60
        wines/wine: label=title, vineyard_name>vineyards.name, grape=merlot|riesling|malbec|syrah,
            vintage=1950..2022, bottles#100..9000""",
    "volcanoes": """
        volcanoes/volcano: name=title, nearest_village=city, elevation=300..6000, eruptions#1..90
        geologists/geologist: surname=person, volcano_name>volcanoes.name, samples#1..300, institute=company""",
    "dinosaurs": """
        dinosaurs/dinosaur: name=title, diet=herbivore|carnivore|omnivore, era=triassic|jurassic|cretaceous,
            body_length=1..60
        fossils/fossil: dinosaur_name>dinosaurs.name, finder=person, bones#1..200, excavation_year=1820..2020""",
    "lighthouses": """
        lighthouses/lighthouse: name=title, coast=rocky|sandy|marshy, beam=5..90, stairs#20..400
        lightkeepers/lightkeeper: surname=person, lighthouse_name>lighthouses.name, seniority=1..50,
            stipend=500..5000""",
    "chess": """
        grandmasters/grandmaster: surname=person, federation=country, elo=2300..2900, draws#0..500
        openings/opening: variation=title, eco=code, invention_year=1600..2000, gambits#10..900""",
    "theatre": """
        plays/play: heading=title, playwright=person, dramaturgy=tragedy|farce|satire|musical, acts#1..40
        performances/performance: play_heading>plays.heading, stage_manager=person, spectators#20..2000,
            encores#0..40""",
    "beekeeping": """
        beekeepers/beekeeper: surname=person, county=city, apprenticeship=1..60, stings#0..300
        hives/hive: hivecode=code, beekeeper_surname>beekeepers.surname, honey=1..90,
            bloom=acacia|heather|linden|rapeseed""",
    "bridges": """
        bridges/bridge: name=title, span=20..3000, lanes#2..60, framework=arch|cantilever|suspension|truss
        inspections/inspection: bridge_name>bridges.name, surveyor=person, cracks#0..90, corrosion=1..100""",
    "orchestra": """
        conductors/conductor: surname=person, conservatory=city, debut_year=1950..2020, symphonies#1..60
        violinists/violinist: stagename=person, conductor_surname>conductors.surname, rehearsals#1..200,
            recitals#5..300""",
    "cheese": """
        dairies/dairy: name=title, canton=city, milk=100..9000, cheesemakers#1..60
        cheeses/cheese: cheesecode=code, dairy_name>dairies.name, texture=creamy|crumbly|firm, ripening=2..90,
            fat=10..80""",
}

TRAINING = tuple(parse_schema(name, text) for name, text in _TRAINING_TEXT.items())
"""Schemas whose questions a model may be trained on."""

HELD_OUT = tuple(parse_schema(name, text) for name, text in _HELD_OUT_TEXT.items())
"""Schemas kept for evaluation: none of their tables, and few of their columns, are in `TRAINING` or the word lists."""

SCHEMAS = TRAINING + HELD_OUT


def invent_schema(rng: random.Random) -> Schema:
    """A schema of one table, or two linked ones, with names drawn from the word lists or made up letter by letter."""
    names = _FreshNames(rng)
    parent = _invent_table(names, rng, key=True)
    if rng.random() < 0.3:
        return Schema("invented", (parent,))
    key = parent.columns[0]
    link = replace(key, name=f"{parent.singular}_{key.name}", kind="link", links_to=f"{parent.name}.{key.name}")
    child = _invent_table(names, rng, key=False)
    return Schema("invented", (parent, SchemaTable(child.name, child.singular, (link, *child.columns))))


class _FreshNames:
    """Hands out names of columns and tables, never the same one twice."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._taken: set[str] = set()

    def draw(self, propose) -> tuple:
        """The first `propose()` whose item 0, the name, is still free."""
        while True:
            proposal = propose()
            if proposal[0] not in self._taken:
                self._taken.add(proposal[0])
                return proposal

    def entity(self) -> str:
        rng = self._rng

        def propose() -> tuple[str]:
            noun = words.invent_word(rng) if rng.random() < 0.25 else rng.choice(words.ENTITIES)
            return (f"{rng.choice(words.ENTITIES)}_{noun}" if rng.random() < 0.15 else noun,)

        return self.draw(propose)[0]

    def attribute(self, names: tuple) -> tuple:
        """An entry of `names` (a name, or a tuple that starts with one), often with a modifier or an invented name."""
        rng = self._rng

        def propose() -> tuple:
            entry = rng.choice(names)
            name, *rest = (entry,) if isinstance(entry, str) else entry
            roll = rng.random()
            if roll < 0.25:
                name = words.invent_word(rng)
            elif roll < 0.45:
                name = f"{rng.choice(words.MODIFIERS)}_{name}"
            return (name, *rest)

        return self.draw(propose)


_KEYS = (("name", "title"), ("name", "person"), ("name", "company"), ("code", "code"), ("title", "title"))


def _invent_table(names: _FreshNames, rng: random.Random, *, key: bool) -> SchemaTable:
    singular = names.entity()
    columns: list[SchemaColumn] = []
    if key:
        name, pool = names.draw(lambda: rng.choice(_KEYS))
        columns.append(
            SchemaColumn("id", "id", low=1, high=999) if rng.random() < 0.3 else SchemaColumn(name, "text", pool)
        )
    columns += [_invent_text(names, rng) for _ in range(rng.choice((1, 1, 2)))]
    columns += [_invent_number(names, rng) for _ in range(rng.choice((2, 2, 3)))]
    columns.append(_invent_category(names, rng))
    return SchemaTable(words.plural_of(singular), singular, tuple(columns))


def _invent_text(names: _FreshNames, rng: random.Random) -> SchemaColumn:
    name, pool = names.attribute(words.TEXT_ATTRIBUTES)
    return SchemaColumn(name, "text", pool)


def _invent_number(names: _FreshNames, rng: random.Random) -> SchemaColumn:
    counted = rng.random() < 0.4
    low, high = rng.choice(words.COUNT_RANGES if counted else words.NUMBER_RANGES)
    names_of_kind = words.COUNTED_ATTRIBUTES if counted else words.NUMBER_ATTRIBUTES
    return SchemaColumn(names.attribute(names_of_kind)[0], "number", low=low, high=high, counted=counted)


def _invent_category(names: _FreshNames, rng: random.Random) -> SchemaColumn:
    name, values = names.attribute(words.CATEGORY_ATTRIBUTES)
    return SchemaColumn(name, "category", values)
