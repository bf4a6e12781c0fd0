import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { generatedFiles } from './files.ts';

/** `npm run generate`: writes the generated files below the current folder and lists them. */
function main(): void {
  for (const { path, content } of generatedFiles()) {
    const target = join(process.cwd(), path);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, content);
    process.stdout.write(`${path}\n`);
  }
}

main();
