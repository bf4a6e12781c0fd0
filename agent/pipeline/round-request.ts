/** Why a round is wanted. Requests that come while a round runs are served together by the next one. */
export interface RoundRequest {
  /** Read the switch even when the last reading is recent. */
  readonly read?: boolean;
  readonly neighbors?: boolean;
  /** Also repair drift that is only reported, and retry what failed lately. */
  readonly repair?: boolean;
  /** Do not wait for the back-off. */
  readonly hurry?: boolean;
}

/** Both requests in one. */
export function merge(a: RoundRequest | null, b: RoundRequest): RoundRequest {
  return {
    read: (a?.read ?? false) || (b.read ?? false),
    neighbors: (a?.neighbors ?? false) || (b.neighbors ?? false),
    repair: (a?.repair ?? false) || (b.repair ?? false),
    hurry: (a?.hurry ?? false) || (b.hurry ?? false),
  };
}
