"""Sample data: a year of habits, places and trips, the same for the same seed."""

import datetime
import math
import random
import uuid

UTC = datetime.timezone.utc
# Time zone of the user and the browser, chosen so that it is about noon there and no day ends during the tests.
ZONE_HOURS = 12 - datetime.datetime.now(UTC).hour
# Browsers name the zone with offset 0 `UTC`.
ZONE_NAME = f"Etc/GMT{-ZONE_HOURS:+d}" if ZONE_HOURS else "UTC"
ZONE_OFFSET = f"{ZONE_HOURS:+03d}:00"
ZONE = datetime.timezone(datetime.timedelta(hours=ZONE_HOURS))


def now():
    return datetime.datetime.now(ZONE)


def day(ago, hour=0):
    """An hour of an earlier day."""
    return now().replace(hour=hour, minute=0, second=0, microsecond=0) - datetime.timedelta(days=ago)


def encode(points):
    """Encodes a polyline with five decimals."""
    text, last = "", (0, 0)
    for point in points:
        now = tuple(round(value * 1e5) for value in point)
        for value in (now[0] - last[0], now[1] - last[1]):
            value = ~(value << 1) if value < 0 else value << 1
            while value >= 32:
                text += chr((32 | value & 31) + 63)
                value >>= 5
            text += chr(value + 63)
        last = now
    return text


