import type { SwitchConfig } from '../config/schema.ts';

/** The options of the driver as it gets them everywhere: for rendering, for checking what it can, and for its session. */
export function driverOptions(config: SwitchConfig): Readonly<Record<string, unknown>> {
  return config.parkingVlan === undefined ? config.options : { parkingVlan: config.parkingVlan, ...config.options };
}
