#!/usr/bin/python3
"""BRIDGE-MIB and Q-BRIDGE-MIB (1.3.6.1.2.1.17) of a real Open vSwitch bridge, as an AgentX subagent.

Reads: OVSDB JSON-RPC on the db socket (Bridge, Port, Interface) and `ovs-appctl fdb/show`.
Writes: one `ovs-vsctl` transaction per SNMP SET PDU, which waits until ovs-vswitchd has applied it.
OVS has no VLAN table, so names and row states of VLANs sit in Bridge.external_ids (dot1q-vlan-VID), and
what a port cannot express as vlan_mode/tag/trunks (an intermediate state of a move) in Port.external_ids."""
import json, os, re, select, socket, struct, subprocess, sys, time
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import agentx as ax
from agentx import SetError, INT, OCT, OID, G32, C32, TT

ROOT = ax.oid('1.3.6.1.2.1.17')
DEAD = 4095            # "no VLAN at all": an empty trunk list means every VLAN to OVS
BR = os.environ.get('BRIDGE', 'br0')
DB = '/run/openvswitch/db.sock'
T0 = time.time()


def ovsdb(*ops):
    s = socket.socket(socket.AF_UNIX); s.settimeout(3); s.connect(DB)
    s.sendall(json.dumps({'method': 'transact', 'id': 1, 'params': ['Open_vSwitch', *ops]}).encode())
    d, buf = json.JSONDecoder(), ''
    while True:
        x = s.recv(65536).decode()
        if not x:
            raise EOFError('ovsdb')
        buf += x
        try:
            o, n = d.raw_decode(buf)
        except ValueError:
            continue
        if o.get('id') == 1:
            s.close()
            return [r['rows'] for r in o['result']]
        buf = buf[n:]


def aslist(v):
    return v[1] if isinstance(v, list) and v and v[0] == 'set' else [v]


def asmap(v):
    return dict(v[1])


def nums(s):
    return {int(x) for x in s.split(',') if x}


