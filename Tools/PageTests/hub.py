"""A hub of the real program on a free port, with temporary data."""

import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
import uuid

from browser import Failed, free_port


class Hub:
    def __init__(self, program, people=("Ada",), told=(), environment=None):
        self.program = program
        self.folder = tempfile.mkdtemp(prefix="trendy-hub-")
        self.port = free_port()
        self.address = f"http://127.0.0.1:{self.port}"
        self.process = None
        self.environment = {
            **os.environ,
            "HOME": self.folder,
            "XDG_CONFIG_HOME": self.folder + "/config",
            "TZ": "UTC",
            **(environment or {}),
        }
        self.run("hub", "init", "--name", people[0], *told) if people else self.run("hub", "init")
        for name in people[1:]:
            self.run("user", "add", name)
        self.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def run(self, *words):
        answer = subprocess.run(
            [self.program, *words, "--data", self.folder + "/hub", "--json"],
            env=self.environment,
            capture_output=True,
            text=True,
        )
        if answer.returncode != 0:
            raise Failed(f"trendyd {' '.join(words)}: {answer.stderr}")
        return json.loads(answer.stdout) if answer.stdout.strip() else {}

    def start(self):
        self.process = subprocess.Popen(
            [
                self.program,
                "run",
                "--role",
                "hub",
                "--data",
                self.folder + "/hub",
                "--listen",
                f"127.0.0.1:{self.port}",
            ],
            env=self.environment,
            stdout=subprocess.DEVNULL,
            stderr=open(self.folder + "/log", "ab"),
        )
        for _ in range(300):
            try:
                urllib.request.urlopen(self.address + "/api/v1/health", timeout=5)
                return
            except (urllib.error.URLError, OSError):
                time.sleep(0.05)
        raise Failed(open(self.folder + "/log").read()[-2000:])

    def stop(self, sig=signal.SIGTERM):
        if self.process:
            self.process.send_signal(sig)
            self.process.wait()
            self.process = None

    def kill(self):
        self.stop(signal.SIGKILL)

    def code(self):
        return self.run("pair")["code"]


class Device:
    """A device that uses the REST API."""

    def __init__(self, hub, name="phone", code=None):
        self.hub = hub
        answer = self.ask("POST", "/pair", {"code": code or hub.code(), "device_name": name}, token=None)
        self.token = answer["token"]

    def post(self, path, body):
        """Posts to an endpoint for tracking apps."""
        request = urllib.request.Request(
            self.hub.address + path,
            method="POST",
            headers={"Content-Type": "application/json", "Authorization": f"Bearer {self.token}"},
            data=json.dumps(body).encode(),
        )
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.loads(answer.read())

    def ask(self, method, path, body=None, token=True):
        headers = {"Content-Type": "application/json"}
        if token:
            headers["Authorization"] = f"Bearer {self.token}"
        request = urllib.request.Request(
            f"{self.hub.address}/api/v1{path}",
            method=method,
            headers=headers,
            data=body if body is None or isinstance(body, bytes) else json.dumps(body).encode(),
        )
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                text = answer.read()
                return json.loads(text) if text else None
        except urllib.error.HTTPError as error:
            raise Failed(f"{method} {path}: {error.read().decode()}") from None

    def type(self, name, color="#73392e", icon="cup", id=None, properties=()):
        made = self.ask(
            "POST", "/event-types", {"id": id or str(uuid.uuid4()), "name": name, "color": color, "icon": icon}
        )
        for order, (key, label, kind, options) in enumerate(properties):
            body = {
                "id": str(uuid.uuid4()),
                "event_type_id": made["id"],
                "key": key,
                "label": label,
                "property_type": kind,
                "display_order": order,
            }
            self.ask("POST", "/property-definitions", {**body, **({"options": options} if options else {})})
        return made["id"]

    def event(self, type, timestamp, **members):
        return self.ask(
            "POST", "/events", {"id": str(uuid.uuid4()), "event_type_id": type, "timestamp": timestamp, **members}
        )["id"]

    def events(self, list):
        for start in range(0, len(list), 500):
            answer = self.ask("POST", "/events/batch", {"events": list[start : start + 500]})
            if answer["failed"]:
                raise Failed(str(answer["errors"][0]))
