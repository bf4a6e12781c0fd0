#!/usr/bin/env python3
"""Tells every change of the switch's ports, as they are in the database of Open vSwitch and in the kernel, past the agent.

One JSON object a line. `lo` and `hi` (seconds since 1970) are the earliest and the latest moment at which the change can have
happened. `settled`: ovs-vswitchd works by it. {"seen": t}: all that happened before t has been told.
"""
import json
import os
import re
import select
import socket
import time

PORTS = re.compile(r"^swp[0-9]+$")
PERIOD = 0.02
COLUMNS = ["name", "vlan_mode", "tag", "trunks", "external_ids"]


def say(**line):
    print(json.dumps(line), flush=True)


def members(value):
    return value[1] if isinstance(value, list) and value[0] in ("set", "map") else [value]


def vlans(row):
    ids = dict(members(row["external_ids"]))
    first = lambda column: next(iter(members(row[column])), None)
    return {"mode": first("vlan_mode"), "tag": first("tag"), "trunks": sorted(members(row["trunks"])),
            "description": ids.get("description", "")}


def links():
    found = {}
    for name in os.listdir("/sys/class/net"):
        if PORTS.match(name):
            try:
                with open(f"/sys/class/net/{name}/mtu") as mtu, open(f"/sys/class/net/{name}/flags") as flags:
                    found[name] = {"mtu": int(mtu.read()), "up": int(flags.read(), 16) & 1 == 1}
            except OSError:
                pass
    return found


class Watch:
    def __init__(self):
        self.db = socket.socket(socket.AF_UNIX)
        self.db.connect("/run/openvswitch/db.sock")
        self.text = ""
        self.decoder = json.JSONDecoder()
        self.ports = {}
        self.links = {}
        self.root = {"next_cfg": 0, "cur_cfg": 0}
        self.waiting = {}
        self.known = time.time()
        self.asked = None
        wanted = {"Port": [{"columns": COLUMNS}], "Open_vSwitch": [{"columns": ["next_cfg", "cur_cfg"]}]}
        self.send("monitor", ["Open_vSwitch", None, wanted], "start")

    def send(self, method, params, number):
        self.db.sendall(json.dumps({"method": method, "params": params, "id": number}).encode())

    def update(self, tables, now):
        for change in tables.get("Open_vSwitch", {}).values():
            self.root.update(change.get("new", {}))
        for change in tables.get("Port", {}).values():
            row = change.get("new")
            if row is None or not PORTS.match(row["name"]):
                continue
            port, state = row["name"], vlans(row)
            if self.ports.get(port) == state:
                continue
            self.ports[port] = state
            settled = self.root["cur_cfg"] >= self.root["next_cfg"]
            say(port=port, lo=self.known, hi=now, vlans=state, settled=settled)
            self.waiting.pop(port, None)
            if not settled:
                self.waiting[port] = self.root["next_cfg"]
        for port, number in list(self.waiting.items()):
            if self.root["cur_cfg"] >= number:
                del self.waiting[port]
                say(port=port, lo=self.known, hi=now, vlans=self.ports[port], settled=True)

    def receive(self):
        data = self.db.recv(1 << 20)
        now = time.time()
        if not data:
            raise SystemExit("the database is gone")
        self.text += data.decode()
        while self.text:
            try:
                message, end = self.decoder.raw_decode(self.text)
            except ValueError:
                return
            self.text = self.text[end:].lstrip()
            if message.get("method") == "update":
                self.update(message["params"][1], now)
            elif message.get("method") == "echo":
                self.db.sendall(json.dumps({"result": message["params"], "error": None, "id": message["id"]}).encode())
            elif message.get("id") == "start":
                self.update(message["result"], now)
            elif message.get("id") == "now" and self.asked is not None:
                self.known, self.asked = self.asked, None

    def run(self):
        told = 0.0
        looked = self.known
        while True:
            before = time.time()
            for port, state in links().items():
                if self.links.get(port) != state:
                    self.links[port] = state
                    say(port=port, lo=looked, hi=time.time(), link=state)
            looked = before
            if self.asked is None:
                self.asked = time.time()
                self.send("echo", [], "now")
            if before - told > 0.1:
                told = before
                say(seen=min(looked, self.known))
            end = time.monotonic() + PERIOD
            while (left := end - time.monotonic()) > 0:
                if select.select([self.db], [], [], left)[0]:
                    self.receive()


Watch().run()
