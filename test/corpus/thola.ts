import type { Oracle, OraclePort } from './oracle.ts';

/** The part of Thola's expectations that is compared. */
export interface TholaExpectations {
  readonly checkInterfaceMetrics?: {
    readonly performance_data: readonly { readonly metric: string; readonly label: string; readonly value: number }[];
  };
}

const ADMIN: Readonly<Record<number, string>> = { 1: 'up', 2: 'down', 3: 'testing' };
const OPER: Readonly<Record<number, string>> = { 1: 'up', 2: 'down' };

/** Thola says admin state, link and speed of each interface, by its name. */
export function tholaOracle({ checkInterfaceMetrics }: TholaExpectations): Oracle {
  const rows = checkInterfaceMetrics?.performance_data ?? [];
  const by = (metric: string) => new Map(rows.filter((r) => r.metric === metric).map((r) => [r.label, r.value]));
  const [admin, oper, speed] = [by('interface_admin_status'), by('interface_oper_status'), by('interface_maxspeed_in')];
  const ports = [...admin].map(
    ([ifName, value]): OraclePort => ({
      ifName,
      ifAdminStatus: ADMIN[value] ?? null,
      ifOperStatus: OPER[oper.get(ifName) ?? 0] ?? null,
      ifSpeed: speed.get(ifName) ?? null,
    }),
  );
  return { ports };
}
