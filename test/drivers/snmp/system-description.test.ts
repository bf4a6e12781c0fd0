import { describe, expect, it } from 'vitest';
import { enterpriseOf, vendorOf } from '../../../drivers/mib/enterprise.ts';
import { modelIn, versionIn } from '../../../drivers/snmp/system-description.ts';

describe('sysDescr', () => {
  it.each([
    ['Acme Networks EOS version 4.20.5F running on an Arista Networks DCS-7150S-52-CL', 'DCS-7150S-52-CL', '4.20.5F'],
    ['Cisco IOS Software, C3560 Software (C3560-IPSERVICESK9-M), Version 12.2(55)SE3, RELEASE', 'C3560', '12.2(55)SE3'],
    [
      'Juniper Networks, Inc. qfx5100-48s-6q Ethernet Switch, kernel JUNOS 14.1X53-D40.8',
      'qfx5100-48s-6q',
      '14.1X53-D40.8',
    ],
    [
      'OS Operating System Version: 2.0 Application Software Version: 9.9(0.0P9) Series: S4048-ON',
      'S4048-ON',
      '9.9(0.0P9)',
    ],
    ['H3C Comware Platform Software, Software Version 7.1.059, Release R0326 HPE VSR1000', 'VSR1000', '7.1.059'],
    ['SONiC Software Version: SONiC.4.4.1 - HwSku: DELL-E3248P - Kernel: 5.10.0', 'DELL-E3248P', 'SONiC.4.4.1'],
    ['Aruba JL635A 8325 GL.10.06.0110', 'JL635A', 'GL.10.06.0110'],
    ['RouterOS RB760iGS', 'RB760iGS', ''],
    ['MES2324B 28-port 1G/10G Managed Switch', 'MES2324B', ''],
    ['Linux tor 6.1.0-18-amd64 #1 SMP', 'Linux tor 6.1.0-18-amd64 #1 SMP', '6.1.0'],
    ['24-port 10/100/1000 Gigabit Switch', '24-port 10/100/1000 Gigabit Switch', ''],
    ['', '', ''],
  ])('%s', (description, model, version) => {
    expect(modelIn(description)).toBe(model);
    expect(versionIn(description)).toBe(version);
  });

  it('gives at most 64 characters, quickly', () => {
    const long = `A${'a'.repeat(100_000)} version ${'1'.repeat(100_000)}`;
    const start = performance.now();
    expect(modelIn(long).length).toBeLessThanOrEqual(64);
    expect(versionIn(long)).toHaveLength(64);
    expect(performance.now() - start).toBeLessThan(1000);
  });
});

describe('sysObjectID', () => {
  it.each([
    ['1.3.6.1.4.1.9.1.617', 'Cisco'],
    ['1.3.6.1.4.1.30065.1.3011', 'Arista'],
    ['1.3.6.1.4.1.2636', 'Juniper'],
    ['1.3.6.1.4.1.99', null],
    ['1.3.6.1.4.1', null],
    ['1.3.6.1.2.1.9', null],
    [null, null],
  ])('%s is of %s', (oid, vendor) => {
    expect(vendorOf(oid)).toBe(vendor);
  });

  it('has the enterprise number behind 1.3.6.1.4.1', () => {
    expect(enterpriseOf('1.3.6.1.4.1.11863.5.190')).toBe(11863);
    expect(enterpriseOf('1.3.6.1.4.1.')).toBeNull();
  });
});
