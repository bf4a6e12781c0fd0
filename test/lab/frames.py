#!/usr/bin/python3
"""Test frames, tagged or not, on kernels without 8021q. Runs inside a node of the lab.

  frames.py send   --iface I [--iface J] [--vid V ...] --mark M [--count N]    sends N frames for each V and ends
  frames.py listen --iface I --until M [--seconds S]                           a line a frame, until a frame marked M
  frames.py talk   --iface I --mark M [--vid V ...] [--rate R]                 sends R frames a second for each V and listens

VID 0: untagged. A frame is a broadcast of ethertype 0x88b5 (IEEE 802, local experiments) whose payload says mark, VID,
sequence number and time of sending. Everything printed is one JSON object a line. `listen` and `talk` print
{"ready": true} once they hear everything. `talk` prints every frame with a mark other than its own (the first 1,000), and
on SIGTERM a summary: what was sent, what was heard by mark and VID, and how many frames the kernel dropped on the way to us.
"""
import argparse
import ctypes
import json
import select
import signal
import socket
import struct
import sys
import time

SOL_PACKET, PACKET_STATISTICS, PACKET_AUXDATA, PACKET_IGNORE_OUTGOING = 263, 6, 8, 23
SO_ATTACH_FILTER, SO_RCVBUFFORCE = 26, 33
STATUS_VLAN_VALID = 0x10
ETHERTYPE, TAG = 0x88B5, 0x8100
# Frames of `talk` and of `send` do not mix: a single test frame is no leak.
TALK, SINGLE = b'pktalk ', b'pkframe '
PRINTED_AT_MOST = 1000


def open_listener(iface):
    """All frames of the interface with our ethertype. ETH_P_ALL, since only there the tag that the kernel took off is still told."""
    sock = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
    # ldh [12]; jeq 0x88b5 -> accept; jeq 0x8100 -> accept (an inner tag); drop
    code = [(0x28, 0, 0, 12), (0x15, 1, 0, ETHERTYPE), (0x15, 0, 1, TAG), (0x06, 0, 0, 0xFFFF), (0x06, 0, 0, 0)]
    blob = ctypes.create_string_buffer(b''.join(struct.pack('HBBI', *line) for line in code))
    sock.setsockopt(socket.SOL_SOCKET, SO_ATTACH_FILTER, struct.pack('HL', len(code), ctypes.addressof(blob)))
    sock.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 16 << 20)
    sock.setsockopt(SOL_PACKET, PACKET_AUXDATA, 1)
    sock.setsockopt(SOL_PACKET, PACKET_IGNORE_OUTGOING, 1)
    sock.bind((iface, 3))  # ETH_P_ALL
    sock.setblocking(False)
    return sock


def open_sender(iface):
    """Protocol 0: receives nothing."""
    sock = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
    sock.bind((iface, 0))
    return sock


def receive(sock, magic):
    """The next frame as a dictionary; None: none is waiting; {}: not one of ours."""
    try:
        data, ancillary, _, _ = sock.recvmsg(2048, 64)
    except BlockingIOError:
        return None
    vid = 0
    for level, kind, value in ancillary:
        if level == SOL_PACKET and kind == PACKET_AUXDATA:
            status, _, _, _, _, tci = struct.unpack('IIIHHH', value[:18])
            if status & STATUS_VLAN_VALID:
                vid = tci & 0xFFF
    at = 12
    if vid == 0 and data[12:14] == b'\x81\x00':
        vid, at = struct.unpack('>H', data[14:16])[0] & 0xFFF, 16
    payload = data[at + 2:].rstrip(b'\0')
    if not payload.startswith(magic):
        return {}
    fields = payload[len(magic):].split(b' ')
    if len(fields) != 4:
        return {}
    mark, sent_vid, number, sent_at = (f.decode('ascii', 'replace') for f in fields)
    return {'time': time.time(), 'vid': vid, 'mark': mark, 'sentVid': int(sent_vid), 'number': int(number), 'sentAt': float(sent_at)}


def frame(magic, mac, vid, mark, number):
    tag = struct.pack('>HH', TAG, vid) if vid else b''
    payload = magic + ('%s %d %d %.6f' % (mark, vid, number, time.time())).encode('ascii')
    return b'\xff' * 6 + mac + tag + struct.pack('>H', ETHERTYPE) + payload.ljust(80, b'\0')


def mac_of(iface):
    with open('/sys/class/net/%s/address' % iface, encoding='ascii') as file:
        return bytes(int(part, 16) for part in file.read().strip().split(':'))


def say(item):
    sys.stdout.write(json.dumps(item) + '\n')
    sys.stdout.flush()


def send(options):
    for iface in options.iface:
        sock, mac = open_sender(iface), mac_of(iface)
        for number in range(options.count):
            for vid in options.vid or [0]:
                sock.send(frame(SINGLE, mac, vid, options.mark, number))


def listen(options):
    sock = open_listener(options.iface[0])
    say({'ready': True})
    end = time.monotonic() + options.seconds
    while (left := end - time.monotonic()) > 0:
        select.select([sock], [], [], left)
        while (item := receive(sock, SINGLE)) is not None:
            if item.get('mark') == options.until:
                return 0
            if item:
                say(item)
    print('frames.py: no frame marked %s within %g s' % (options.until, options.seconds), file=sys.stderr)
    return 1


def talk(options):
    iface, vids = options.iface[0], options.vid or [0]
    listener, sender, mac = open_listener(iface), open_sender(iface), mac_of(iface)
    stop = []
    signal.signal(signal.SIGTERM, lambda *_: stop.append(True))
    heard, sent, unsent, printed, number = {}, 0, 0, 0, 0
    gap = 1 / options.rate
    due = time.monotonic()
    say({'ready': True})
    while not stop:
        now = time.monotonic()
        if now >= due:
            number += 1
            for vid in vids:
                try:
                    sender.send(frame(TALK, mac, vid, options.mark, number))
                    sent += 1
                except OSError:  # the cable is out
                    unsent += 1
            due = max(due + gap, now)  # what was missed is not made up for by a burst
        try:
            select.select([listener], [], [], max(0, due - time.monotonic()))
            while (item := receive(listener, TALK)) is not None:
                if not item:
                    continue
                key = item['mark'], item['vid']
                heard[key] = heard.get(key, 0) + 1
                if item['mark'] != options.mark and printed < PRINTED_AT_MOST:
                    printed += 1
                    say(item)
        except OSError:  # ENETDOWN is told once when the cable is pulled
            continue
    _, dropped = struct.unpack('II', listener.getsockopt(SOL_PACKET, PACKET_STATISTICS, 8))
    say({
        'summary': True, 'sent': sent, 'unsent': unsent, 'dropped': dropped,
        'heard': [{'mark': mark, 'vid': vid, 'frames': count} for (mark, vid), count in sorted(heard.items())],
    })
    return 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('action', choices=['send', 'listen', 'talk'])
    parser.add_argument('--iface', action='append', required=True)
    parser.add_argument('--vid', action='append', type=int)
    parser.add_argument('--mark', default='')
    parser.add_argument('--until', default='')
    parser.add_argument('--count', type=int, default=1)
    parser.add_argument('--rate', type=float, default=200)
    parser.add_argument('--seconds', type=float, default=10)
    options = parser.parse_args()
    return {'send': send, 'listen': listen, 'talk': talk}[options.action](options)


if __name__ == '__main__':
    sys.exit(main())
