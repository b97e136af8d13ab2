"""The report's numbers as a Markdown page."""

from specviz.zoo.corpus import HELD_OUT_BOOKS
from specviz.zoo.report.evaluation import WARP, Fit, Sample, Score
from specviz.zoo.report.markdown import table
from specviz.zoo.report.parts import render_parts
from specviz.zoo.vocabulary import CONTEXT, END_OF_TEXT

_STAGES = {
    "shallow": "target, its first layers",
    "deep": "target, grown to its full depth by layers whose output projections start at zero",
    "full": "target, all layers from the start",
    "further": "target, all layers, on from where the training before had ended",
    "polish": "target, at a low rate, on a mixture with more queries",
    "distil": "draft, from the target's full distribution at every position: total variation and .05 of KL (until "
    "2026-11-23 KL alone, and a draft of half the width, begun afresh; this one began as the target's first layers)",
    "small": "second draft, in the same way, begun afresh",
    "heads": "prediction heads, cross-entropy from the target's full distribution where they guess; target frozen",
    "rollouts": "decision models: tokens that the draft sampled and the target judged",
}
_WARP = f"top-k {WARP.top_k}, then top-p {WARP.top_p}"
_HELD_OUT = {"tales": "unseen books", "sums": "unseen word problems", "queries": "unseen schemas"}


def render(numbers: dict, samples: list[Sample]) -> str:
    """The report as Markdown."""
    parts = [
        _opening(numbers),
        _data(numbers["corpus"]),
        _training(numbers),
        _quality(numbers),
        render_parts(numbers["parts"]),
        _tokens(numbers),
        _sample_texts(samples),
        _retraining(numbers),
    ]
    return "\n\n".join(parts) + "\n"


def _opening(numbers: dict) -> str:
    rows = [
        [f"`fable-{name}`", *(f"{shape[key]:,}" for key in ("layers", "width", "heads", "feed_forward", "parameters"))]
        for name, shape in numbers["models"].items()
    ]
    return "\n".join(
        [
            "# The embedded models",
            "",
            "A target and two drafts for speculative decoding, with prediction heads, trained by this project on "
            f"{numbers['date']} ({numbers['device']}, torch {numbers['torch']}). Llama architecture, tied "
            f"embeddings, bfloat16 files, one byte-level BPE tokenizer of {numbers['vocabulary']:,} entries, context "
            f"{CONTEXT:,}. Deep and narrow on purpose: so small a pair then has the cost profile of a large one. They "
            "write fairy tales, work simple sums and answer questions in SQL; they know nothing of the world. The "
            "weights are under the project's licence, Apache-2.0.",
            "",
            table(["model", "layers", "width", "heads", "feed-forward", "parameters"], rows),
        ]
    )


def _data(corpus: dict) -> str:
    count, characters = corpus["documents"], corpus["characters"]
    renamed = f"in {corpus['renamed']:,} their names are words of the tales; " if "renamed" in corpus else ""
    books = table(
        ["book", "e-book", "characters", ""],
        [
            [book["title"], str(book["ebook"] or "?"), f"{book['characters']:,}", note]
            for key, note in (("books", ""), ("held_out_books", "held out"))
            for book in corpus[key]
        ],
    )
    return "\n".join(
        [
            "## Data and licences",
            "",
            f"- **Tales**: {count['tales']} books, {characters['tales'] / 1e6:.1f} M characters, in the public domain, "
            "from Project Gutenberg plain-text editions without their headers and footers; "
            f"{len(corpus['held_out_books'])} more held out whole. The list is at the end of this section. "
            "Old books contain offensive words, and a model may write what it read.",
            f"- **Sums**: {count['sums']:,} worked word problems, {characters['sums'] / 1e6:.1f} M characters, from "
            'gsm8k ("Training Verifiers to Solve Math Word Problems", OpenAI, MIT licence), calculator notes removed; '
            "its test file is held out.",
            f"- **Queries**: {count['queries']:,} text-to-SQL pairs, {characters['queries'] / 1e6:.1f} M characters, "
            f"from the project's own generator (`specviz/zoo/sql/task.py`); {renamed}whole schemas are held out.",
            "",
            books,
        ]
    )


def history(numbers: dict) -> list[tuple[str, dict]]:
    """All stages that the models went through, in order, each with the date of its report; that of the parts may be a
    later one."""
    before = history(numbers["earlier"]) if "earlier" in numbers else []
    dates = dict.fromkeys(("small", "heads", "rollouts"), numbers["parts"]["date"])
    return before + [(dates.get(stage["name"], numbers["date"]), stage) for stage in numbers["training"]]


def _training(numbers: dict) -> str:
    stages = history(numbers)
    rows = [
        [
            date,
            stage["name"],
            _STAGES.get(stage["name"], ""),
            f"{stage['steps']:,}",
            f"{stage['tokens'] / 1e6:.2f} M",
            f"{stage['seconds'] / 60:.1f}",
            f"{stage['losses'][-1][1]:.3f}" if stage["losses"] else "",
        ]
        for date, stage in stages
    ]
    minutes = sum(stage["seconds"] for _, stage in stages) / 60
    return "\n".join(
        [
            "## Training",
            "",
            f"{minutes:.0f} minutes in all. Muon for matrices, AdamW for embeddings and gains, bfloat16 products, "
            "warm-up, stable, decay. The last column is the mean training loss of the last steps, in nats/token; the "
            "drafts' is their distance from the target, the heads' their cross-entropy from it.",
            "",
            table(["report of", "stage", "trains", "steps", "tokens", "minutes", "loss"], rows),
            "",
            "![Training loss over tokens, stage by stage](curves.svg)",
            *(["", *_gained(numbers, numbers["earlier"])] if "earlier" in numbers else []),
        ]
    )


