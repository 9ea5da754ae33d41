// Writes docs/reference from the specifications; with --check it only says whether the pages are stale.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { referencePages } from '../runtime/src/checks/reference/pages.ts';
import { vocabulary } from '../runtime/src/checks/vocabulary.ts';
import { commands } from '../runtime/src/cli/commands.ts';
import { commandHelps } from '../runtime/src/cli/help.ts';

const directory = join(import.meta.dirname, '../docs/reference');
const pages = referencePages(vocabulary, commandHelps(commands));
const check = process.argv.includes('--check');
const existing = existsSync(directory)
  ? readdirSync(directory, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(directory, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
  : [];
const stale = [
  ...[...pages].filter(([path, text]) => read(path) !== text).map(([path]) => path),
  ...existing.filter((path) => !pages.has(path)),
];

if (check) {
  for (const path of stale) console.error(`docs/reference/${path} is stale`);
  if (stale.length > 0) console.error('Run npm run docs to write the reference pages again.');
  process.exitCode = stale.length > 0 ? 1 : 0;
} else {
  rmSync(directory, { recursive: true, force: true });
  for (const [path, text] of pages) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), text);
  }
  console.log(`${pages.size} pages, ${stale.length} changed`);
}

function read(path: string): string | undefined {
  const file = join(directory, path);
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}
