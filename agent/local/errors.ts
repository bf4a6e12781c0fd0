/** What the local API answers when it cannot do what is asked: HTTP status and meaning. Codes are stable. */
export const API_REASONS = {
  BadRequest: { status: 400, meaning: 'a parameter is missing, unknown or wrong' },
  Forbidden: { status: 403, meaning: 'the request looks like one of a web page' },
  ReadOnlySocket: { status: 403, meaning: 'an action on the socket that only reads' },
  NotFound: { status: 404, meaning: 'no such route; `near` lists them all' },
  MethodNotAllowed: { status: 405, meaning: 'the route takes another method' },
  PortUnknown: { status: 404, meaning: 'no port of that name' },
  PortAmbiguous: { status: 409, meaning: 'the name fits several ports' },
  SwitchUnknown: { status: 404, meaning: 'no switch of that name' },
  TooLarge: { status: 413, meaning: 'the request has a body' },
  TooManyStreams: { status: 503, meaning: 'no place for another event stream' },
  TooManyActions: { status: 503, meaning: 'no place for another action' },
  ActionFailed: { status: 502, meaning: 'the action was tried and failed; `message` says why' },
  InternalError: { status: 500, meaning: 'a defect in the agent' },
} as const satisfies Record<string, { readonly status: number; readonly meaning: string }>;

export type ApiReason = keyof typeof API_REASONS;

export interface PortCandidate {
  readonly switch: string;
  readonly port: string;
}

/** Body of every answer that is not a success; one shape, all keys. */
export interface ErrorDocument {
  readonly error: {
    readonly reason: ApiReason;
    readonly message: string;
    readonly fix: string;
    /** The ports that an ambiguous name fits. */
    readonly candidates: readonly PortCandidate[];
    /** Names close to the one that was not found, and for an unknown address every route. */
    readonly near: readonly string[];
  };
}

/** A refusal of the local API; thrown by routes, sent as an {@link ErrorDocument}. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly reason: ApiReason;
  readonly fix: string;
  readonly candidates: readonly PortCandidate[];
  readonly near: readonly string[];

  constructor(
    reason: ApiReason,
    message: string,
    fix: string,
    more: { readonly candidates?: readonly PortCandidate[]; readonly near?: readonly string[] } = {},
  ) {
    super(message);
    this.reason = reason;
    this.fix = fix;
    this.candidates = more.candidates ?? [];
    this.near = more.near ?? [];
  }

  /** HTTP status that goes with the reason. */
  get status(): number {
    return API_REASONS[this.reason].status;
  }

  document(): ErrorDocument {
    const { reason, message, fix, candidates, near } = this;
    return { error: { reason, message, fix, candidates, near } };
  }
}
