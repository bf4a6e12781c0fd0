import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Lab, type SnmpLogin, startLab } from '../lab/lab.ts';
import { describeWithParts, LAB_PARTS } from '../support/parts.ts';

const EGRESS = '1.3.6.1.2.1.17.7.1.4.3.1.2';
const UNTAGGED = '1.3.6.1.2.1.17.7.1.4.3.1.4';
const ROW_STATUS = '1.3.6.1.2.1.17.7.1.4.3.1.5';
const PVID = '1.3.6.1.2.1.17.7.1.4.5.1.1';

/** The lab's SNMP, from the outside: the tools of net-snmp, and the switch's own database. */
describeWithParts('the SNMP agent of the lab', [...LAB_PARTS, 'snmpd', 'snmp'], () => {
  let lab: Lab;
  let login: SnmpLogin;

  beforeAll(async () => {
    lab = await startLab({ ports: 3 });
    login = await lab.startSnmp();
  });
  afterAll(async () => {
    await lab?.stop();
  });

  const v3 = () => [
    ...['-m', '', '-v3', '-l', 'authPriv', '-u', login.user, '-a', 'SHA-256', '-A', login.authPassword],
    ...['-x', 'AES', '-X', login.privPassword, '-r1', '-t3', '-Onq', login.host],
  ];
  const v2 = (community: string) => ['-m', '', '-v2c', '-c', community, '-r1', '-t3', '-Onq', login.host];
  const run = (tool: string, ...args: string[]) => lab.in('agent', [tool, ...args]);

  it('shows what the switch has, and moves a port by one request', async () => {
    const walked = await run('snmpbulkwalk', ...v3(), EGRESS);
    expect(walked.stdout).toContain(`.${EGRESS}.1 `);
    expect((await run('snmpset', ...v3(), `${ROW_STATUS}.300`, 'i', '4')).code).toBe(0);
    const moved = await run(
      'snmpset',
      ...v3(),
      ...[`${EGRESS}.300`, 'x', '80', `${UNTAGGED}.300`, 'x', '80', `${PVID}.1`, 'u', '300'],
      ...[`${UNTAGGED}.1`, 'x', '60', `${EGRESS}.1`, 'x', '60'],
    );
    expect(`${moved.code} ${moved.stderr}`).toBe('0 ');
    expect(await lab.vlansOf('swp1')).toBe('access 300 []');
    expect(await lab.vlansOf('swp2')).toBe('access 1 []');
  });

  it('does nothing of a request of which it refuses a part', async () => {
    const before = await lab.vlansOf('swp2');
    const refused = await run('snmpset', ...v3(), `${PVID}.2`, 'u', '300', `${PVID}.3`, 'u', '3999');
    expect(refused.code).not.toBe(0);
    expect(await lab.vlansOf('swp2')).toBe(before);
    expect((await run('snmpset', ...v2(login.readCommunity), `${PVID}.2`, 'u', '300')).code).not.toBe(0);
    expect((await run('snmpset', ...v3(), `${ROW_STATUS}.300`, 'i', '6')).code, 'a VLAN in use').not.toBe(0);
    expect(await lab.vlansOf('swp2')).toBe(before);
  });

  it('shows the hosts by LLDP, and counts its starts', async () => {
    const names = async () => (await run('snmpbulkwalk', ...v3(), '1.0.8802.1.1.2.1.4.1.1.9')).stdout;
    for (let i = 0; i < 100 && !/h1[\s\S]*h2|h2[\s\S]*h1/.test(await names()); i++)
      await new Promise((resolve) => setTimeout(resolve, 100));
    expect(await names()).toMatch(/h1/);
    const boots = async () => Number((await run('snmpget', ...v3(), '-Ov', '1.3.6.1.6.3.10.2.1.2.0')).stdout.trim());
    const before = await boots();
    await lab.startSnmp();
    expect(await boots()).toBe(before + 1);
  });
});
