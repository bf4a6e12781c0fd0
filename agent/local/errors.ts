/** What the local API answers when it cannot do what is asked. Codes are stable. */
export type ApiReason =
  | 'BadRequest'
  | 'Forbidden'
  | 'ReadOnlySocket'
  | 'NotFound'
  | 'MethodNotAllowed'
  | 'PortUnknown'
  | 'PortAmbiguous'
  | 'SwitchUnknown'
  | 'TooLarge'
  | 'TooManyStreams'
  | 'TooManyActions'
  | 'ActionFailed'
  | 'InternalError';

const STATUS: Readonly<Record<ApiReason, number>> = {
  BadRequest: 400,
  Forbidden: 403,
  ReadOnlySocket: 403,
  NotFound: 404,
  MethodNotAllowed: 405,
  PortUnknown: 404,
  PortAmbiguous: 409,
  SwitchUnknown: 404,
  TooLarge: 413,
  TooManyStreams: 503,
  TooManyActions: 503,
  ActionFailed: 502,
  InternalError: 500,
};

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
    return STATUS[this.reason];
  }

  document(): ErrorDocument {
    const { reason, message, fix, candidates, near } = this;
    return { error: { reason, message, fix, candidates, near } };
  }
}
