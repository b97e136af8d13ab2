"""Rooms of a class: who may do what, what everybody is told and in which order, and that nothing stays."""

import json

import pytest

from specviz.errors import SpecvizError
from specviz.ui.classroom.rooms import CODE_LENGTH, LETTERS, Rooms
from specviz.ui.serving import limits

PLACE = "view=lessons&lesson=coin"


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def rooms(clock):
    return Rooms(grace=10, clock=clock)


@pytest.fixture
def room(rooms):
    """(code, token, what the teacher is told); the teacher is there."""
    code, token = rooms.open()
    told = []
    rooms.join(code, told.append, token)
    return code, token, told


def attend(rooms, code):
    told = []
    return rooms.join(code, told.append), told


def kinds(told):
    return [message["kind"] for message in told]


def filled(rooms):
    """The codes of MAX_ROOMS classes, each of a network of its own."""
    return {rooms.open(f"network {number}")[0] for number in range(limits.MAX_ROOMS)}


def test_a_code_is_six_letters_that_nobody_misreads(rooms):
    codes = filled(rooms)
    assert len(codes) == limits.MAX_ROOMS == len(rooms)
    assert all(len(code) == CODE_LENGTH == 6 and set(code) <= set(LETTERS) for code in codes)
    assert not set(LETTERS) & set("AEIOUY01")
    with pytest.raises(SpecvizError, match="100 classes at most") as refused:
        rooms.open()
    assert refused.value.code == "too_many"


def test_one_network_leaves_places_for_the_classes_of_others(rooms, clock):
    held = [rooms.open("a") for _ in range(limits.MAX_ROOMS_OF_NETWORK)]
    for code, token in held:
        rooms.join(code, lambda message: None, token)
    for _ in range(100):
        clock.now += 60
        with pytest.raises(SpecvizError, match="Your network has 10 classes here") as refused:
            rooms.open("a")
    assert refused.value.code == "too_many" and len(rooms) == len(held)
    rooms.open("b")
    rooms.end(*held[0])
    rooms.open("a")


def test_one_network_opens_and_ends_classes_at_a_pace(rooms, clock):
    def opens(network="a"):
        rooms.end(*rooms.open(network))

    for _ in range(limits.MAX_OPENED_ROOMS):
        opens()
    for _ in range(3):
        with pytest.raises(SpecvizError, match="many classes one after the other") as refused:
            opens()
        assert refused.value.code == "too_many" and len(rooms) == 0
        opens("b")
        clock.now += limits.ROOM_OPENING_SECONDS + 1
        opens()


def guesses(rooms, number, network="a"):
    """How each of so many wrong codes was refused."""
    said = []
    for at in range(number):
        with pytest.raises(SpecvizError) as refused:
            rooms.join(f"X{at:05}", print, network=network)
        said.append(refused.value.code)
    return said


def test_codes_are_not_guessed(rooms, clock):
    most = limits.MAX_WRONG_CODES
    codes = filled(rooms)
    assert guesses(rooms, most + 500) == ["gone"] * most + ["too_many"] * 500
    said = set()
    for code in (*codes, "XXXXXX"):  # the right ones and a wrong one: nobody can tell them apart
        with pytest.raises(SpecvizError) as refused:
            rooms.join(code, print, network="a")
        said.add(str(refused.value))
    assert said == {"Too many wrong codes came from your network: check the code, and try again in a minute."}
    assert guesses(rooms, 1, "b") == ["gone"]
    clock.now += limits.WRONG_CODE_SECONDS + 0.1
    assert guesses(rooms, 2) == ["gone", "too_many"]


def test_who_guesses_does_not_lock_a_school_out_of_its_own_classes(rooms):
    mine, _ = rooms.open("school")
    theirs, token = rooms.open("elsewhere")
    joined, _ = rooms.open("elsewhere")
    rooms.join(joined, print, network="school")
    guesses(rooms, limits.MAX_WRONG_CODES, "school")
    for code in (mine, joined):
        rooms.join(code, print, network="school")
    rooms.join(theirs, print, token, network="school")  # its teacher may, from anywhere
    rooms.join(theirs, print, network="school")