def live(device, days=120, seed=1):
    chance = random.Random(seed)
    present = now()
    new = lambda: str(uuid.UUID(int=chance.getrandbits(128), version=4))
    types = {
        "coffee": device.type("Coffee", "#73392e", "cup", properties=[("size", "Size", "select", ["small", "large"])]),
        "mood": device.type(
            "Mood", "#957007", "smile", properties=[("mood", "Mood", "select", ["bad", "low", "fair", "good", "great"])]
        ),
        "vitamins": device.type("Vitamins", "#009353", "pill"),
        "run": device.type("Run", "#609d10", "shoe", properties=[("km", "km", "number", None)]),
        "water": device.type("Water", "#0197bd", "drop", properties=[("glasses", "Glasses", "number", None)]),
        "reading": device.type("Reading", "#8849a2", "book", properties=[("pages", "Pages", "number", None)]),
        "headache": device.type("Headache", "#b12f60", "bolt"),
        "sleep": device.type("Sleep", "#513889", "moon"),
        "trip": device.type("Trip", "#4A6FA5", "⇢"),
        "home": device.type("At home", "#036767", "home"),
        "office": device.type("At work", "#747985", "work"),
    }
    for name, amount, period in (("coffee", 2, "day"), ("vitamins", 1, "day"), ("run", 3, "week"), ("water", 4, "day")):
        device.ask(
            "PATCH",
            f"/event-types/{types[name]}",
            {
                "goal": {
                    "amount": amount,
                    "bound": "at_most" if name == "coffee" else "at_least",
                    "measure": "count",
                    "period": period,
                }
            },
        )
    home, office = (52.305, 4.835), (52.383, 4.952)
    places = {}
    for name, position, radius, type in (("Home", home, 120, "home"), ("Office", office, 150, "office")):
        places[type] = new()
        device.ask(
            "POST",
            "/geofences",
            {
                "id": places[type],
                "name": name,
                "latitude": position[0],
                "longitude": position[1],
                "radius": radius,
                "event_type_entry_id": types[type],
            },
        )
    device.ask(
        "POST",
        "/skips",
        {
            "id": new(),
            "event_type_id": types["run"],
            "from": (present - datetime.timedelta(days=40)).date().isoformat(),
            "to": (present - datetime.timedelta(days=34)).date().isoformat(),
            "note": "flu",
        },
    )
    car = new()
    device.ask("POST", "/vehicles", {"id": car, "name": "Octavia", "is_default": True, "start_odometer_m": 42_000_000})
    types["odometer"] = device.type("Odometer", "#7A6F5D", "◔")
    events = []

    def add(type, when, **members):
        if when < present:
            events.append(
                {"id": new(), "event_type_id": types[type], "timestamp": iso(when), "time_zone": ZONE_NAME, **members}
            )

    select = lambda value: {"type": "select", "value": value}
    number = lambda value: {"type": "number", "value": value}
    notes = ["oat", "long talk, good soup", "lunch in the sun", "left side, after the screen", "", "", "", ""]
    for ago in range(days):
        midnight = day(ago)
        at = lambda hour, spread=0.5: midnight + datetime.timedelta(hours=hour + chance.uniform(-spread, spread))
        week = midnight.weekday()
        for hour in (8.4, 13.1, 15.5):
            if chance.random() < (0.95 if hour < 9 else 0.6 if hour < 14 else 0.2):
                add(
                    "coffee",
                    at(hour),
                    properties={"size": select(chance.choice(["small", "large", "large"]))},
                    notes=chance.choice(notes) or None,
                )
        if chance.random() < 0.9:
            add(
                "mood",
                at(12.6),
                properties={"mood": select(chance.choice(["low", "fair", "good", "good", "great"]))},
                notes=chance.choice(notes) or None,
            )
        if chance.random() < 0.95:
            add("vitamins", at(7.3, 0.2))
        if week in (1, 4, 6) and chance.random() < 0.8 and not 33 <= ago <= 40:
            start = at(18)
            add(
                "run",
                start,
                end_date=iso(start + datetime.timedelta(minutes=chance.randint(28, 55))),
                properties={"km": number(round(chance.uniform(4, 9), 1))},
            )
        for hour in range(9, 21, 3):
            if chance.random() < 0.6:
                add("water", at(hour), properties={"glasses": number(chance.randint(1, 2))})
        if chance.random() < 0.5:
            start = at(21)
            add(
                "reading",
                start,
                end_date=iso(start + datetime.timedelta(minutes=chance.randint(15, 70))),
                properties={"pages": number(chance.randint(8, 60))},
            )
        if chance.random() < 0.12:
            add("headache", at(16, 2), notes=chance.choice(notes) or None)
        night = at(-0.6)
        add("sleep", night, end_date=iso(night + datetime.timedelta(hours=chance.uniform(6.4, 8.3))))
        if week < 5:
            leave, back = at(8.1, 0.2), at(17.4, 0.3)
            for start, (a, b), names in (
                (leave, (home, office), ("home", "office")),
                (back, (office, home), ("office", "home")),
            ):
                minutes = chance.randint(31, 46)
                way = road(a, b, chance)
                category = None if ago <= 2 else "business" if week < 4 else "private"
                properties = {
                    "distance": number(round(chance.uniform(18000, 18600), 1)),
                    "duration": {"type": "duration", "value": minutes * 60},
                    "route": {"type": "text", "value": encode(way)},
                    "average_speed": number(8.6),
                    "top_speed": number(23.4),
                    "vehicle": {"type": "text", "value": car},
                    "car": {"type": "text", "value": "Octavia"},
                }
                if category:
                    properties |= {"category": select(category), "rule": {"type": "text", "value": "office"}}
                add(
                    "trip",
                    start,
                    end_date=iso(start + datetime.timedelta(minutes=minutes)),
                    source_type="trip",
                    location_latitude=a[0],
                    location_longitude=a[1],
                    properties=properties,
                )
            arrive = leave + datetime.timedelta(minutes=48)
            visit = {"source_type": "geofence"}
            add(
                "office",
                arrive,
                end_date=iso(back) if back < present else None,
                geofence_id=places["office"],
                location_name="Office",
                **visit,
            )
            evening = back + datetime.timedelta(minutes=48)
            add(
                "home",
                evening,
                end_date=iso(leave + datetime.timedelta(days=1))
                if leave + datetime.timedelta(days=1) < present
                else None,
                geofence_id=places["home"],
                location_name="Home",
                **visit,
            )
    # Odometer readings for every second month, one of them after a holiday that was not recorded.
    driven = [
        (event["timestamp"], event["properties"]["distance"]["value"])
        for event in events
        if event["event_type_id"] == types["trip"]
    ]
    for ago in range(days - days % 60, -1, -60):
        moment = present - datetime.timedelta(days=ago + 1)
        recorded = sum(metres for start, metres in driven if start < iso(moment))
        add(
            "odometer",
            moment,
            properties={
                "odometer_m": number(round(42_000_000 + recorded * 1.004 + (410_000 if ago <= 120 else 0))),
                "vehicle": {"type": "text", "value": car},
                "car": {"type": "text", "value": "Octavia"},
            },
        )
    device.events([{name: value for name, value in event.items() if value is not None} for event in events])
    return types


def iso(moment):
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.000Z")


def road(a, b, chance):
    """A route with bends, similar each day."""
    points = []
    for i in range(60):
        share = i / 59
        bend = math.sin(share * math.pi) * 0.012 * math.sin(share * 9)
        points.append(
            (a[0] + (b[0] - a[0]) * share + bend, a[1] + (b[1] - a[1]) * share - bend * 1.4 + chance.gauss(0, 0.00004))
        )
    return points
