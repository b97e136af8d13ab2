"""Prompts for a chat model, made from templates, for training a draft without prompts of one's own.

Twelve kinds of request over some three hundred subjects, and tasks over passages of a text: to summarize, to continue,
to answer from. Which ones come is a function of the number alone, so a training that was interrupted asks the same.
"""

import random
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from specviz.zoo.draft.answers import DraftQuestion, read_questions, text_of

MADE = 16_000
PASSAGE = (400, 1600)  # characters of a passage, least and most

_THINGS = """
a volcano; photosynthesis; the water cycle; black holes; gravity; inflation; democracy; the French Revolution; the
Roman Empire; vaccines; the immune system; DNA; evolution; plate tectonics; climate change; solar panels; wind
turbines; batteries; electric cars; the internet; encryption; machine learning; neural networks; databases;
operating systems; compilers; recursion; sorting algorithms; hash tables; version control; open source software;
supply and demand; compound interest; the stock market; insurance; taxes; credit cards; budgeting; jazz; classical
music; the piano; the guitar; opera; hip hop; painting; sculpture; photography; architecture; poetry; novels;
Shakespeare; Greek mythology; Norse mythology; Buddhism; Stoicism; ethics; logic; probability; statistics; calculus;
prime numbers; the Pythagorean theorem; fractions; geometry; chess; football; basketball; tennis; swimming; running;
yoga; meditation; sleep; nutrition; protein; vitamins; bread; cheese; coffee; tea; chocolate; pasta; sushi; curry;
gardening; compost; bees; butterflies; whales; dolphins; elephants; penguins; wolves; cats; dogs; horses; spiders;
dinosaurs; the ocean; coral reefs; rainforests; deserts; mountains; rivers; glaciers; earthquakes; hurricanes;
tornadoes; rainbows; lightning; the moon; Mars; Jupiter; comets; the Milky Way; satellites; rockets; airplanes;
trains; bicycles; bridges; the wheel; the printing press; the telephone; radio; television; video games; social
media; email; job interviews; resumes; leadership; teamwork; time management; public speaking; negotiation;
friendship; parenting; marriage; grief; happiness; anxiety; motivation; procrastination; habits; memory; language
learning; translation; grammar; punctuation; homeschooling; universities; scholarships; libraries; museums; tourism;
Paris; London; Tokyo; New York; Rome; Egypt; India; China; Brazil; Australia; Canada; Germany; Mexico; South Africa;
Antarctica; the Silk Road; the Industrial Revolution; World War II; the Cold War; the Renaissance; the Middle Ages;
slavery; women's suffrage; human rights; the United Nations; constitutions; elections; courts; police; fire safety;
first aid; broken bones; the heart; the brain; the liver; the lungs; blood pressure; diabetes; cancer; antibiotics;
viruses; bacteria; atoms; molecules; acids and bases; metals; plastics; glass; paper; cotton; steel; concrete; oil;
nuclear power; magnets; electricity; sound; light; lasers; lenses; telescopes; microscopes; thermometers; clocks;
calendars; maps; compasses; sailing; fishing; hiking; camping; cooking; baking; knitting; woodworking; pottery;
fashion; jewelry; perfume; soap; recycling; plumbing; interior design; real estate; farming; tractors; irrigation;
drought; forests; wildfires; national parks; zoos; circuses; theater; cinema; comedy; cartoons; comics; robots;
drones; virtual reality; smartphones; keyboards; spreadsheets; web design; cloud computing; cybersecurity;
passwords; privacy; copyright; patents; startups; marketing; customer service; accounting; logistics; unemployment;
globalization; poverty; volunteering; charity; gift giving; birthdays; weddings; holidays; winter; spring; summer;
autumn; snow; rain; clouds; wind
"""
_FACTS = """
capital of {place}; population of {place}; official language of {place}; currency of {place}; largest city in
{place}; longest river in {place}; highest mountain in {place}; national dish of {place}; flag of {place}; climate
of {place}
"""
_PLACES = """
France; Japan; Italy; Kenya; Peru; Norway; Turkey; Greece; Vietnam; Portugal; Argentina; Morocco; Iceland; Poland;
Thailand; Chile; Nigeria; Sweden; Ireland; Egypt; South Korea; Spain; the Netherlands; Indonesia; Cuba; Ukraine;
Switzerland; New Zealand; Ghana; Iran
"""
_WHO = """
invented the telephone; wrote Hamlet; painted the Mona Lisa; discovered penicillin; was the first person on the
moon; composed the Ninth Symphony; founded Microsoft; wrote the Odyssey; developed the theory of relativity; sang in
the most famous rock bands; directed the first sound film; won the first football world cup; built the pyramids;
discovered America; wrote Pride and Prejudice; invented the light bulb; was the first president of the United
States; designed the Eiffel Tower; plays the detective in most crime series; wrote the first novel
"""
_WHEN = """
did the Second World War end; was the printing press invented; did the Berlin Wall fall; was the first email sent;
did humans first reach the South Pole; was the Declaration of Independence signed; did dinosaurs live; was the Great
Wall of China built; does the new school year start in most countries; is the next total solar eclipse usually
announced; was the first computer built; did Rome fall
"""
_ROLES = """
a pirate; a medieval knight; a detective; a grumpy chef; a robot from the future; a kindergarten teacher; a sports
commentator; a wise old wizard; a travel guide; a doctor; a lawyer; a physicist; a stand-up comedian; a news anchor;
a famous painter; a cat; an astronaut; a gardener; a personal trainer; a librarian; an economist; a film critic; a
ship's captain; a history teacher
"""
_FORMS = """
short story; poem; haiku; song; limerick; blog post; speech; letter; dialogue; product description; press release;
diary entry; news article; fairy tale; advertisement; recipe; sonnet; review; persuasive essay; bedtime story; movie
plot; job advertisement; email
"""
_TONES = "funny; sad; formal; friendly; dramatic; simple; poetic; concise; enthusiastic; ironic; warm; mysterious"
_READERS = "a five-year-old; a beginner; a high school student; an expert; my grandmother; a manager; a tourist"
_PEOPLE = """
Anna; Ben; Carla; David; Elena; Farid; Grace; Hiro; Ines; Jonas; Kofi; Lena; Marco; Nadia; Omar; Priya; Quinn; Rosa;
Sam; Tara; Uma; Victor; Wen; Yusuf; Zoe
"""
_GOODS = (
    "apples; books; pencils; tickets; marbles; cookies; stamps; flowers; eggs; bottles; chairs; stickers; shirts; coins"
)
_CODE = """
reverses a string; checks whether a number is prime; computes the n-th Fibonacci number; sorts a list by bubble
sort; finds the largest number in a list; counts the words of a text; removes duplicates from a list; checks whether
a word is a palindrome; merges two sorted lists; reads a CSV file; computes the factorial of a number; converts
Celsius to Fahrenheit; finds common elements of two arrays; implements binary search; prints a multiplication table;
validates an email address; computes an average; flattens a nested list; counts vowels; generates a random password;
implements a stack; implements a queue; traverses a binary tree; finds the shortest path in a graph; downloads a web
page; parses JSON; rotates a matrix; computes the greatest common divisor; checks balanced parentheses; shuffles a
deck of cards; finds the longest common prefix; draws a triangle of stars; connects to a database; sums the digits
of a number; finds anagrams
"""
_LANGUAGES = "Python; Python; Python; JavaScript; Java; C++; C; SQL; Go; Rust; HTML; Bash"
_GERMAN = """
Der Präsident; Die Regierung; Ein Sprecher der Firma; Die Polizei; Der Trainer; Das Unternehmen; Die Stadt; Der
Minister; Eine neue Studie; Die Schule; Der Verein; Das Museum; Die Europäische Union; Der Bürgermeister; Die Bank;
Ein Zeuge; Das Gericht; Die Forscher
"""
_GERMAN_DOES = """
sagte am Montag; erklärte am Freitag; teilte gestern mit; betonte in einem Interview; kündigte an; bestätigte am
Abend; warnte davor; hofft; glaubt nicht; hat beschlossen
"""
_GERMAN_WHAT = """
dass die Preise im nächsten Jahr steigen werden; dass das Spiel wegen des Wetters verschoben wird; dass mehr als
tausend Menschen an der Veranstaltung teilnehmen; dass die neue Brücke im Sommer eröffnet wird; dass niemand
verletzt wurde; dass viele Touristen in die Stadt kommen; dass die Kinder mehr lesen sollten; dass der Zug pünktlich
ist; dass die Wahlen im Herbst stattfinden; dass die Krise noch nicht vorbei ist; dass das Projekt zwei Millionen
Euro kostet; dass Kaffee gut für das Herz sein kann; dass die Arbeiter bessere Löhne fordern; dass das alte Haus
verkauft wird; dass ein Bär im Wald gesehen wurde; dass die Mannschaft den Titel verteidigen will
"""