def test_only_who_joins_is_told_whether_there_is_a_class(rooms, room):
    code, _, _ = room
    acts = (
        lambda code: rooms.publish(code, "guess", "view=race"),
        lambda code: rooms.ask(code, "guess", "?", ["a", "b"], 0, PLACE),
        lambda code: rooms.show(code, "guess"),
        lambda code: rooms.close(code, None),
        lambda code: rooms.end(code, ""),
        lambda code: rooms.join(code, print, "guess"),
        lambda code: rooms.vote(code, "nobody", 1, 0),
        lambda code: rooms.vote(code, None, None, None),
    )
    for act in acts:
        told = []
        for tried in (code, "XXXXXX"):
            with pytest.raises(SpecvizError) as refused:
                act(tried)
            error = refused.value
            told.append((error.code, error.argument, str(error).replace(tried, "CODE")))
        assert told[0] == told[1] and told[0][0] == "not_allowed"


def test_a_full_class_has_a_place_for_its_teacher(rooms, room, clock):
    code, token, _ = room
    for number in range(limits.MAX_STUDENTS):
        rooms.join(code, lambda message: None, network=f"network {number // limits.MAX_STUDENTS_OF_NETWORK}")
    with pytest.raises(SpecvizError, match="is full: it has 160 pages of students") as refused:
        attend(rooms, code)
    assert refused.value.code == "too_many"
    for _ in range(3):  # loads the page again, while the old one is still thought to be there
        told = []
        teacher = rooms.join(code, told.append, token)
    assert told[0]["kind"] == "welcome" and told[0]["students"] == limits.MAX_STUDENTS
    rooms.leave(code, teacher)
    clock.now += 9
    rooms.join(code, told.append, token)
    clock.now += 100
    rooms.tidy()
    assert len(rooms) == 1


def test_of_a_teacher_the_newest_pages_stay(rooms, room):
    code, token, first = room
    told = [[] for _ in range(limits.MAX_TEACHER_PAGES)]
    names = [rooms.join(code, one.append, token) for one in told]
    assert first[-1] == {"kind": "ended", "text": "The class goes on in other pages of its teacher."}
    rooms.publish(code, token, "view=race")
    assert [one[-1]["kind"] for one in told] == ["screen"] * len(told) and first[-1]["kind"] == "ended"
    for name in names:
        rooms.leave(code, name)
    assert vars(rooms)["_rooms"][code].alone is not None


def test_one_network_does_not_fill_a_class(rooms, room):
    code, _, _ = room
    for _ in range(limits.MAX_STUDENTS_OF_NETWORK):
        rooms.join(code, lambda message: None, network="a")
    with pytest.raises(SpecvizError, match="80 pages of students from your network") as refused:
        rooms.join(code, print, network="a")
    assert refused.value.code == "too_many"
    rooms.join(code, lambda message: None, network="b")


def test_the_pages_of_a_browser_have_one_vote(rooms, room):
    code, token, teacher = room
    pages = [rooms.join(code, lambda message: None, browser="one") for _ in range(79)]
    other, _ = attend(rooms, code)
    rooms.ask(code, token, "?", ["a", "b"], 0, PLACE)
    rooms.show(code, token)
    rooms.vote(code, other, 1, 0)
    for page in pages:
        rooms.vote(code, page, 1, 1)
    assert teacher[-1]["poll"]["tally"] == [1, 1] and teacher[-1]["poll"]["votes"] == 2
    for page in pages[1:]:
        rooms.leave(code, page)
    assert teacher[-1]["poll"]["tally"] == [1, 1]
    rooms.leave(code, pages[0])
    assert teacher[-1]["poll"]["tally"] == [1, 0]


