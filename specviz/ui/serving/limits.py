"""What the page allows: the bounds of a run and of a visit, in one place."""

MAX_PROMPT_CHARACTERS = 8_000
MAX_NEW_TOKENS = 512
MAX_TURNS = 20  # of a conversation, before the prompt: a question and its answer each
MAX_TURNS_CHARACTERS = 24_000  # of all of them
MAX_SYSTEM_CHARACTERS = 2_000  # what the models are told to be
MAX_SEED = 2**31 - 1
MIN_LANES = 2
MAX_LANES = 4

MAX_WAITING_RUNS = 120  # the queue of one device: two classes
MAX_UNHEARD = 2 * MAX_WAITING_RUNS  # calls of one function that wait for somebody to listen to them
MAX_TOGETHER = 4  # runs that take turns on a device; each keeps its own caches there
MAX_RUNS_OF_SESSION = 2  # running and waiting, of one page
MAX_RUNS_OF_ADDRESS = 80  # of one address, which a whole school may share
SLICE = 0.1  # seconds that a run keeps the device while others want it; one iteration at least
RUN_SECONDS = 60.0  # of the device that one run may use
MAX_OUTCOMES = 2_000  # ways in which a verdict on one forest may end, when all are walked
VERDICT_SECONDS = 10.0  # of the processor that one verdict may use
MAX_VERDICTS = 16  # verifiers that one call asks about one forest
MAX_FOREST_OUTCOMES = 20_000  # the same on the page, where one verdict is worked out at a time and no device is held
MAX_FOREST_NODES = 64  # guesses of a forest drafted to be judged by every verifier
MAX_KEPT_FORESTS = 12  # of those and of recorded ones; each holds the target's distribution at every node
MAX_SESSIONS = 24  # of which gradio remembers the last values; nothing of ours asks for them
MAX_ANSWER_BYTES = 24_000_000  # of finished steps for the Microscope, as JSON: some hundreds of them
MAX_KEPT_BYTES = 32_000_000  # of all finished runs, packed: two hundred races of three lanes and 64 tokens
MAX_VISITORS_BYTES = 8_000_000  # of those of one page
MAX_UNPACKED_RUNS = 6  # of races, and of opened files: those last looked at, which are objects besides
MAX_STORED_BYTES = 2_000_000_000  # of runs kept on disk, packed
MAX_RECIPES = 2_000  # runs that can be made again once they are gone: what they were made from
MAX_KEPT_FILES = 24  # opened files
MAX_OPENED_BYTES = 8_000_000  # of all opened files together, packed
MAX_TRACE_BYTES = 8_000_000  # of one file that a visitor opens
MAX_BODIES_BYTES = 48_000_000  # of all requests that are being read or answered
MAX_REQUEST_BYTES = 12_000_000  # a file of MAX_TRACE_BYTES inside a request: its quotes are escaped
MAX_FORM_BYTES = 200_000  # of a request that brings no file: a prompt of which every character is escaped, and options
MAX_LOGIN_BYTES = 4_000
MAX_BODY_PARTS = 20_000  # texts, and values in lists and objects, of a request
MAX_BODY_DEPTH = 32

MAX_OPENED_PARTS = 300_000  # lists and objects in a file that a visitor opens, three times those of any trace
MAX_OPENED_ITERATIONS = 2_000  # of a trace that a visitor opens; the page's own runs stay far below all of these
MAX_OPENED_TOKENS = 4_000  # written by it
MAX_OPENED_NODES = 600  # drafted in one iteration
MAX_OPENED_DECISIONS = 2_000  # in one iteration
MAX_OPENED_BEAMS = 64  # at one end of one iteration
MAX_OPENED_WORDS = 50_000  # characters that the header says about method and models, which every view repeats
MAX_SAVED_BYTES = 32_000_000  # of a file that the page makes: a step as HTML, a lane's trace

MAX_SWEEP_RUNS = 2_000  # of one sweep on the page
MAX_SWEEP_PROMPTS = 200
MAX_SWEEP_SEEDS = 100
MAX_SWEEP_CHARTS = 8
MAX_SWEEP_NAME = 200  # characters of a question_id, and of a category: every row repeats them
MAX_SWEEP_FILE_BYTES = 4_000_000  # of prompts: 200 long ones
MAX_GRID_CHARACTERS = 20_000
MAX_SWEEP_SECONDS = 3600.0  # of the device that one sweep may use until it is told to go on
MAX_RUNNING_SWEEPS = 4  # of all visitors
MAX_SWEEPS_OF_ADDRESS = 2  # running, of one address
MAX_STARTED_SWEEPS = (
    10  # that one network may begin, or go on with, one after the other; one more each SWEEP_STARTING_SECONDS
)
SWEEP_STARTING_SECONDS = 15.0
MAX_SWEEPS = 60  # that are done and kept
MAX_UNFINISHED_SWEEPS = 20  # that ended before their last run and are kept
MAX_SWEEPS_BYTES = 300_000_000  # of the files of both
SWEEP_KEPT_SECONDS = 24 * 3600.0  # since somebody asked for it, where the server keeps nothing beyond its own end

MAX_ROOMS = 100  # classes at the same time
MAX_ROOMS_OF_NETWORK = 10  # of those, of one network: the teachers of a school
MAX_OPENED_ROOMS = 20  # that one network may open one after the other; one more each ROOM_OPENING_SECONDS
ROOM_OPENING_SECONDS = 30.0
MAX_STUDENTS = 160  # students' pages in one class
MAX_STUDENTS_OF_NETWORK = 80  # of those, of one network
MAX_TEACHER_PAGES = 4  # of one class, besides; the newest of them stay
MAX_WRONG_CODES = 60  # that one network may try: a class that mistypes; one more each WRONG_CODE_SECONDS
WRONG_CODE_SECONDS = 5.0
MAX_SCREENS_A_SECOND = 10  # that a teacher's page may publish
MAX_VOTES_A_SECOND = 5  # of one student
MAX_ADDRESS_CHARACTERS = 8_000  # of a screen that a class follows
MAX_QUESTION_CHARACTERS = 1_000
MAX_CHOICE_CHARACTERS = 500
MAX_CHOICES = 6
MAX_UNREAD = 256  # messages that wait for one page; a page that reads no faster begins again with the present state
MAX_ROOM_REQUEST_BYTES = 20_000
ROOM_GRACE_SECONDS = 20.0  # that a class goes on without its teacher: time to load the page again
MAX_ROOM_SECONDS = 4 * 3600.0

MAX_COUNTED_NETWORKS = 4_000  # whose wrong passwords and codes are counted
MAX_LOGINS = 4_000  # visitors who stay logged in at the same time
MAX_LOGIN_WAITING = 20  # tries of one address that wait for their answer

MAX_CONNECTIONS = 2_000  # at the same time, where the system has file handles for them
MAX_CONNECTIONS_OF_ADDRESS = 600  # a class of sixty behind one address: a page opens up to six, and keeps two or three
