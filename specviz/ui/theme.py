"""Gradio's colours and fonts: the reader's system fonts, so that nothing is fetched from elsewhere."""

from gradio.themes import Base

SANS = ("-apple-system", "BlinkMacSystemFont", "Segoe UI", "Roboto", "Helvetica Neue", "Arial", "Liberation Sans")
MONO = ("ui-monospace", "SFMono-Regular", "Menlo", "Consolas", "DejaVu Sans Mono", "monospace")


def theme() -> Base:
    """The theme; the page's own colours live in assets/player/page.css."""
    return Base(primary_hue="blue", neutral_hue="slate", font=list(SANS), font_mono=list(MONO)).set(
        body_background_fill="#f6f7f9",
        body_background_fill_dark="#0f1318",
        body_text_color="#1b2430",
        body_text_color_dark="#e7ecf2",
    )