def test_a_student_gets_the_screen_as_it_is_and_every_one_after_it_in_order(rooms, room, clock):
    code, token, teacher = room
    rooms.publish(code, token, "view=race", 1.5)
    member, told = attend(rooms, code.lower())
    welcome = told[0]
    assert welcome["kind"] == "welcome" and welcome["code"] == code and welcome["member"] == member
    assert welcome["screen"] == {"address": "view=race", "moment": 1.5} and welcome["poll"] is None
    assert teacher[-1] == {"kind": "room", "students": 1, "poll": None}
    for number in range(30):
        clock.now += 0.11
        rooms.publish(code, token, f"view=lessons&step={number}")
    assert [one["screen"]["address"] for one in told[1:]] == [f"view=lessons&step={number}" for number in range(30)]


def test_a_vote_counts_once_and_the_newest_counts(rooms, room):
    code, token, teacher = room
    students = [attend(rooms, code) for _ in range(3)]
    rooms.ask(code, token, "Stays or goes?", ["It stays.", "It goes."], 0, PLACE)
    poll = students[0][1][-1]["poll"]
    assert poll == {
        "number": 1,
        "question": "Stays or goes?",
        "choices": ["It stays.", "It goes."],
        "about": PLACE,
        "votes": 0,
        "tally": None,
        "right": None,
    }
    for choice in (0, 1, 0):
        rooms.vote(code, students[0][0], 1, choice)
    rooms.vote(code, students[1][0], 1, 1)
    assert teacher[-1]["poll"]["votes"] == 2 and teacher[-1]["poll"]["tally"] is None
    assert kinds(students[2][1]) == ["welcome", "room"]  # before the tally is shown nobody hears of votes
    rooms.show(code, token)
    assert {tuple(told[-1]["poll"]["tally"]) for _, told in students} == {(1, 1)}
    rooms.vote(code, students[2][0], 1, 1)
    assert {tuple(told[-1]["poll"]["tally"]) for _, told in students} == {(1, 2)}
    rooms.ask(code, token, "And now?", ["a", "b", "c"], 0, PLACE)
    assert students[0][1][-1]["poll"]["number"] == 2 and teacher[-1]["poll"]["votes"] == 0
    rooms.close(code, token)
    assert students[0][1][-1]["poll"] is None


def test_the_answer_is_told_when_the_teacher_says_so_and_ends_the_vote(rooms, room):
    code, token, teacher = room
    member, told = attend(rooms, code)
    with pytest.raises(SpecvizError, match="has not been asked a question"):
        rooms.answer(code, token)
    rooms.ask(code, token, "?", ["a", "b"], 1, PLACE)
    rooms.vote(code, member, 1, 0)
    rooms.show(code, token)
    assert [message["poll"]["right"] for message in (*told[1:], *teacher[2:])] == [None] * (
        len(told) + len(teacher) - 3
    )
    rooms.answer(code, token)
    for page in (told, teacher):
        assert (page[-1]["poll"]["right"], page[-1]["poll"]["tally"]) == (1, [1, 0])
    with pytest.raises(SpecvizError, match="no more votes") as refused:
        rooms.vote(code, member, 1, 1)
    assert refused.value.code == "gone" and teacher[-1]["poll"]["tally"] == [1, 0]
    rooms.ask(code, token, "?", ["a", "b"], 1, PLACE)
    assert told[-1]["poll"]["right"] is None


@pytest.mark.parametrize("right", [-1, 2, None, "1", True, 1.0])
def test_a_question_has_a_right_answer_among_its_choices(rooms, room, right):
    with pytest.raises(SpecvizError, match="right must be from 0 to 1"):
        rooms.ask(*room[:2], "?", ["a", "b"], right, PLACE)
    assert kinds(room[2]) == ["welcome"]


@pytest.mark.parametrize("about", [None, "https://evil.example", "view=<b>", 3])
def test_a_question_is_about_a_place_on_the_page(rooms, room, about):
    with pytest.raises(SpecvizError, match="address must be the query of an address"):
        rooms.ask(*room[:2], "?", ["a", "b"], 0, about)