def _items(text: str) -> list[str]:
    return [" ".join(item.split()) for item in text.split(";")]


_LISTS = {
    name: _items(text)
    for name, text in {
        "thing": _THINGS,
        "fact": _FACTS,
        "place": _PLACES,
        "who": _WHO,
        "when": _WHEN,
        "role": _ROLES,
        "form": _FORMS,
        "tone": _TONES,
        "reader": _READERS,
        "person": _PEOPLE,
        "goods": _GOODS,
        "code": _CODE,
        "language": _LANGUAGES,
        "german": _GERMAN,
        "german_does": _GERMAN_DOES,
        "german_what": _GERMAN_WHAT,
    }.items()
}
_LISTS |= {"other": _LISTS["thing"], "friend": _LISTS["person"], "other_role": _LISTS["role"]}
_LISTS["german_what_else"] = _LISTS["german_what"]

_TEMPLATES: dict[str, list[str]] = {
    "question": [
        "What is the {fact}?",
        "What is the {fact}, and what else should I know about it?",
        "Who {who}?",
        "When {when}?",
        "Tell me something about {place}.",
        "What is {place} known for?",
        "Where is {place}, and how do people live there?",
        "How old is {thing}?",
        "What does {thing} mean?",
        "where does the word for {thing} come from",
        "how many kinds of {thing} are there",
        "what is the difference between {thing} and {other}",
    ],
    "explain": [
        "Explain {thing} to {reader}.",
        "How does {thing} work?",
        "Why is {thing} important?",
        "What are the advantages and disadvantages of {thing}?",
        "Compare {thing} and {other}.",
        "Describe the history of {thing} in a few paragraphs.",
        "What are common misconceptions about {thing}?",
        "How are {thing} and {other} related?",
        "In simple terms, what is {thing}? Give an example.",
        "Discuss the impact of {thing} on society.",
        "What would happen if there were no {thing}?",
    ],
    "writing": [
        "Write a {form} about {thing}.",
        "Write a {tone} {form} about {thing}.",
        "Write a {tone} {form} in which {thing} and {other} both play a part.",
        "Compose a {form} for {reader} about {thing}.",
        "Draft an email to {person} that asks about {thing}.",
        "Write the opening paragraph of a novel about {thing}.",
        "Once upon a time in {place}, there was a {goods} seller called {person}. Continue the story.",
        "Give me a title and an outline for an article on {thing}.",
    ],
    "roleplay": [
        "Pretend to be {role}. Tell me about {thing}.",
        "You are {role}. How would you explain {thing}?",
        "Act as {role} and give me advice on {thing}.",
        "Imagine {role} talks with {other_role} about {thing}. Write what they say.",
    ],
    "list": [
        "List five facts about {thing}.",
        "Give me ten ideas for {thing}.",
        "What are three tips on {thing}?",
        "Name the most important people in the field of {thing}.",
        "Make a step-by-step plan to learn about {thing}.",
        "Suggest a schedule for a weekend in {place}.",
        "What should I pack for a trip to {place}?",
        "Give me a quiz of five questions about {thing}, with answers.",
    ],
    "coding": [
        "Write a {language} function that {code}.",
        "Write a {language} program that {code}, and explain how it works.",
        "How do I write code that {code} in {language}?",
        "Show me an example of {language} code that {code}. Add comments.",
        "Implement a {language} class that {code}.",
        "Write tests for a {language} function that {code}.",
    ],
    "math": [
        "{person} has {a} {goods} and gives {b} of them to {friend}. How many {goods} does {person} have left?",
        "{person} buys {b} {goods} at ${c} each and pays with a ${a} bill. How much change is there?",
        "A train travels {a} miles in {b} hours. What is its average speed?",
        "{person} is {b} years old and {friend} is {c} times as old. How old are they together?",
        "What is {a} times {b}? Show your work.",
        "What is {b} percent of {a}00?",
        "A rectangle is {a} cm long and {b} cm wide. What are its area and its perimeter?",
        "Solve for x: {b}x + {c} = {a}.",
        "{person} reads {b} pages a day. How many days does a book of {a}0 pages take?",
        "If {b} workers need {c} days for a job, how long do {c} workers need? Explain step by step.",
        "The sum of two numbers is {a} and their difference is {b}. Find the numbers.",
        "A bag has {b} red and {c} blue balls. What is the probability of drawing a red one?",
    ],
    "reasoning": [
        "{person} is taller than {friend}, and {friend} is taller than Max. Who is the shortest? Explain.",
        "All {goods} in the box are red. This thing is red. Does it come from the box? Explain your reasoning.",
        "If it rains, {person} stays at home. {person} is not at home. Is it raining?",
        "{person} says that {thing} matters more than {other}. Give arguments for and against.",
        "Which does not belong: {thing}, {other}, {goods}? Why?",
    ],
    "translation": [
        "Translate German to English: {german} {german_does}, {german_what}.",
        "Translate German to English: {german} {german_does}, {german_what} und {german_what_else}.",
        "Translate into English: {german} {german_does}, {german_what}.",
        "Translate to French: I would like to learn more about {thing}.",
    ],
    "extraction": [
        'Which people and places are named? "{person} and {friend} went to {place} to see {thing}." Answer as JSON.',
        "Sort these words alphabetically: {thing}, {other}, {goods}, {form}.",
        'Rate this review from 1 to 5: "{person} bought the {goods} and found them {tone}."',
        "Classify each word as a place, a thing or a person: {person}, {place}, {goods}.",
    ],
    "rewrite": [
        'Rewrite this in a {tone} tone: "{person} never cared about {thing}, but {friend} talks of nothing else."',
        'Correct the grammar: "Me and {person} was going to {place} for see {thing}."',
        'Make this sentence shorter: "In my opinion, I think that {thing} is something really very interesting."',
        'Turn this into a question: "{person} learned everything about {thing} in {place}."',
    ],
    "chat": [
        "Hi! I am {person}. What can you do?",
        "I feel sad today because of {thing}. Can you cheer me up?",
        "Hello, I'd like to talk about {thing}.",
        "Tell me a joke about {thing}.",
        "What do you think about {thing}?",
        "Can you recommend something to read about {thing}?",
        "I have to give a talk on {thing} tomorrow. Help me!",
        "thanks! and what about {thing}?",
    ],
}
_WEIGHTS = {"question": 3, "explain": 3, "writing": 3, "coding": 3, "math": 3, "translation": 2, "list": 2}
_OVER_PASSAGES = {
    "summarization": ["Summarize: {passage}", "Summarize the following text in three sentences.\n\n{passage}"],
    "continuation": ["{passage}", "Continue this story: {passage}"],
    "reading": [
        "{passage}\n\nWho is the text about, and what happens?",
        "Answer from the text alone: what is the most important thing in it?\n\n{passage}",
        "{passage}\n\nQuestion: what would be a good title for this? Explain.",
    ],
}


