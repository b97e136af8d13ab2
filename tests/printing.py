"""What the terminal shows, as text."""

from rich.console import Console, RenderableType


def printed(*parts: RenderableType, width: int = 160) -> str:
    """``parts`` as a terminal of this width prints them, without colours."""
    console = Console(width=width)
    with console.capture() as capture:
        for part in parts:
            console.print(part)
    return capture.get()
