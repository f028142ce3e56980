"""Runs axe-core, which is part of a PyPI package: AXE names axe.min.js or a folder with the package's wheel."""

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
        """Violations of axe-core's rules, one per line."""
        # Run through the debugger: the page's policy allows only scripts from the hub.
        browser.devtools("Runtime.evaluate", expression=self.source)
        # Wait for theme transitions to finish, but ignore endless animations.
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
