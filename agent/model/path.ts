import { sanitizeText } from '../../drivers/model/text.ts';

/** A place in a document, in the form that results and errors show: `attachments["worker-1/eno1"].switchport.mode`. */
export function formatPath(path: readonly PropertyKey[]): string {
  let text = '';
  for (const part of path) {
    if (typeof part === 'number') text += `[${part}]`;
    else if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(String(part))) text += text === '' ? String(part) : `.${String(part)}`;
    else text += `[${JSON.stringify(sanitizeText(String(part), 160))}]`;
  }
  return text;
}