def prompts_for(files: Iterable[str | Path], made: int = MADE) -> list[DraftQuestion]:
    """Those of JSON lines (see read_questions), as they are; texts (.txt, .md) are passages that ``made`` prompts from
    templates ask about, too, and where there are no JSON lines prompts are made in any case. Raises SpecvizError naming
    a file that is neither."""
    lines, texts = [], []
    for file in map(Path, files):
        (texts if file.suffix in (".txt", ".md") else lines).append(file)
    passages = [passage for file in texts for passage in passages_of(text_of(file))]
    return read_questions(lines) + (made_prompts(made, passages) if texts or not lines else [])


def made_prompts(count: int, passages: Sequence[str] = ()) -> list[DraftQuestion]:
    """``count`` prompts of all kinds, each different; with ``passages`` (see passages_of) a third of them are tasks
    over those. The first n of a longer list are the list of n."""
    prompts: dict[str, DraftQuestion] = {}
    number = 0
    while len(prompts) < count and number < 20 * count:
        draw = random.Random(f"specviz prompt {number}")
        number += 1
        kind, text = _over(draw, passages) if passages and draw.random() < 1 / 3 else _filled(draw)
        prompts.setdefault(text, DraftQuestion(f"made-{number}", kind, text))
    return list(prompts.values())


