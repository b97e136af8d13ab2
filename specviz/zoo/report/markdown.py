"""The little Markdown that reports are made of."""


def table(head: list[str], rows: list[list[str]]) -> str:
    """A table with a head line."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
