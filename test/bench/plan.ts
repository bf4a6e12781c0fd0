import type { DesiredPort } from '../../agent/pipeline/desired.ts';
import { type PlanInput, planSwitch } from '../../agent/pipeline/plan.ts';
import type { PortConfig, PortState } from '../../drivers/model/port.ts';
import { configured, switchport } from '../../drivers/model/switchport.ts';
import { VlanSet } from '../../drivers/model/vlan-set.ts';
import { sim } from '../../drivers/sim/index.ts';
import type { Measured } from './figures.ts';
import { median } from './stats.ts';

const PORTS = 4096;
const VLANS = 200;

/** Planning a switch of 4,096 trunk ports with 200 VLANs each: once every port differs, once none does. */
export function measurePlan(runs: number): Measured<'plan'> {
  const wanted = Array.from({ length: PORTS }, (_, i) => trunk(i));
  const different = input(wanted, (i) => scattered(i + 1));
  const same = input(wanted, scattered);
  const time = (of: PlanInput, changes: number) => {
    const began = performance.now();
    const plan = planSwitch(of);
    const ms = performance.now() - began;
    if (plan.changes.ports.length !== changes) throw new Error(`${plan.changes.ports.length} changes, not ${changes}`);
    return ms;
  };
  const times: { readonly different: number[]; readonly same: number[] } = { different: [], same: [] };
  for (let run = 0; run < runs; run++) {
    times.different.push(time(different, PORTS));
    times.same.push(time(same, 0));
  }
  return { 'plan.4096x200Ms': median(times.different), 'plan.4096x200.unchangedMs': median(times.same) };
}

/** 200 VLANs, no two of them next to each other; another list for each of 3,600 ports. */
function scattered(port: number): VlanSet {
  const first = 2 + (port % 3600);
  const ids = Array.from({ length: VLANS }, (_, i) => 2 + ((first + 2 * i) % 4092));
  return VlanSet.of(...ids);
}

function trunk(port: number): PortConfig {
  return { switchport: switchport('trunk', 1, scattered(port)), adminState: 'up', mtu: null, description: null };
}

function input(wanted: readonly PortConfig[], tagged: (port: number) => VlanSet): PlanInput {
  const ports = wanted.map(
    (config, i): PortState => ({
      name: `swp${i + 1}`,
      aliases: [],
      kind: 'physical',
      ifIndex: i + 1,
      adminState: 'up',
      operState: 'up',
      speedMbps: 25_000,
      mtu: 1500,
      description: '',
      macAddress: null,
      switchport: configured(config.switchport.mode, 1, tagged(i)),
      lag: null,
      carriesManagement: false,
      problem: null,
    }),
  );
  const desired = wanted.map((config, i): [string, DesiredPort] => [
    `swp${i + 1}`,
    { config, owner: `ironic/worker-${i + 1}`, network: null, sets: { mtu: false, description: false } },
  ]);
  return {
    desired: new Map(desired),
    usedVlans: VlanSet.ALL,
    reading: { ports, vlans: VlanSet.ALL.ids().map((id) => ({ id, name: `pk-${id}` })), unsaved: false },
    capabilities: sim.capabilities,
    ownedVlans: VlanSet.ALL,
    manageVlans: true,
    bounce: false,
    refusedVlans: new Map(),
    skip: new Set(),
  };
}