def test_with_a_student_goes_all_that_was_known_of_them(rooms, room):
    code, token, teacher = room
    member, _ = attend(rooms, code)
    rooms.ask(code, token, "?", ["a", "b"], 0, PLACE)
    rooms.vote(code, member, 1, 0)
    rooms.leave(code, member)
    assert teacher[-1] == {"kind": "room", "students": 0, "poll": teacher[-1]["poll"]}
    assert teacher[-1]["poll"]["votes"] == 0
    assert member not in repr(vars(rooms))
    with pytest.raises(SpecvizError, match="Only the students"):
        rooms.vote(code, member, 1, 0)
    rooms.leave(code, member)
    rooms.leave("XXXX", member)


def test_the_room_ends_with_the_teacher(rooms, clock):
    code, token = rooms.open()
    _, told = attend(rooms, code)
    teacher = rooms.join(code, lambda message: None, token)
    clock.now += 1000
    rooms.tidy()
    assert len(rooms) == 1
    rooms.leave(code, teacher)
    clock.now += 9
    again = rooms.join(code, lambda message: None, token)  # loaded the page again
    clock.now += 9
    rooms.tidy()
    rooms.leave(code, again)
    clock.now += 11
    rooms.tidy()
    assert len(rooms) == 0 and told[-1] == {"kind": "ended", "text": "The class has ended: its teacher has gone."}
    with pytest.raises(SpecvizError) as refused:
        attend(rooms, code)
    assert refused.value.code == "gone"


def test_it_ends_when_the_teacher_says_so_and_after_hours(rooms, room, clock):
    code, token, _ = room
    _, told = attend(rooms, code)
    rooms.end(code, token)
    assert told[-1] == {"kind": "ended", "text": "The class has ended."} and len(rooms) == 0
    code, token = rooms.open()
    rooms.join(code, told.append, token)
    clock.now += limits.MAX_ROOM_SECONDS
    rooms.tidy()
    assert told[-1]["text"] == "The class has ended: it lasted 4 hours." and len(rooms) == 0


def test_a_room_whose_teacher_never_came_ends(rooms, clock):
    rooms.open()
    clock.now += 10
    rooms.tidy()
    assert len(rooms) == 0


def test_only_the_token_teaches(rooms, room):
    code, token, _ = room
    other, foreign = rooms.open()
    member, _ = attend(rooms, code)
    for wrong in (None, "", token[:-1], token + "a", foreign, member, "é", "\ud800", 3, [token]):
        for call in (
            lambda wrong: rooms.publish(code, wrong, "view=race"),
            lambda wrong: rooms.ask(code, wrong, "?", ["a", "b"], 0, PLACE),
            lambda wrong: rooms.show(code, wrong),
            lambda wrong: rooms.close(code, wrong),
            lambda wrong: rooms.end(code, wrong),
        ):
            with pytest.raises(SpecvizError, match="Only who opened the class") as refused:
                call(wrong)
            assert (refused.value.argument, refused.value.code) == ("token", "not_allowed")
    with pytest.raises(SpecvizError, match="Only who opened"):
        rooms.join(code, print, "guess")
    assert len(rooms) == 2 and other != code


LONG = "a" * (limits.MAX_ADDRESS_CHARACTERS + 1)


@pytest.mark.parametrize(
    "address",
    [None, 3, ["view=race"], LONG, "//evil.example/", "https://evil", "javascript:alert(1)", "a b", "<", "ä"],
)
def test_an_address_is_a_query_and_nothing_else(rooms, room, address):
    code, token, told = room
    with pytest.raises(SpecvizError, match="^address must be the query") as refused:
        rooms.publish(code, token, address)
    assert refused.value.argument == "address" and kinds(told) == ["welcome"] and len(str(refused.value)) < 300


@pytest.mark.parametrize("moment", [-1, 1e9, float("nan"), float("inf"), "1", True, [], 10**400])
def test_a_moment_is_seconds(rooms, room, moment):
    with pytest.raises(SpecvizError, match="^moment must be seconds from 0 to 1000000"):
        rooms.publish(*room[:2], "view=race", moment)


