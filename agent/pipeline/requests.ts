import {
  addressSchema,
  type CommandDocument,
  commandSchema,
  type PlanDocument,
  type ResponseDocument,
} from '../model/command.ts';
import type { IntentDocument } from '../model/intent.ts';
import type { Reason } from '../model/reasons.ts';
import type { DocumentError } from '../model/report.ts';
import { planDocument } from './plan-document.ts';
import type { ReportInput } from './report-input.ts';
import type { RoundRequest } from './round-request.ts';
import { describeIssues, validateIntent } from './validate.ts';

export interface RequestDeps {
  readonly rack: string;
  readonly input: () => ReportInput;
  readonly inputWith: (publisher: string, document: IntentDocument) => ReportInput;
  readonly request: (switchName: string | undefined, request: RoundRequest) => Promise<void>;
}

/** What a request says about where it wants its answer, as far as it could be read. */
export interface ParsedRequest {
  readonly command: CommandDocument | null;
  readonly errors: readonly DocumentError[];
  readonly requestId: string | null;
  readonly responseTopic: string | null;
}

/** Reads a request. What is wrong with it is answered, if it says where to. Pure. */
export function parseRequest(value: unknown): ParsedRequest {
  const parsed = commandSchema.safeParse(value);
  if (parsed.success) {
    const command = parsed.data;
    return { command, errors: [], requestId: command.requestId ?? null, responseTopic: command.responseTopic ?? null };
  }
  const salvaged = addressSchema.safeParse(value);
  const { requestId = null, responseTopic = null } = salvaged.success ? salvaged.data : {};
  return { command: null, errors: describeIssues(parsed.error.issues), requestId, responseTopic };
}

/** Carries a request out. Never rejects: what goes wrong is the answer. */
export async function answerRequest(parsed: ParsedRequest, deps: RequestDeps): Promise<ResponseDocument> {
  const { command } = parsed;
  const answer = (
    ok: boolean,
    message: string,
    reason: Reason | null = null,
    plan: PlanDocument | null = null,
    errors: readonly DocumentError[] = [],
  ): ResponseDocument => ({
    rack: deps.rack,
    requestId: parsed.requestId,
    command: command?.command ?? null,
    ok,
    reason,
    message,
    errors: [...errors],
    plan,
  });
  if (command === null)
    return answer(false, 'the request is not what the contract asks for', 'Malformed', null, parsed.errors);
  switch (command.command) {
    case 'ping':
      return answer(true, 'pong');
    case 'plan': {
      if (command.document === undefined)
        return answer(true, 'plan for the documents in force', null, planDocument(deps.input()));
      const document = validateIntent(command.document);
      if (!document.ok)
        return answer(false, 'the document is not what the contract asks for', 'Malformed', null, document.errors);
      if (command.publisher === undefined) {
        return answer(false, 'publisher is missing: say whose document it would be', 'Malformed', null, [
          { path: 'publisher', message: 'is required with document' },
        ]);
      }
      return answer(
        true,
        'plan for the given document; nothing was stored or sent',
        null,
        planDocument(deps.inputWith(command.publisher, document.document)),
      );
    }
    case 'refresh':
    case 'reconcile':
      try {
        await deps.request(command.switch, { read: true, neighbors: true, repair: command.command === 'reconcile' });
        return answer(true, command.command === 'refresh' ? 'read' : 'read, planned and applied');
      } catch (error) {
        return answer(false, error instanceof Error ? error.message : String(error), 'SwitchUnreachable');
      }
  }
}