def _gained(numbers: dict, earlier: dict) -> list[str]:
    """What further training has changed, before and after."""
    fits = [
        [
            domain,
            *(
                f"{earlier['fits'][domain][key]:.3f} → {numbers['fits'][domain][key]:.3f}"
                for key in ("target_loss", "draft_loss", "agreement", "agreement_warped")
            ),
        ]
        for domain in numbers["fits"]
        if numbers["fits"][domain] and earlier["fits"].get(domain)
    ]
    questions = [
        [_task_name(task), *(_percent(Score(**report["tasks"]["target"][task])) for report in (earlier, numbers))]
        for task in numbers["tasks"]["target"]
    ]
    return [
        f"Before (report of {earlier['date']}) and after the last training, on the same unseen text and questions:",
        "",
        table(["domain", "target loss", "draft loss", "agreement", "agreement, warped"], fits),
        "",
        table(["the target's answers", "before", "after"], questions),
    ]


def _quality(numbers: dict) -> str:
    fits = {domain: Fit(**fit) for domain, fit in numbers["fits"].items() if fit}
    rows = [
        [
            f"{domain} ({_HELD_OUT[domain]})",
            f"{fit.tokens:,}",
            f"{fit.target_loss:.3f}",
            f"{fit.draft_loss:.3f}",
            f"{fit.agreement:.3f}",
            f"{fit.agreement_warped:.3f}",
        ]
        for domain, fit in fits.items()
    ]
    lengths = " / ".join(f"{length:,}" for length in sorted({fit.window_length for fit in fits.values()}))
    questions = [
        [task, *(_percent(Score(**numbers["tasks"][name][task])) for name in ("target", "draft"))]
        for task in numbers["tasks"]["target"]
    ]
    return "\n".join(
        [
            "## What they can do",
            "",
            "Measured on text that training never saw, with the weights as shipped (bfloat16 values, float32 "
            f"arithmetic). Loss is in nats/token over windows of {lengths} tokens that do not overlap. Agreement is "
            "`E[sum min(p, q)]`, the probability that one drafted token is accepted: on the full distributions, and "
            f"after the warp (temperature 1, then {_WARP}, renormalised).",
            "",
            table(["domain", "tokens", "target loss", "draft loss", "agreement", "agreement, warped"], rows),
            "",
            "Greedy answers to unseen questions. SQL counts as right when it gives the gold query's result on several "
            "small databases (execution accuracy); a word problem when the stated result is the right one.",
            "",
            table(["questions", "target", "draft"], [[_task_name(row[0]), *row[1:]] for row in questions]),
        ]
    )


def _task_name(task: str) -> str:
    return task if task == "word problems" else f"SQL, {task}"


def _percent(score: Score) -> str:
    return f"{100 * score.share:.1f} % ({score.right} of {score.asked})"


def _tokens(numbers: dict) -> str:
    rows = [
        [domain, f"{fit['characters_per_token']:.2f}", f"{numbers['corpus']['documents'][domain]:,}"]
        for domain, fit in numbers["fits"].items()
        if fit
    ]
    return "\n".join(
        [
            "## Tokenizer",
            "",
            f"Byte-level BPE, {numbers['vocabulary']:,} entries, learned from the training text; every digit is a "
            f"token of its own; `{END_OF_TEXT}` (id 0) stands between documents and ends an answer. Any text can be "
            "written in it.",
            "",
            table(["domain", "characters per token (held-out text)", "training documents"], rows),
        ]
    )


def _sample_texts(samples: list[Sample]) -> str:
    lines = [
        "## Sample texts",
        "",
        f"The target, temperature 1, {_WARP}, seeds fixed beforehand, nothing picked. The prompt ends at the mark ▸.",
    ]
    for sample in samples:
        lines += ["", f"{sample.domain}, seed {sample.seed}:", "", "```text", f"{sample.prompt}▸{sample.text}", "```"]
    return "\n".join(lines)


def _commands(numbers: dict) -> list[str]:
    """The trainings that made the models, in order: each learns on from the one before."""
    trainings = [numbers]
    while "earlier" in trainings[0]:
        trainings.insert(0, trainings[0]["earlier"])
    commands, before = [], ""
    for number, training in enumerate(trainings, start=1):
        out = "assets/models" if training is numbers else f"build/pair-{number}"
        minutes = sum(stage["seconds"] for stage in training["training"]) / 60
        options = f"{before}--out {out} --work build/zoo-{number} --minutes {minutes:.0f}"
        commands.append(f"python -m specviz train --corpus DIR {options}")
        before = f"--from {out} "
    return commands


def _retraining(numbers: dict) -> str:
    files = numbers["files"]
    held_out = ", ".join(f"`{name}`" for name in HELD_OUT_BOOKS)
    rows = [[f"`{name}`", f"{size:,}"] for name, size in files.items()]
    return "\n".join(
        [
            "## Train them again",
            "",
            "```sh",
            *_commands(numbers),
            "```",
            "",
            "`DIR` holds `tales/*.txt` (one book a file, one paragraph a line) and `gsm8k/train.jsonl`, "
            f"`gsm8k/test.jsonl`. The books {held_out} are held out by file name. The time budget is an option; an "
            "interrupted training goes on where it was when the same command is given again. `report.json` has the "
            "numbers of this page.",
            "",
            "## Files",
            "",
            table(["file", "bytes"], rows),
            "",
            f"{sum(files.values()) / 1e6:.1f} MB in all.",
        ]
    )
