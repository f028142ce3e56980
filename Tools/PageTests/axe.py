"""axe-core, which comes inside a package of PyPI and is never kept here: AXE names the file, or a folder into which
pip may put the package."""

import glob
import os
import zipfile


class Axe:
    def __init__(self):
        self.source, self.why = None, "AXE names neither axe.min.js nor a folder that holds its package"
        place = os.environ.get("AXE", "")
        if place.endswith(".js") and os.path.exists(place):
            self.source = open(place, encoding="utf-8").read()
        for wheel in glob.glob(os.path.join(place, "axe_playwright_python-*.whl")):
            with zipfile.ZipFile(wheel) as file:
                self.source = file.read("axe_playwright_python/axe.min.js").decode()

    def run(self, browser):
        """What is wrong by axe-core's rules, a line each."""
        # Through the debugger: the page's own policy allows no script but the hub's.
        browser.devtools("Runtime.evaluate", expression=self.source)
        # Half of a change of theme is no colour of either: what fades is awaited, what turns for ever is not.
        return browser.later("""
          const frame = () => new Promise(requestAnimationFrame);
          const ending = () => document.getAnimations().filter((animation) => animation.playState === 'running' &&
            animation.effect.getComputedTiming().endTime !== Infinity);
          await frame();
          for (await frame(); ending().length;
            await frame()) await Promise.allSettled(ending().map((animation) => animation.finished));
          const result = await axe.run(document, { resultTypes: ['violations'] });
          return result.violations.flatMap((violation) => violation.nodes.slice(0, 3).map((node) =>
            `${violation.id}: ${node.target.join(' ')} ${node.any[0]?.message ?? node.all[0]?.message ?? ''}`));""")