@pytest.mark.parametrize(
    "question, choices, argument",
    [
        ("", ["a", "b"], "question"),
        (" ", ["a", "b"], "question"),
        (None, ["a", "b"], "question"),
        ("?" * (limits.MAX_QUESTION_CHARACTERS + 1), ["a", "b"], "question"),
        ("?", ["a"], "choices"),
        ("?", ["a"] * (limits.MAX_CHOICES + 1), "choices"),
        ("?", "ab", "choices"),
        ("?", ["a", ""], "choices"),
        ("?", ["a", 1], "choices"),
        ("?", ["a", "b" * (limits.MAX_CHOICE_CHARACTERS + 1)], "choices"),
    ],
)
def test_a_question_has_words_and_choices(rooms, room, question, choices, argument):
    with pytest.raises(SpecvizError) as refused:
        rooms.ask(*room[:2], question, choices, 0, PLACE)
    assert refused.value.argument == argument and kinds(room[2]) == ["welcome"]


def test_a_vote_is_one_of_the_choices_in_the_question_on_screen(rooms, room):
    code, token, _ = room
    member, _ = attend(rooms, code)
    with pytest.raises(SpecvizError, match="This question is over") as refused:
        rooms.vote(code, member, 1, 0)
    assert refused.value.code == "gone"
    rooms.ask(code, token, "?", ["a", "b"], 0, PLACE)
    for poll in (0, 2, None, "1", True, 1.0):
        with pytest.raises(SpecvizError, match="This question is over"):
            rooms.vote(code, member, poll, 0)
    for choice in (-1, 2, None, "0", True, 0.0, 10**5000):
        with pytest.raises(SpecvizError, match="^choice must be from 0 to 1"):
            rooms.vote(code, member, 1, choice)
    with pytest.raises(SpecvizError, match="has not been asked a question"):
        rooms.close(code, token)
        rooms.show(code, token)


def test_the_teacher_has_no_vote(rooms):
    code, token = rooms.open()
    teacher = rooms.join(code, lambda message: None, token)
    rooms.ask(code, token, "?", ["a", "b"], 0, PLACE)
    for nobody in (teacher, "x", None, [], 3):
        with pytest.raises(SpecvizError, match="Only the students") as refused:
            rooms.vote(code, nobody, 1, 0)
        assert refused.value.code == "not_allowed"


def test_screens_and_votes_are_bounded(rooms, room, clock):
    code, token, _ = room
    for _ in range(limits.MAX_SCREENS_A_SECOND):
        rooms.publish(code, token, "view=race")
    with pytest.raises(SpecvizError, match="10 screens a second at most") as refused:
        rooms.publish(code, token, "view=race")
    assert refused.value.code == "too_many"
    clock.now += 1
    rooms.publish(code, token, "view=race")
    member, _ = attend(rooms, code)
    rooms.ask(code, token, "?", ["a", "b"], 0, PLACE)
    for _ in range(limits.MAX_VOTES_A_SECOND):
        rooms.vote(code, member, 1, 0)
    with pytest.raises(SpecvizError, match="5 votes a second at most"):
        rooms.vote(code, member, 1, 1)


@pytest.mark.parametrize("code", ["", "XXXX", "ABCDE", None, 3, [], "é", "\ud800", "x" * 10_000])
def test_there_are_no_other_rooms(rooms, room, code):
    with pytest.raises(SpecvizError, match="^There is no class") as refused:
        attend(rooms, code)
    assert refused.value.code == "gone" and len(str(refused.value)) < 200


def test_everything_told_is_json(rooms, room):
    code, token, teacher = room
    attend(rooms, code)
    rooms.ask(code, token, "“\ud800”: stays or goes?", ["a", "b"], 0, PLACE)
    rooms.show(code, token)
    rooms.end(code, token)
    for message in teacher:
        json.dumps(message)
    assert kinds(teacher) == ["welcome", "room", "room", "room", "ended"]
