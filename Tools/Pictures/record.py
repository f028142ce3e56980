"""The record that the pictures show: the sample data of `trendy demo`, with every program's clock stopped at one
moment."""

import os
import shutil
import subprocess
import sys
import tempfile

# Friday, 20 November 2026, 17:48 in Amsterdam.
NOW = 1_795_193_280
ZONE = "Europe/Amsterdam"


class SampleRecord:
    """A store with sample data of some years, removed afterwards; a context manager.

    `clock` is an environment in which dynamically linked programs read NOW as the time.
    """

    def __init__(self, programs, years=3):
        self.programs, self.years = os.path.abspath(programs), years

    def __enter__(self):
        self.folder = tempfile.mkdtemp(prefix="trendy-pictures-")
        self.store = self.folder + "/store"
        library = self.folder + "/clock.so"
        source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "clock.c")
        subprocess.run(["clang", "-O1", "-shared", "-fPIC", "-o", library, source], check=True)
        self.clock = {"LD_PRELOAD": library, "PICTURE_TIME": str(NOW)}
        self.environment = {
            **self.clock,
            "HOME": self.folder,
            "PATH": f"{self.programs}:/usr/bin:/bin",
            "TRENDY_STORE": self.store,
            "TZ": ZONE,
            "LANG": "C.UTF-8",
        }
        self.trendy("demo", "--keep", self.store, "--years", str(self.years))
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.folder, ignore_errors=True)

    def trendy(self, *words):
        result = subprocess.run(
            [self.programs + "/trendy", *words], env=self.environment, capture_output=True, text=True
        )
        if result.returncode != 0:
            sys.exit(f"trendy {' '.join(words)}: {result.stderr}")
        return result.stdout
