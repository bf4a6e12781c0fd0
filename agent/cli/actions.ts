import { createClient } from './client.ts';
import type { CommandRun } from './command.ts';
import { EXIT } from './exit-codes.ts';
import { createWriter } from './writers.ts';

type Action = 'refresh' | 'reconcile' | 'accept';

const DONE: Readonly<Record<Action, (name: string) => string>> = {
  refresh: (name) => `${name} was read just now.`,
  reconcile: (name) => `The round over ${name} is done; \`portkeeper status\` says what came of it.`,
  accept: (name) => `${name} is accepted as it answers now.`,
};

/** `portkeeper refresh`, `reconcile` and `accept`: asks the agent over the control socket and waits until it is done. */
export function action(name: Action): CommandRun {
  return async (call, io) => {
    const writer = createWriter(call, io);
    const switchName = call.args[0] ?? call.value('switch');
    const answer = await createClient(call, io, 'control.sock').post(`/v1/${name}`, { switch: switchName });
    if (writer.json) writer.document(answer);
    else writer.line(DONE[name](switchName === undefined ? 'Every switch' : `Switch ${switchName}`));
    return EXIT.ok;
  };
}
