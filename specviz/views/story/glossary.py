"""The page's terms, each explained in a sentence for newcomers."""

_RHO = "In K-SEQ, what acceptance probabilities are divided by, so that several candidates are fair together."
_BETA = (
    "In K-SEQ, how often one candidate passes: the sum of min(draft, target / ρ). In improved MCSD, the estimate below "
    "which drafting stops."
)
_BLOCK_EFFICIENCY = "Tokens written per target call, resampled and bonus tokens included."
GLOSSARY: dict[str, str] = {
    "target": "The large model whose text is wanted. Its probabilities are the ones that count.",
    "draft": "A small, fast model, or extra heads on the target, that guesses tokens ahead.",
    "target call": "One run of the large model. It may read many tokens at once and costs nearly the same.",
    "acceptance": "A drafted token stays: in speculative decoding with probability min(1, target / draft).",
    "residual": "How much more probability the target gives than the draft: max(0, target - draft), scaled to sum to "
    "one. A rejected token is replaced by a draw from it.",
    "resampled": "Drawn from the residual in place of a rejected token.",
    "bonus": "When nothing was rejected, the same target call gives one more token for free.",
    "block efficiency": _BLOCK_EFFICIENCY,
    "tokens per target call": _BLOCK_EFFICIENCY,
    "acceptance rate": "Of the tokens drafted on the path that was judged, the share that stayed.",
    "acceptance by depth": "How often the first drafted token stays, how often the second where the first did, and so "
    "on.",
    "time to first token": "How long a reader waits: for the prompt to be read and the first tokens to be written.",
    "lossless": "The output has exactly the distribution of the target alone: nobody could tell from the text.",
    "lossy": "The output's distribution is not the target's: faster or likelier text, but no longer its own.",
    "perplexity": "How surprised the target is by the text, on average: 1 is not at all, higher is more.",
    "execution accuracy": "The share of written SQL queries that give the right query's rows on every test database.",
    "exact match": "The share of texts whose result is the answer: equal numbers, or letter by letter.",
    "Rouge-L": "How many words, in order, a text shares with the true continuation: 0 none, 1 all of both. It is the "
    "harmonic mean of the shares of the two texts' words.",
    "temperature": "How bold the choice is: 0 always takes the likeliest token, 1 follows the model as it is.",
    "top-k": "Only the k likeliest tokens are kept before drawing.",
    "top-p": "Only the likeliest tokens that together have this probability are kept before drawing.",
    "coin": "A random number from 0 to 1. The token is accepted when it falls below the acceptance probability.",
    "attention mask": "Which tokens each token may look at. In a draft tree: the context and its own ancestors.",
    "draft tree": "Several guesses that share beginnings; one target call judges all of them.",
    "beam": "One of several texts that are kept at a time.",
    "total variation": "How far apart two distributions are: 0 same, 1 nothing shared. Half the sum of differences.",
    "cache row": "What the target remembers of one token, so that it need not read it again.",
    "agreement α": "How much probability target and draft give to the same tokens, on average over the places judged: "
    "1 is all of it. It is how often a drafted token passes where each is judged by a coin.",
    "cache memory": "The bytes that all cache rows take at a time.",
    "with a cache for each beam": "What the cache memory would be if beams did not share the rows of what they have in "
    "common.",
    "memory read per token": "The bytes of weights and cache that the models' calls read for each token written. A "
    "call reads all weights once, however many tokens it takes, so fewer calls read less.",
    "arithmetic per token": "The additions and multiplications of all calls for each token written.",
    "energy per token": "The joules that the processor or the GPU spent for each token written, by its own counter, "
    "other programs included; never an estimate.",
    "greedy": "Always the likeliest token; nothing is random.",
    "vocabulary": "All tokens the models know.",
    "token": "A piece of text, a word or part of one: what the models read and write.",
    "distribution": "All possible outcomes, each with its probability.",
    "guarantee": "What a method promises about its output: which distribution the text has.",
    "raw": "As the model gives it, before temperature, top-k and top-p.",
    "p(x)": "In a formula: the target's probability of token x, after temperature, top-k and top-p.",
    "q(x)": "In a formula: the draft's probability of token x, after temperature, top-k and top-p.",
    "p'(x)": "What the earlier rejections have left of the target's distribution, scaled to sum to one.",
    "q'(x)": "What the earlier guesses have left of the draft's distribution, scaled to sum to one.",
    "p'": "What the earlier rejections have left of the target's distribution, scaled to sum to one.",
    "q'": "What the earlier guesses have left of the draft's distribution, scaled to sum to one.",
    "Σ": "The sum over all tokens that may come next.",
    "h": "The probability that a prefix passes its coin in block verification.",
    "p_beam": "The target's joint distribution of a beam and its next token: the beam's probability times the token's.",
    "q_beam": "The draft's joint distribution of a beam and its next token.",
    "norm": "Scaled so that all of it sums to one.",
    "argmax": "The likeliest token.",
    "γ": "Gamma: how many tokens the draft guesses before the target is asked.",
    "τ": "Tau: MTAD keeps the longest prefix whose joint likelihood ratio exceeds it.",
    "gamma": "How many tokens the draft guesses before the target is asked.",
    "tau": "MTAD keeps the longest prefix whose joint likelihood ratio exceeds it.",
    "ρ": _RHO,
    "rho": _RHO,
    "β": _BETA,
    "beta": _BETA,
    "p_acc": "The probability that one of several candidates is accepted.",
    "epsilon": "In typical acceptance: a probability that is always enough.",
    "delta": "In typical acceptance: the share of exp(-entropy) that is enough where the target is undecided.",
    "H(p)": "The entropy of the target's distribution, in nats.",
    "entropy": "How undecided a distribution is: 0 where one outcome is certain, more the more are likely.",
    "nats": "The unit of entropy and surprise: natural logarithms.",
    "posterior": "How likely a candidate is once all that is known is put together: its tokens' probabilities, and how "
    "well neighbours go together.",
    "prefix": "The first tokens of a text or of a draft, up to some token.",
    "iteration": "One round: the draft guesses, one target call judges the guesses, and some tokens become text.",
    "step": "One screen of the Microscope: an iteration is told in a row of steps.",
    "layer": "All guesses at one depth of a draft.",
    "width": "How many beams, or first tokens, are kept side by side.",
    "average width": "How many beams were kept after a layer, on average.",
    "time of a target call": "How long the target takes to read what it is given, tokens of a draft included, on "
    "average.",
    "time of a draft call": "How long the draft takes for one forward pass, on average. In target calls it is the c of "
    "the theory.",
    "drafts stopped early": "The share of drafts that ended before their full depth, since a decision model expected "
    "little more to stay.",
    "node": "One guess in a draft tree: a token after all those that lead to it.",
    "candidate": "One of several guesses for the same position.",
    "verifier": "The rule that decides which guesses stay.",
    "lenience": "Below 1, more is accepted than the target's distribution allows: faster, and lossy on purpose.",
}
