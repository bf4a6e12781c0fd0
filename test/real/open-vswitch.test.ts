import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PortChange, StepResult } from '../../drivers/driver.ts';
import type { PortConfig, PortState } from '../../drivers/model/port.ts';
import { type Switchport, switchport, switchportHolds } from '../../drivers/model/switchport.ts';
import { VlanSet } from '../../drivers/model/vlan-set.ts';
import { renderOvs } from '../../drivers/open-vswitch/commands.ts';
import { type OvsNode, startOvsNode } from '../support/ovs-node.ts';
import { describeWithParts } from '../support/parts.ts';

const PORTS = 48;
const wanted = (sw: Switchport, rest: Partial<PortConfig> = {}): PortConfig => ({
  switchport: sw,
  adminState: 'up',
  mtu: null,
  description: null,
  ...rest,
});
const errors = (results: readonly StepResult[]) => results.map((r) => r.error?.message ?? null);

/** Kills a process and waits until the kernel has taken it down: a signal is only asked for at first. */
async function end(pid: number): Promise<void> {
  process.kill(pid, 'SIGKILL');
  const alive = () => existsSync(`/proc/${pid}`) && !/^State:\t[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  while (alive()) await new Promise((resolve) => setImmediate(resolve));
}

describeWithParts(
  'Open vSwitch driver on a real Open vSwitch',
  ['root+namespaces', 'open-vswitch', 'python3', 'lldpd'],
  () => {
    let node: OvsNode;
    let local: ReturnType<OvsNode['session']>;
    beforeAll(() => {
      node = startOvsNode(PORTS);
      local = node.session();
    });
    afterAll(() => node?.stop());

    const port = async (name: string): Promise<PortState> => {
      const found = (await local.session.read()).ports.find((p) => p.name === name);
      if (found === undefined) throw new Error(`no port ${name}`);
      return found;
    };
    const change = async (name: string, to: PortConfig, bounce = false) => {
      const ports: PortChange[] = [{ from: await port(name), to, bounce }];
      return local.session.apply(renderOvs({ createVlans: [], ports, deleteVlans: [] }));
    };

    it('says who it is, with the same boot ID until a daemon is started again', async () => {
      const identity = await local.session.identify();
      expect(identity).toMatchObject({
        vendor: 'Open vSwitch',
        model: 'Open vSwitch (netdev)',
        chassisId: '02:00:00:00:0b:00',
      });
      expect(identity.bootId).toMatch(/^[0-9a-f-]{36}\/[0-9]+\.[0-9]+\/[0-9]+\.[0-9]+$/);
      expect(await local.session.identify()).toEqual(identity);
    });

    it('reads every port with the state of its device', async () => {
      const { ports } = await local.session.read();
      expect(ports.map((p) => p.name)).toEqual(['br0', ...Array.from({ length: PORTS }, (_, i) => `swp${i + 1}`)]);
      expect(ports[1]).toMatchObject({
        kind: 'physical',
        adminState: 'up',
        operState: 'up',
        speedMbps: 10_000,
        mtu: 1500,
        problem: null,
      });
      expect(ports[0]).toMatchObject({ kind: 'other' });
    });

    it('makes every mode so that reading it back holds', async () => {
      const modes: Switchport[] = [
        switchport('access', 100),
        switchport('trunk', null, VlanSet.parse('200-202,300')),
        switchport('trunk', 100, VlanSet.parse('1,200')),
        switchport('hybrid', 4094, VlanSet.of(1)),
        switchport('trunk', 7),
        switchport('trunk', null, VlanSet.ALL),
        switchport('hybrid', 1, VlanSet.ALL),
        switchport('access', 1),
      ];
      for (const sw of modes) {
        expect(errors(await change('swp1', wanted(sw)))).toEqual([null]);
        const { switchport: actual } = await port('swp1');
        expect(switchportHolds(sw, actual), JSON.stringify([sw, actual])).toBe(true);
      }
    });

    it('sets admin state, MTU and description, and clears the description', async () => {
      const text = String.raw`Worker-1 a'b "q" \ $x ${'`y`'} !,{}=[]:;#&|<>?*~^%()@+/`;
      const sw = switchport('access', 9);
      const to = wanted(sw, { adminState: 'down', mtu: 9000, description: text });
      expect(errors(await change('swp2', to))).toEqual([null]);
      expect(await port('swp2')).toMatchObject({ adminState: 'down', operState: 'down', mtu: 9000, description: text });
      expect(errors(await change('swp2', wanted(sw, { mtu: 1500, description: '' })))).toEqual([null]);
      expect(await port('swp2')).toMatchObject({ adminState: 'up', mtu: 1500, description: '' });
    });

    it('shows the MTU that the device really has when it refused the one asked for', async () => {
      node.sh('ovs-vsctl --timeout=9 set interface swp2 mtu_request=70000');
      expect((await port('swp2')).mtu).toBe(1500);
      expect(errors(await change('swp2', wanted(switchport('access', 9), { mtu: 1400 })))).toEqual([null]);
      expect((await port('swp2')).mtu).toBe(1400);
    });

    it('bounces a port: the host sees the link go and come', async () => {
      const lost = () => Number(node.sh('cat /sys/class/net/h3/carrier_down_count'));
      const before = lost();
      expect(errors(await change('swp3', wanted(switchport('access', 9))))).toEqual([null]);
      expect(lost()).toBe(before);
      expect(errors(await change('swp3', wanted(switchport('access', 9)), true))).toEqual([null]);
      expect(lost()).toBe(before + 1);
      expect(await port('swp3')).toMatchObject({ adminState: 'up', operState: 'up' });
    });

    it('changes one port, and 48, in one round trip', async () => {
      const { ports } = await local.session.read();
      const access = ports.filter((p) => p.name.startsWith('swp'));
      const batch = (vlan: number, from: readonly PortState[]) =>
        renderOvs({
          createVlans: [],
          ports: from.map((p, i) => ({
            from: p,
            to: wanted(switchport('trunk', vlan + i, VlanSet.range(3000, 3500))),
            bounce: false,
          })),
          deleteVlans: [],
        });
      for (const from of [access.slice(0, 1), access]) {
        const before = local.scripts.length;
        expect(errors(await local.session.apply(batch(500, from)))).toEqual(from.map(() => null));
        expect(local.scripts.length - before).toBe(1);
      }
      const after = (await local.session.read()).ports.filter((p) => p.name.startsWith('swp'));
      after.forEach((p, i) => {
        expect(switchportHolds(switchport('trunk', 500 + i, VlanSet.range(3000, 3500)), p.switchport)).toBe(true);
      });
    });

    it('shuts and raises 48 ports around their change in one round trip', async () => {
      const ports = (await local.session.read()).ports.filter((p) => p.name.startsWith('swp'));
      const to = wanted(switchport('access', 8));
      const steps = renderOvs({
        createVlans: [],
        ports: ports.map((from) => ({ from, to, bounce: true })),
        deleteVlans: [],
      });
      const before = local.scripts.length;
      expect(errors(await local.session.apply(steps))).toEqual(ports.map(() => null));
      expect(local.scripts.length - before).toBe(1);
      const after = (await local.session.read()).ports.filter((p) => p.name.startsWith('swp'));
      expect(after.every((p) => p.adminState === 'up' && p.switchport.nativeVlan === 8)).toBe(true);
    });

    it('keeps ports that fail apart from the other 45, in the same round trip', async () => {
      const ports = (await local.session.read()).ports.filter((p) => p.name.startsWith('swp'));
      // A port that is gone, one whose device is gone, and one whose name is the beginning of another row's UUID.
      const uuid = node.sh('ovs-vsctl --bare --columns=_uuid list port swp9').trim();
      const names: Record<string, string> = { swp5: 'gone5', swp6: 'gone6', swp7: uuid.slice(0, 8) };
      const changes = ports.map((p) => ({
        from: { ...p, name: names[p.name] ?? p.name },
        to: wanted(switchport('access', 77), { adminState: p.name === 'swp6' ? 'down' : 'up' }),
        bounce: false,
      }));
      const before = local.scripts.length;
      const results = await local.session.apply(renderOvs({ createVlans: [], ports: changes, deleteVlans: [] }));
      expect(local.scripts.length - before).toBe(1);
      const failed = results.filter((r) => r.error !== null);
      expect(failed.map((r) => r.step.subject)).toEqual(['gone5', 'gone6', uuid.slice(0, 8)]);
      expect(failed[0]?.error?.message).toContain('no row "gone5" in table Port');
      expect(failed[1]?.error?.message).toContain('Cannot find device "gone6"');
      const after = await local.session.read();
      const moved = after.ports.filter((p) => p.switchport.nativeVlan === 77).map((p) => p.name);
      expect(moved).toEqual(ports.map((p) => p.name).filter((name) => !(name in names)));
    });

    it('lists bonds, other devices and ports whose device is missing, and refuses names that do not fit', async () => {
      node.sh(`ip link add b1 type veth peer name b1h; ip link add b2 type veth peer name b2h
      ip link set b1 up; ip link set b2 up; ip link set b1h up; ip link set b2h up
      ovs-vsctl --timeout=9 add-bond br0 bond0 b1 b2 tag=33 -- add-port br0 'od;d' -- set interface 'od;d' type=internal
      ovs-vsctl --timeout=9 add-port br0 nodev tag=34 2>/dev/null`);
      const { ports } = await local.session.read();
      const find = (name: string) => ports.find((p) => p.name === name);
      expect(find('bond0')).toMatchObject({ kind: 'lag', operState: 'up' });
      expect(find('b1')).toMatchObject({ lag: 'bond0', switchport: { mode: 'none' } });
      expect(find('"od;d"')).toMatchObject({ kind: 'other', switchport: { mode: 'other' } });
      expect(find('nodev')?.problem).toContain('No such device');
      const to = wanted(switchport('access', 35));
      const from = ['bond0', 'b1', '"od;d"'].map((name) => find(name) as PortState);
      const steps = renderOvs({
        createVlans: [],
        ports: from.map((f) => ({ from: f, to: { ...to, adminState: f.adminState }, bounce: false })),
        deleteVlans: [],
      });
      expect((await local.session.apply(steps)).map((r) => r.error?.kind ?? null)).toEqual([
        null,
        'unsupported',
        'unsupported',
      ]);
      expect((await port('bond0')).switchport.nativeVlan).toBe(35);
      node.sh(`ovs-vsctl --timeout=9 del-port br0 bond0 -- del-port br0 'od;d' -- del-port br0 nodev`);
    });

    it('finds the port that the agent comes by', async () => {
      node.sh(`ip addr add 198.18.0.1/24 dev br0; ip link set br0 up; ip link set h4 address 02:00:00:00:00:44
      ovs-vsctl --timeout=9 set port br0 tag=44 -- set port swp4 vlan_mode=access tag=44 'trunks=[]'
      ip neigh replace 198.18.0.4 lladdr 02:00:00:00:00:44 dev br0 nud permanent
      python3 -c 'import socket; s=socket.socket(socket.AF_PACKET,socket.SOCK_RAW); s.bind(("h4",0)); s.send(b"\\xff"*6+bytes.fromhex("020000000044")+b"\\x88\\xb5"+b"x"*50)'`);
      const previous = process.env['SSH_CONNECTION'];
      process.env['SSH_CONNECTION'] = '198.18.0.4 40000 198.18.0.1 22';
      try {
        const { ports } = await node.session().session.read();
        expect(ports.filter((p) => p.carriesManagement).map((p) => p.name)).toEqual(['br0', 'swp4']);
      } finally {
        if (previous === undefined) delete process.env['SSH_CONNECTION'];
        else process.env['SSH_CONNECTION'] = previous;
      }
    });

    it('reads hostile neighbours from a real lldpd', async () => {
      node.sh(`setsid lldpd -d -I swp8 >${node.folder}/lldpd.log 2>&1 </dev/null & echo $! >${node.folder}/lldpd.pid
      for i in $(seq 100); do lldpcli show configuration >/dev/null 2>&1 && break; sleep 0.05; done`);
      try {
        node.sh(`python3 ${join(import.meta.dirname, '../lab/hostile-lldp.py')} h8`);
        const { session } = node.session({ lldp: true });
        let neighbors = await session.neighbors();
        for (let tries = 0; neighbors.length < 3 && tries < 50; tries++) neighbors = await session.neighbors();
        expect(neighbors.map((n) => [n.port, n.chassisId.subtype, n.portId.subtype])).toEqual([
          ['swp8', 'mac', 'ifname'],
          ['swp8', 'local', 'local'],
          ['swp8', 'unknown', 'mac'],
        ]);
        const text = neighbors.flatMap((n) => [
          n.chassisId.value,
          n.portId.value,
          n.systemName,
          n.systemDescription,
          n.portDescription,
        ]);
        for (const value of text) expect(value).not.toMatch(/[\p{Cc}\p{Cf}]/u);
        expect(neighbors[0]).toMatchObject({
          capabilities: ['bridge', 'router'],
          systemDescription: 'D'.repeat(255),
          ttlSeconds: 120,
        });
        expect((await session.identify()).chassisId).toMatch(/^[0-9a-f:]{17}$/);
      } finally {
        process.kill(Number(node.sh(`cat ${node.folder}/lldpd.pid`)), 'SIGTERM');
      }
    });

    describe('with ovs-vswitchd not at work', () => {
      it('neither believes a change nor a reading while it hangs, and both again afterwards', async () => {
        const short = node.session({}, 3000).session;
        const from = await port('swp10');
        const steps = renderOvs({
          createVlans: [],
          ports: [{ from, to: wanted(switchport('access', 111)), bounce: true }],
          deleteVlans: [],
        });
        await short.read();
        process.kill(node.pid('ovs-vswitchd'), 'SIGSTOP');
        try {
          await expect(short.apply(steps)).rejects.toMatchObject({
            kind: 'timeout',
            message: expect.stringContaining('did not confirm'),
          });
          // The database has the new VLAN already; the port was shut before and is not brought up.
          expect(node.sh('ovs-vsctl --bare --columns=tag list port swp10').trim()).toBe('111');
          expect(node.sh('ip -o link show swp10')).not.toContain(',UP');
          await expect(short.read()).rejects.toMatchObject({
            kind: 'timeout',
            message: expect.stringContaining('is stopped'),
          });
        } finally {
          process.kill(node.pid('ovs-vswitchd'), 'SIGCONT');
        }
        expect((await port('swp10')).switchport.nativeVlan).toBe(111);
      });

      it('does not believe the database of a dead one, and sees the restart', async () => {
        const { bootId } = await local.session.identify();
        await end(node.pid('ovs-vswitchd'));
        await expect(local.session.read()).rejects.toMatchObject({ kind: 'timeout' });
        node.sh(
          `ovs-vswitchd unix:${node.folder}/db.sock --pidfile --detach --no-chdir --log-file=${node.folder}/sw.log -vconsole:off --disable-system`,
        );
        expect((await local.session.identify()).bootId).not.toBe(bootId);
        expect((await port('swp10')).switchport.nativeVlan).toBe(111);
      });

      it('says that the database is away', async () => {
        await end(node.pid('ovsdb-server'));
        await expect(local.session.read()).rejects.toMatchObject({
          kind: 'rejected',
          message: expect.stringContaining('database connection failed'),
        });
      });
    });
  },
);
