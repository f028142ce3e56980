#!/usr/bin/env python3
"""Draws what `trendy` prints in a terminal as SVG, light and dark; identical on every run.

usage: terminal.py PROGRAMS FOLDER
Runs COMMANDS in a pseudo-terminal on the sample data, with a stopped clock, and writes FOLDER/terminal-light.svg and
terminal-dark.svg. PROGRAMS has trendy, linked dynamically.
"""

import fcntl
import os
import re
import shlex
import struct
import subprocess
import sys
import termios
from xml.sax.saxutils import escape

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from record import SampleRecord  # noqa: E402

COMMANDS = ['trendy log coffee 1 size=large --at 14:05 -n "oat milk"', "trendy", "trendy stats coffee"]
COLUMNS = 80
# Size of a character cell, space around the text, height of the title bar, all in px.
CELL, LINE, MARGIN, BAR = 9, 20, 20, 30
THEMES = {
    "light": {
        "ground": "#ffffff",
        "frame": "#d0d3d9",
        "text": "#1d2026",
        "prompt": "#2e49b2",
        "dots": "#d0d3d9",
        "target": 0,
    },
    "dark": {
        "ground": "#101114",
        "frame": "#2f323a",
        "text": "#dfe1e5",
        "prompt": "#99b5fe",
        "dots": "#3a3d46",
        "target": 255,
    },
}
ANSI = ["#1d2026", "#b72028", "#267a3e", "#8a6100", "#2e49b2", "#8849a2", "#036767", "#8a8d94"]
# Minimum contrast of a colour with the background (WCAG 2, AA).
CONTRAST = 4.5


def run(record, command):
    """What the command prints on a terminal of COLUMNS columns."""
    ours, theirs = os.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, COLUMNS, 0, 0))
    environment = {**record.environment, "TERM": "xterm-256color", "COLORTERM": "truecolor"}
    words = shlex.split(command)
    process = subprocess.Popen(
        [f"{record.programs}/{words[0]}", *words[1:]], env=environment, stdin=theirs, stdout=theirs, stderr=theirs
    )
    os.close(theirs)
    output = b""
    while True:
        try:
            data = os.read(ours, 65536)
        except OSError:  # the other end is closed
            break
        if not data:
            break
        output += data
    os.close(ours)
    if process.wait() != 0:
        sys.exit(f"{command}: {output.decode()}")
    return output.decode().replace("\r\n", "\n")


def spans(line):
    """The line as runs of (text, style) with the style's colour, bold and dim."""
    style, result = {}, []
    for escape_code, text in re.findall(r"\x1b\[([0-9;]*)m|([^\x1b]+)", line):
        if text:
            result.append((text, dict(style)))
            continue
        codes = [int(code or 0) for code in escape_code.split(";")]
        while codes:
            code = codes.pop(0)
            if code == 0:
                style = {}
            elif code == 1:
                style["bold"] = True
            elif code == 2:
                style["dim"] = True
            elif code == 22:
                style = {key: value for key, value in style.items() if key not in ("bold", "dim")}
            elif code == 39:
                style.pop("colour", None)
            elif 30 <= code <= 37:
                style["colour"] = ANSI[code - 30]
            elif 90 <= code <= 97:
                style["colour"] = ANSI[code - 90]
            elif code == 38 and codes[:1] == [2]:
                style["colour"] = "#%02x%02x%02x" % tuple(codes[1:4])
                codes = codes[4:]
            elif code == 38 and codes[:1] == [5]:
                style["colour"] = palette(codes[1])
                codes = codes[2:]
            else:
                sys.exit(f"terminal.py does not know the escape sequence ESC[{escape_code}m")
    return result


