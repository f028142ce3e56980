#!/usr/bin/env python3
"""Tests the hub's pages in a real browser. usage: suite.py TRENDYD [PART OF A NAME ...]"""

import os
import sys
import time
import traceback

from browser import Failed
from harness import TESTS, World

# Tests run in this order.
import entries
import charts
import trips
import map_tiles
import several_browsers
import every_page
import importing
import navigation
import undoing
import selecting
import goals
import rules
import merging
import first_run
import loading
import positions
import placing
import sheets
import exporting
import time_zones
import printing
import new_user
import storage
import edge_cases
import translation
import stories


def main():
    program, *wanted = sys.argv[1:]
    begun = time.monotonic()
    world = World(os.path.abspath(program))
    tried = failures = 0
    try:
        for function in TESTS:
            name = function.__name__.replace("_", " ")
            if wanted and not any(part in name for part in wanted):
                continue
            tried += 1
            start = time.monotonic()
            try:
                function(world)
                print(f"ok    {time.monotonic() - start:5.1f} s  {name}", flush=True)
            except Exception as error:
                failures += 1
                print(f"FAIL  {time.monotonic() - start:5.1f} s  {name}\n      {error}", flush=True)
                if not isinstance(error, Failed):
                    traceback.print_exc()
                if os.environ.get("PICTURES"):
                    world.looking.picture(os.path.join(os.environ["PICTURES"], f"failed-{failures}.png"))
    finally:
        world.stop()
    for note in world.notes:
        print(f"      {note}")
    if not tried:
        sys.exit(f"No test has {' or '.join(wanted)} in its name.")
    print(f"{'FAILED' if failures else 'All well'}: {failures} of {tried} failed, {time.monotonic() - begun:.0f} s")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
