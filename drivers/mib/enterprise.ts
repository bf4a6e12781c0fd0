/** IANA private enterprise numbers of makers of switches, and the name that they sell under today. */
const VENDORS: Readonly<Record<string, string>> = {
  9: 'Cisco',
  11: 'HPE',
  45: 'Extreme',
  171: 'D-Link',
  207: 'Allied Telesis',
  248: 'Hirschmann',
  259: 'Edgecore',
  674: 'Dell',
  890: 'Zyxel',
  1588: 'Brocade',
  1916: 'Extreme',
  1991: 'Ruckus',
  2011: 'Huawei',
  2272: 'Extreme',
  2636: 'Juniper',
  3320: 'BDCOM',
  3709: 'Datacom',
  3902: 'ZTE',
  3955: 'Linksys',
  4329: 'Siemens',
  4413: 'Broadcom',
  4526: 'Netgear',
  4881: 'Ruijie',
  5624: 'Extreme',
  5651: 'Maipu',
  6027: 'Dell',
  6141: 'Ciena',
  6339: 'Digital China',
  6486: 'Alcatel-Lucent Enterprise',
  8072: 'Net-SNMP',
  8691: 'Moxa',
  8886: 'Raisecom',
  11863: 'TP-Link',
  14988: 'MikroTik',
  25506: 'H3C',
  27514: 'QTECH',
  30065: 'Arista',
  33049: 'NVIDIA',
  35098: 'Pica8',
  35265: 'Eltex',
  36673: 'IP Infusion',
  40310: 'NVIDIA',
  40418: 'SNR',
  41112: 'Ubiquiti',
  46242: 'Netonix',
  47196: 'HPE Aruba',
  52642: 'FS',
};

/** Enterprise number of a sysObjectID (below 1.3.6.1.4.1); null when it has none. */
export function enterpriseOf(objectId: string | null): number | null {
  const number = /^1\.3\.6\.1\.4\.1\.([0-9]{1,10})(?:\.|$)/.exec(objectId ?? '')?.[1];
  return number === undefined ? null : Number(number);
}

/** Vendor by the enterprise number of sysObjectID; null for one that is not known. */
export function vendorOf(objectId: string | null): string | null {
  const key = String(enterpriseOf(objectId));
  return Object.hasOwn(VENDORS, key) ? (VENDORS[key] ?? null) : null;
}