def portlist(ports, n):
    b = bytearray((n + 7) // 8)
    for p in ports:
        b[(p - 1) // 8] |= 0x80 >> ((p - 1) % 8)
    return bytes(b)


def from_portlist(b):
    return {i * 8 + k + 1 for i, x in enumerate(b) for k in range(8) if x & (0x80 >> k)}


class Switch:
    """ports: {bridge port number: dict(name, ifindex, pvid, egress, untagged)}; vlans: {vid: (name, state)}"""

    def load(self):
        q = lambda t, c, w=(): {'op': 'select', 'table': t, 'where': list(w), 'columns': c}
        br, ports, ifs = ovsdb(q('Bridge', ['ports', 'external_ids', 'other_config'], [['name', '==', BR]]),
                               q('Port', ['_uuid', 'name', 'tag', 'trunks', 'vlan_mode', 'interfaces', 'external_ids']),
                               q('Interface', ['_uuid', 'name', 'ofport', 'type']))
        br = br[0]
        mine = {u[1] for u in aslist(br['ports'])}
        ifs = {i['_uuid'][1]: i for i in ifs}
        ext = asmap(br['external_ids'])
        self.aging = int(asmap(br['other_config']).get('mac-aging-time', 300))
        self.vlans = {1: ('default', 1)}
        for k, v in ext.items():
            m = re.fullmatch(r'dot1q-vlan-(\d+)', k)
            if m:
                st, _, name = v.partition(':')
                self.vlans[int(m[1])] = (name, int(st))
        self.ports, every = {}, []
        for p in ports:
            i = ifs[aslist(p['interfaces'])[0][1]]
            if p['_uuid'][1] not in mine or p['name'] == BR or i['type'] == 'internal':
                continue
            n = aslist(i['ofport'])
            if not n or n[0] < 1:
                continue
            tag = (aslist(p['tag']) or [None])[0]
            trunks = set(aslist(p['trunks']))
            mode = (aslist(p['vlan_mode']) or [''])[0] or ('access' if tag is not None else 'trunk')
            pe = asmap(p['external_ids'])
            try:
                ifx = int(open('/sys/class/net/%s/ifindex' % p['name']).read())
            except OSError:
                ifx = 0
            d = dict(name=p['name'], ifindex=ifx, all=False, frames=1)
            sig = '%s|%s|%s' % (mode, '' if tag is None else tag, ','.join(map(str, sorted(trunks))))
            if pe.get('dot1q-sig') == sig:              # ours, nobody touched it since
                d.update(pvid=int(pe['dot1q-pvid']), egress=nums(pe['dot1q-egress']), untagged=nums(pe['dot1q-untagged']),
                         frames=int(pe.get('dot1q-frames', 1)))
            elif mode == 'access':
                d.update(pvid=tag or 1, egress={tag or 1}, untagged={tag or 1})
            else:
                nat = tag if mode.startswith('native') else None
                d.update(pvid=nat or 1, egress=trunks - {DEAD} | ({nat} if nat else set()),
                         untagged={nat} if mode == 'native-untagged' and nat else set(), all=not trunks)
                if not trunks:
                    every.append(d)
            self.ports[n[0]] = d
            for v in d['egress'] | d['untagged']:
                if v and v not in self.vlans:
                    self.vlans[v] = ('', 1)
        for d in every:                                # a trunk with no list carries every VLAN
            d['egress'] |= set(self.vlans)
        self.nport = max(self.ports, default=0)
        return self

    def fdb(self):
        out = subprocess.run(['ovs-appctl', 'fdb/show', BR], capture_output=True, text=True, timeout=5).stdout
        r = []
        for l in out.splitlines()[1:]:
            f = l.split()
            if len(f) >= 4 and f[1].isdigit():
                r.append((int(f[0]) if f[0].isdigit() else 0, int(f[1]), tuple(int(x, 16) for x in f[2].split(':'))))
        return r


def columns(d):
    """vlan_mode, tag, trunks for pvid/egress/untagged.  OVS ties what enters untagged to what leaves untagged:
    a VLAN that is untagged on the port but not its PVID is not carried until the two agree."""
    pv, eg, un = d['pvid'], d['egress'], d['untagged'] & d['egress']
    if d['frames'] == 2:                               # admitOnlyVlanTagged
        return 'trunk', None, (eg - un) or {DEAD}
    if pv in eg and eg - {pv} <= un and pv in un:
        return 'access', pv, set()
    if pv in eg:
        tr = eg - {pv} - un
        if pv in un:
            return ('native-untagged', pv, tr) if tr else ('access', pv, set())
        return 'native-tagged', pv, tr or {pv}
    return 'trunk', None, (eg - un) or {DEAD}


class Backend:
    def __init__(self):
        self.snap, self.at = None, 0
        self.deletes = 0

    def snapshot(self):
        if self.snap is None or time.time() - self.at > 0.3:
            self.snap, self.at = self.build(), time.time()
        return self.snap

    def build(self):
        s = Switch().load()
        n = s.nport
        m = {}

        def put(o, t, v):
            m[ROOT + o] = (t, v)
        mac = bytes(int(x, 16) for x in open('/sys/class/net/%s/address' % BR).read().strip().split(':'))
        put((1, 1, 0), OCT, mac); put((1, 2, 0), INT, len(s.ports)); put((1, 3, 0), INT, 2)
        for p, d in s.ports.items():
            put((1, 4, 1, 1, p), INT, p); put((1, 4, 1, 2, p), INT, d['ifindex']); put((1, 4, 1, 3, p), OID, (0, 0))
            put((1, 4, 1, 4, p), C32, 0); put((1, 4, 1, 5, p), C32, 0)
        put((4, 1, 0), C32, 0); put((4, 2, 0), INT, s.aging)
        fdb = s.fdb()
        seen = {}
        for port, vid, a in fdb:
            st = 3 if port else 4                       # learned, or self (LOCAL)
            if a not in seen:
                seen[a] = (port, st)
            put((7, 1, 2, 2, 1, 2, vid) + a, INT, port); put((7, 1, 2, 2, 1, 3, vid) + a, INT, st)
        for a, (port, st) in seen.items():
            put((4, 3, 1, 1) + a, OCT, bytes(a)); put((4, 3, 1, 2) + a, INT, port); put((4, 3, 1, 3) + a, INT, st)
        put((7, 1, 1, 1, 0), INT, 1); put((7, 1, 1, 2, 0), INT, 4094); put((7, 1, 1, 3, 0), G32, 4094)
        put((7, 1, 1, 4, 0), G32, len(s.vlans)); put((7, 1, 1, 5, 0), INT, 2)
        for vid, (name, st) in s.vlans.items():
            eg = portlist([p for p, d in s.ports.items() if vid in d['egress']], n)
            un = portlist([p for p, d in s.ports.items() if vid in d['untagged']], n)
            put((7, 1, 2, 1, 1, 2, vid), C32, sum(1 for f in fdb if f[1] == vid))
            if st == 1:
                put((7, 1, 4, 2, 1, 3, 0, vid), G32, vid); put((7, 1, 4, 2, 1, 4, 0, vid), OCT, eg)
                put((7, 1, 4, 2, 1, 5, 0, vid), OCT, un); put((7, 1, 4, 2, 1, 6, 0, vid), INT, 2)
                put((7, 1, 4, 2, 1, 7, 0, vid), TT, 0)
            put((7, 1, 4, 3, 1, 1, vid), OCT, name); put((7, 1, 4, 3, 1, 2, vid), OCT, eg)
            put((7, 1, 4, 3, 1, 3, vid), OCT, portlist([], n)); put((7, 1, 4, 3, 1, 4, vid), OCT, un)
            put((7, 1, 4, 3, 1, 5, vid), INT, st)
        put((7, 1, 4, 1, 0), C32, self.deletes)
        for p, d in s.ports.items():
            put((7, 1, 4, 5, 1, 1, p), G32, d['pvid']); put((7, 1, 4, 5, 1, 2, p), INT, d['frames'])
            put((7, 1, 4, 5, 1, 3, p), INT, 1); put((7, 1, 4, 5, 1, 4, p), INT, 2)
            put((7, 1, 4, 5, 1, 5, p), C32, 0); put((7, 1, 4, 5, 1, 6, p), OCT, b'\0' * 6)
        return m

    # --- SET ---------------------------------------------------------------------------------------
    def test(self, vbs):
        s = Switch().load()
        before = {p: dict(d, egress=set(d['egress']), untagged=set(d['untagged'])) for p, d in s.ports.items()}
        old = dict(s.vlans)
        aging = None
        # row status first, so that the columns of a row made in the same PDU find it
        def rank(iv):
            o = iv[1][0][len(ROOT):]
            return 0 if o[:5] == (7, 1, 4, 3, 1) and o[5:6] == (5,) and iv[1][2] != 6 else 1
        dead = set()
        for i, (full, t, v) in sorted(enumerate(vbs, 1), key=rank):
            o = full[len(ROOT):]
            if o == (4, 2, 0):
                if t != INT: raise SetError(ax.wrongType, i)
                if not 10 <= v <= 1000000: raise SetError(ax.wrongValue, i)
                aging = v
            elif o[:5] == (7, 1, 4, 3, 1) and len(o) == 7:
                col, vid = o[5], o[6]
                if not 1 <= vid <= 4094: raise SetError(ax.noCreation, i)
                if col == 5:
                    if t != INT: raise SetError(ax.wrongType, i)
                    if v in (4, 5):
                        if vid in s.vlans: raise SetError(ax.inconsistentValue, i)
                        s.vlans[vid] = ('', 1 if v == 4 else 2)
                    elif v in (1, 2):
                        if vid not in s.vlans: raise SetError(ax.inconsistentValue, i)
                        s.vlans[vid] = (s.vlans[vid][0], v)
                    elif v == 6:
                        if vid == 1 or any(d['pvid'] == vid for d in s.ports.values()):
                            raise SetError(ax.inconsistentValue, i)
                        if vid in s.vlans:
                            s.vlans.pop(vid); dead.add(vid)
                        for d in s.ports.values():
                            d['egress'].discard(vid); d['untagged'].discard(vid)
                    else:
                        raise SetError(ax.wrongValue, i)
                    continue
                if col not in (1, 2, 3, 4): raise SetError(ax.notWritable, i)
                if t != OCT: raise SetError(ax.wrongType, i)
                if vid not in s.vlans: raise SetError(ax.inconsistentName, i)
                if col == 1:
                    if len(v) > 32: raise SetError(ax.wrongLength, i)
                    s.vlans[vid] = (v.decode('utf-8', 'replace'), s.vlans[vid][1])
                    continue
                want = from_portlist(v)
                if not want <= set(s.ports): raise SetError(ax.wrongValue, i)
                if col == 3:
                    if want: raise SetError(ax.inconsistentValue, i)      # OVS has no forbidden ports
                    continue
                key = 'egress' if col == 2 else 'untagged'
                for p, d in s.ports.items():
                    d['all'] = d['all'] and not (vid in d[key]) != (p in want)
                    (d[key].add if p in want else d[key].discard)(vid)
            elif o[:5] == (7, 1, 4, 5, 1) and len(o) == 7 and o[6] in s.ports:
                col, p = o[5], o[6]
                if col == 1:
                    if t not in (G32, INT): raise SetError(ax.wrongType, i)   # Gauge32 on the wire
                    if not 1 <= v <= 4094: raise SetError(ax.wrongValue, i)
                    if v not in s.vlans: raise SetError(ax.inconsistentValue, i)
                    s.ports[p]['pvid'] = v
                elif col == 2:
                    if t != INT: raise SetError(ax.wrongType, i)
                    if v not in (1, 2): raise SetError(ax.wrongValue, i)
                    s.ports[p]['frames'] = v
                elif col == 3:
                    if t != INT: raise SetError(ax.wrongType, i)
                    if v != 1: raise SetError(ax.inconsistentValue, i)       # what OVS does, and no other
                else:
                    raise SetError(ax.notWritable, i)
            else:
                raise SetError(ax.noCreation if o[:3] == (7, 1, 4) else ax.notWritable, i)
        return dict(sw=s, before=before, old=old, aging=aging, dead=dead)

    def commit(self, plan):
        s, cmd = plan['sw'], []
        for p, d in s.ports.items():
            b = plan['before'][p]
            if (b['pvid'], b['egress'], b['untagged'], b['frames']) == (d['pvid'], d['egress'], d['untagged'], d['frames']):
                continue
            mode, tag, tr = columns(d)
            eg = ','.join(map(str, sorted(d['egress']))); un = ','.join(map(str, sorted(d['untagged'])))
            trs = ','.join(map(str, sorted(tr)))
            cmd += ['--', 'set', 'port', d['name'], 'vlan_mode=' + mode, 'tag=' + ('[]' if tag is None else str(tag)),
                    'trunks=[%s]' % trs, 'external_ids:dot1q-pvid="%d"' % d['pvid'],
                    'external_ids:dot1q-frames="%d"' % d['frames'],
                    'external_ids:dot1q-egress="%s"' % eg, 'external_ids:dot1q-untagged="%s"' % un,
                    'external_ids:dot1q-sig="%s|%s|%s"' % (mode, '' if tag is None else tag, trs)]
        for vid in set(s.vlans) | set(plan['old']):
            if s.vlans.get(vid) != plan['old'].get(vid):
                if vid in s.vlans:
                    name, st = s.vlans[vid]
                    cmd += ['--', 'set', 'bridge', BR, 'external_ids:dot1q-vlan-%d=%s' % (vid, json.dumps('%d:%s' % (st, name)))]
                else:
                    cmd += ['--', 'remove', 'bridge', BR, 'external_ids', 'dot1q-vlan-%d' % vid]
        if plan['aging']:
            cmd += ['--', 'set', 'bridge', BR, 'other_config:mac-aging-time=%d' % plan['aging']]
        undo = self.save()
        if cmd:
            print('set:', ' '.join(cmd[1:]), flush=True)
            try:                                         # waits until ovs-vswitchd has taken it on
                subprocess.run(['ovs-vsctl', '--timeout=3'] + cmd, check=True, timeout=4)
            except (subprocess.SubprocessError, OSError):
                self.undo(undo)                          # the database may have it though the switch does not
                raise
        self.deletes += len(plan['dead'])
        self.snap = None
        return undo

    def save(self):
        br, ports = ovsdb({'op': 'select', 'table': 'Bridge', 'where': [['name', '==', BR]], 'columns': ['external_ids', 'other_config']},
                          {'op': 'select', 'table': 'Port', 'where': [], 'columns': ['name', 'tag', 'trunks', 'vlan_mode', 'external_ids']})
        return [('Bridge', br[0], [['name', '==', BR]])] + [('Port', {k: v for k, v in p.items() if k != 'name'},
                                                              [['name', '==', p['name']]]) for p in ports]

    def undo(self, saved):
        s = socket.socket(socket.AF_UNIX); s.settimeout(3); s.connect(DB)
        s.sendall(json.dumps({'method': 'transact', 'id': 1, 'params': ['Open_vSwitch'] + [
            {'op': 'update', 'table': t, 'where': w, 'row': r} for t, r, w in saved]}).encode())
        print('undo:', s.recv(65536), flush=True)
        self.snap = None


# --- ifOperStatus as it is now: snmpd itself keeps what it knows of interfaces for seconds, unlike a switch ------
class Links:
    ROOT = ax.oid('1.3.6.1.2.1.2.2.1.8')
    STATES = {'up': 1, 'down': 2, 'testing': 3, 'dormant': 5, 'notpresent': 6, 'lowerlayerdown': 7}

    def snapshot(self):
        m = {}
        for name in os.listdir('/sys/class/net'):
            try:
                read = lambda f: open('/sys/class/net/%s/%s' % (name, f)).read().strip()
                state = self.STATES.get(read('operstate'), 1 if int(read('flags'), 16) & 1 else 2)
                m[self.ROOT + (int(read('ifindex')),)] = (INT, state)
            except OSError:
                pass
        return m

    def test(self, vbs):
        raise SetError(ax.notWritable, 1)


# --- linkUp/linkDown straight from the kernel ------------------------------------------------------
def netlink():
    s = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0)
    s.bind((0, 1))                                       # RTMGRP_LINK
    return s


def link_events(data):
    p = 0
    while p + 16 <= len(data):
        n, typ, _, _, _ = struct.unpack_from('=IHHII', data, p)
        if n < 16:
            return
        if typ == 16:                                    # RTM_NEWLINK
            _, _, _, idx, flags, _ = struct.unpack_from('=BBHiII', data, p + 16)
            name, oper, q = '', 0, p + 32
            while q + 4 <= p + n:
                ln, at = struct.unpack_from('=HH', data, q)
                if ln < 4:
                    break
                if at == 3:
                    name = data[q + 4:q + ln - 1].decode()
                elif at == 16:
                    oper = data[q + 4]
                q += (ln + 3) & ~3
            yield idx, name, flags & 1, oper == 6
        p += (n + 3) & ~3


def main():
    traps = os.environ.get('LINKTRAPS') == 'agentx'
    b = Backend()
    a = ax.Agent('/var/agentx/master', 'BRIDGE-MIB and Q-BRIDGE-MIB of Open vSwitch', ROOT, b)
    links = ax.Agent('/var/agentx/master', 'Links', Links.ROOT, Links(), priority=1)
    print('registered', flush=True)
    if os.environ.get('PIDFILE'):
        open(os.environ['PIDFILE'], 'w').write(str(os.getpid()))
    nl = netlink()
    was = {}
    for n in os.listdir('/sys/class/net'):
        was[n] = open('/sys/class/net/%s/operstate' % n).read().strip() == 'up'
    while True:
        r, _, _ = select.select([a, links, nl], [], [], 15)
        if not r:
            a.ping()
            links.ping()
        for one in (a, links):
            if one in r:
                one.handle()
        if nl in r:
            for idx, name, admin, up in link_events(nl.recv(65536)):
                if traps and name.startswith('swp') and was.get(name) != up:
                    a.notify([(ax.oid('1.3.6.1.6.3.1.1.4.1.0'), OID, ax.oid('1.3.6.1.6.3.1.1.5.%d' % (4 if up else 3))),
                              (ax.oid('1.3.6.1.2.1.2.2.1.1') + (idx,), INT, idx),
                              (ax.oid('1.3.6.1.2.1.2.2.1.7') + (idx,), INT, 1 if admin else 2),
                              (ax.oid('1.3.6.1.2.1.2.2.1.8') + (idx,), INT, 1 if up else 2)])
                was[name] = up


if __name__ == '__main__':
    for attempt in range(1000):                          # snmpd may be restarted under us
        try:
            main()
        except (EOFError, OSError) as e:
            print('again after:', e, flush=True)
            time.sleep(0.5)