def passages_of(text: str) -> Iterator[str]:
    """Pieces of ``text`` of ``PASSAGE`` characters, of whole paragraphs (a line each), short and long in turn."""
    least, most = PASSAGE
    draw, paragraphs, size = random.Random(len(text)), [], 0
    aim = least
    for paragraph in filter(None, map(str.strip, text.split("\n"))):
        if size + len(paragraph) <= most:
            paragraphs.append(paragraph)
            size += len(paragraph) + 1
        if size >= aim:
            yield "\n".join(paragraphs)
            paragraphs, size, aim = [], 0, round(least * (most / least) ** draw.random() / 1.3)


def _over(draw: random.Random, passages: Sequence[str]) -> tuple[str, str]:
    kind = draw.choice(list(_OVER_PASSAGES))
    return kind, draw.choice(_OVER_PASSAGES[kind]).format(passage=draw.choice(passages))


def _filled(draw: random.Random) -> tuple[str, str]:
    kinds = list(_TEMPLATES)
    kind = draw.choices(kinds, [_WEIGHTS.get(kind, 1) for kind in kinds])[0]
    numbers = {"a": draw.randint(20, 99), "b": draw.randint(2, 12), "c": draw.randint(2, 9)}
    filled = {name: draw.choice(choices) for name, choices in _LISTS.items()}
    filled |= {name: str(number) for name, number in numbers.items()}
    text = draw.choice(_TEMPLATES[kind]).format_map(filled)
    return kind, text.format_map(filled)  # a subject may contain a placeholder
