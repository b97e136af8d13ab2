"""axe-core in the page: what would keep somebody out."""

from pathlib import Path

import axe_playwright_python
from playwright.sync_api import Page

_AXE = Path(axe_playwright_python.__file__).parent / "axe.min.js"
_RUN = """async () => {
  const hidden = [...document.querySelectorAll('.sv-page')].filter((one) => !one.getClientRects().length);
  const options = { resultTypes: ['violations'], preload: false };
  return (await axe.run({ exclude: hidden }, options)).violations;
}"""
GRADES = ("serious", "critical")


def barriers(page: Page) -> list[str]:
    """The serious and critical violations on screen: rule, what it says, and the elements at fault."""
    page.evaluate(_AXE.read_text())
    found = page.evaluate(_RUN)
    return [
        f"{one['id']}: {one['help']}: {'; '.join(str(node['target']) for node in one['nodes'][:5])}"
        for one in found
        if one["impact"] in GRADES
    ]
