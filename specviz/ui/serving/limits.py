"""What the page allows: the bounds of a run and of a visit, in one place."""

MAX_PROMPT_CHARACTERS = 8_000
MAX_NEW_TOKENS = 256
MAX_SEED = 2**31 - 1
MIN_LANES = 2
MAX_LANES = 4

MAX_WAITING_RUNS = 20  # the queue of one device
MAX_OUTCOMES = 2_000  # ways in which a verdict on one forest may end, when all are walked
MAX_VERDICTS = 16  # verifiers that one call asks about one forest
MAX_FOREST_OUTCOMES = 20_000  # the same on the page, where one verdict is worked out at a time and no device is held
MAX_FOREST_NODES = 64  # guesses of a forest drafted to be judged by every verifier
MAX_KEPT_FORESTS = 12  # of those and of recorded ones; each holds the target's distribution at every node
MAX_SESSIONS = 24  # of which gradio remembers the last values; nothing of ours asks for them
MAX_KEPT_RUNS = 24  # finished runs whose iterations can still be looked into
MAX_KEPT_BYTES = 32_000_000  # of all finished runs, as files (trace_size); in memory three to nine times as much
MAX_OPENED_BYTES = 16_000_000  # of all opened files together (trace_size); in memory up to twelve times as much
MAX_TRACE_BYTES = 8_000_000  # of one file that a visitor opens
MAX_REQUEST_BYTES = 12_000_000  # a file of MAX_TRACE_BYTES inside a request: its quotes are escaped

MAX_OPENED_ITERATIONS = 2_000  # of a trace that a visitor opens; the page's own runs stay far below all of these
MAX_OPENED_TOKENS = 4_000  # written by it
MAX_OPENED_NODES = 600  # drafted in one iteration
MAX_OPENED_DECISIONS = 2_000  # in one iteration
MAX_OPENED_BEAMS = 64  # at one end of one iteration
MAX_OPENED_WORDS = 50_000  # characters that the header says about method and models, which every view repeats
MAX_SAVED_BYTES = 32_000_000  # of a file that the page makes: a step as HTML, a lane's trace

UPDATES_PER_SECOND = 12  # of the picture of a running race
