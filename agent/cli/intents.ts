import type { AttachmentResult, ResultDocument } from '../model/report.ts';
import type { IntentsView } from '../model/views.ts';
import { createClient } from './client.ts';
import type { CommandRun } from './command.ts';
import { EXIT } from './exit-codes.ts';
import { count, shortTime } from './text.ts';
import { createWriter, type Writer } from './writers.ts';

/** `portkeeper intents`: what each publisher wants and what became of it. */
export const run: CommandRun = async (call, io) => {
  const writer = createWriter(call, io);
  const view = await createClient(call, io).get<IntentsView>('/v1/intents');
  if (writer.json) {
    writer.document(view);
    return EXIT.ok;
  }
  if (view.publishers.length === 0) writer.line('No intents have been published yet.');
  view.publishers.forEach((publisher, index) => {
    if (index > 0) writer.line();
    showResult(publisher.result, writer);
    writer.paragraph(`accepted ${shortTime(publisher.acceptedAt)}`, 2, 'dim');
    showAttachments(publisher.result, writer);
  });
  return EXIT.ok;
};

/** The publisher's own lines: revision, state and what was refused. */
export function showResult(result: ResultDocument, writer: Writer): void {
  const counts = Object.entries(result.counts).filter(([, number]) => number > 0);
  const summary = counts.map(([state, number]) => `${number} ${state}`).join(', ') || 'no attachments';
  const good = result.state === 'applied';
  writer.paragraph(
    `${result.publisher}  revision ${result.revision ?? 'none'}: ${result.state.toUpperCase()} (${summary})`,
    0,
    good ? 'good' : result.state === 'pending' ? 'warn' : 'bad',
  );
  if (!good && result.message !== '') writer.paragraph(`${result.reason}: ${result.message}`, 2);
  if (result.rejectedRevision !== null) writer.paragraph(`refused revision: ${result.rejectedRevision}`, 2);
  for (const error of result.errors) writer.paragraph(`${error.path || 'document'}: ${error.message}`, 4);
}

/** A line for each attachment, and a sentence for each that is not applied. */
export function showAttachments(result: ResultDocument, writer: Writer): void {
  const rows = Object.entries(result.attachments);
  if (rows.length === 0) return;
  writer.table<[string, AttachmentResult]>(
    [
      { title: 'ATTACHMENT', value: ([name]) => name, min: 16 },
      { title: 'PORT', value: ([, a]) => (a.switch === null ? '-' : `${a.switch}:${a.port ?? '?'}`), min: 16 },
      {
        title: 'STATE',
        value: ([, a]) => a.state,
        tone: ([, a]) =>
          a.state === 'applied' ? 'good' : a.state === 'pending' || a.state === 'withdrawing' ? 'warn' : 'bad',
      },
      { title: 'REASON', value: ([, a]) => (a.state === 'applied' ? '-' : a.reason), min: 12 },
    ],
    rows,
    2,
  );
  const open = rows.filter(([, a]) => a.state !== 'applied' && a.message !== '');
  for (const [name, attachment] of open.slice(0, 20)) writer.paragraph(`${name}: ${attachment.message}`, 2);
  if (open.length > 20) writer.line(`  and ${count(open.length - 20, 'more')} not applied`);
}
