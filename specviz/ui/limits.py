"""What the page allows: the bounds of a run and of a visit, in one place."""

MAX_PROMPT_CHARACTERS = 8_000
MAX_NEW_TOKENS = 256
MAX_SEED = 2**31 - 1
MIN_LANES = 2
MAX_LANES = 4

MAX_WAITING_RUNS = 20  # the queue of one device
MAX_KEPT_RUNS = 24  # finished runs whose iterations can still be looked into
MAX_REQUEST_BYTES = 2_000_000

UPDATES_PER_SECOND = 12  # of the picture of a running race