def palette(number):
    """A colour of the palette of 256."""
    if number < 16:
        return ANSI[number % 8]
    if number >= 232:
        return "#%02x%02x%02x" % ((8 + 10 * (number - 232),) * 3)
    level = lambda value: 55 + 40 * value if value else 0
    number -= 16
    return "#%02x%02x%02x" % (level(number // 36), level(number // 6 % 6), level(number % 6))


def channels(colour):
    return [int(colour[place : place + 2], 16) for place in (1, 3, 5)]


def luminance(colour):
    linear = [c / 255 / 12.92 if c <= 10 else ((c / 255 + 0.055) / 1.055) ** 2.4 for c in channels(colour)]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def mixed(colour, other, share):
    return "#%02x%02x%02x" % tuple(round(a + (b - a) * share) for a, b in zip(channels(colour), channels(other)))


def readable(colour, theme):
    """The colour, moved towards black or white until it stands out from the background."""
    ground, end = luminance(theme["ground"]), "#000000" if theme["target"] == 0 else "#ffffff"
    for step in range(11):
        moved = mixed(colour, end, step / 10)
        high, low = sorted([luminance(moved), ground], reverse=True)
        if (high + 0.05) / (low + 0.05) >= CONTRAST:
            return moved
    return end


def block(piece, x, y):
    """Position and size of block elements, which many fonts draw with gaps; None for other characters."""
    code, height = ord(piece[0]), LINE - 4
    if code == 0x2588:
        return x, y + 2, CELL * len(piece), height
    if 0x2581 <= code <= 0x2587:
        return x, y + 2 + height - round(height * (code - 0x2580) / 8, 2), CELL, round(height * (code - 0x2580) / 8, 2)
    if 0x2589 <= code <= 0x258F:
        return x, y + 2, round(CELL * (0x2590 - code) / 8, 2), height
    return None


def draw(lines, theme):
    width, height = COLUMNS * CELL + 2 * MARGIN, BAR + len(lines) * LINE + 2 * MARGIN - 6
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        "font-family=\"ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', 'Liberation Mono', "
        'monospace" font-size="15">',
        f'<rect x=".5" y=".5" width="{width - 1}" height="{height - 1}" rx="10" fill="{theme["ground"]}"'
        f' stroke="{theme["frame"]}"/>',
    ]
    parts += [f'<circle cx="{MARGIN + 18 * place}" cy="20" r="5.5" fill="{theme["dots"]}"/>' for place in range(3)]
    for number, line in enumerate(lines):
        column, y = 0, BAR + MARGIN - 6 + number * LINE
        for text, style in line:
            colour = readable(style.get("colour", theme["text"]), theme)
            if style.get("dim"):
                colour = mixed(colour, theme["ground"], 0.4)
            for piece in re.findall(r"\u2588+|[\u2581-\u258f]| +|[^ \u2581-\u258f]+(?: [^ \u2581-\u258f]+)*", text):
                x = MARGIN + column * CELL
                column += len(piece)
                if piece.isspace():
                    continue
                if box := block(piece, x, y):
                    parts.append('<rect x="%g" y="%g" width="%g" height="%g" fill="%s"/>' % (*box, colour))
                    continue
                bold = ' font-weight="600"' if style.get("bold") else ""
                parts.append(
                    f'<text x="{x}" y="{y + 15}" textLength="{len(piece) * CELL}" lengthAdjust="spacingAndGlyphs" '
                    f'fill="{colour}"{bold} xml:space="preserve">{escape(piece)}</text>'
                )
    return "\n".join(parts + ["</svg>", ""])


def main():
    programs, folder = sys.argv[1:]
    lines = []
    with SampleRecord(programs) as record:
        for command in COMMANDS:
            if lines:
                lines.append([])
            lines.append([("$ ", {"prompt": True}), (command, {"bold": True})])
            lines += [spans(line) for line in run(record, command).rstrip("\n").split("\n")]
    os.makedirs(folder, exist_ok=True)
    for name, theme in THEMES.items():
        themed = [
            [(text, {**style, "colour": theme["prompt"]} if "prompt" in style else style) for text, style in line]
            for line in lines
        ]
        path = f"{folder}/terminal-{name}.svg"
        with open(path, "w", encoding="utf-8") as file:
            file.write(draw(themed, theme))
        print(path)


main()
