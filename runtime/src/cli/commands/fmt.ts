import { statSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { relative, resolve } from 'node:path';
import { formatHcl, parseHcl } from '@svc/protocol/syntax';
import { discover } from '../../service/config/discover.ts';
import { readWritten } from '../../service/config/written.ts';
import { type Run, UsageError } from '../command.ts';
import { reportText } from '../report.ts';

export const run: Run = async ({ options, positionals, workingDirectory, streams }) => {
  const roots =
    positionals.length > 0 ? positionals : [typeof options['config'] === 'string' ? options['config'] : '.'];
  const check = options['check'] === true;
  let broken = 0;
  let changed = 0;
  for (const path of await filesOf(roots, workingDirectory)) {
    const name = relative(workingDirectory, path);
    const { text, unreadable } = readWritten(path, name);
    const tree = parseHcl(text, name, unreadable);
    if (tree.diagnostics.some(({ severity }) => severity === 'error')) {
      broken++;
      streams.error.write(
        reportText({ diagnostics: tree.diagnostics, texts: new Map([[name, text]]) }, streams.error.colour),
      );
      continue;
    }
    const formatted = formatHcl(text);
    if (formatted === text) continue;
    changed++;
    streams.out.write(`${name}\n`);
    if (!check) await replace(path, formatted);
  }
  if (check && changed > 0) streams.error.write(`${changed} not in the canonical layout; svc fmt writes it\n`);
  return broken > 0 || (check && changed > 0) ? 1 : 0;
};

async function filesOf(roots: readonly string[], workingDirectory: string): Promise<string[]> {
  const files: string[] = [];
  for (const root of roots) {
    const path = resolve(workingDirectory, root);
    const stat = statSync(path, { throwIfNoEntry: false });
    if (!stat) throw new UsageError(`there is no file or directory ${root}`);
    if (stat.isFile()) files.push(path);
    else for (const file of await discover(path, { tests: true })) files.push(resolve(path, file));
  }
  return files;
}

/** Writes beside the file and moves it over, so that a crash never leaves half a file. */
async function replace(path: string, text: string): Promise<void> {
  const temporary = `${path}.${process.pid}.tmp`;
  await writeFile(temporary, text, { mode: statSync(path).mode });
  await rename(temporary, path);
}
