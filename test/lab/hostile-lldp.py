"""Sends LLDP frames as a hostile host would: NUL, escapes, longest fields, unknown subtypes, JSON in a name."""
import socket
import struct
import sys


def tlv(kind, value):
    return struct.pack("!H", kind << 9 | len(value)) + value


def mac(n):
    return bytes([2, 0, 0, 0, 0, n])


TTL = tlv(3, struct.pack("!H", 120))
NAMES = b'a\x1b[2J\x00evil', b'")}]}\n{"lldp": []}\xe2\x80\xae\x1b]0;x\x07'
FRAMES = [
    [tlv(1, b"\x04" + mac(1)), tlv(2, b"\x05eth0\x1b[2J\x00evil"), TTL, tlv(4, b"P" * 255),
     tlv(5, NAMES[0]), tlv(6, b"D" * 255), tlv(7, struct.pack("!HH", 0xFF, 0x14))],
    [tlv(1, b"\x07" + b"L" * 255), tlv(2, b"\x07" + b"p" * 255), TTL, tlv(5, NAMES[1])],
    [tlv(1, b"\x01comp"), tlv(2, b"\x03" + mac(3)), TTL],
]

link = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
link.bind((sys.argv[1], 0))
for number, tlvs in enumerate(FRAMES, 1):
    link.send(bytes.fromhex("0180c200000e") + mac(number) + b"\x88\xcc" + b"".join(tlvs) + b"\0\0")
