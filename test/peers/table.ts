import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Peer, Verdict } from './peer.ts';

const page = join(import.meta.dirname, '../../docs/peers.md');
const head = '| Peer | Version | What was run | Checks | What differs |';

/** Writes the row of a peer into the table of the page, which is sorted by name; other rows stay as they are. */
export function writeRow({ name, version, ran }: Peer, { passed, seen }: Verdict): void {
  const lines = readFileSync(page, 'utf8').split('\n');
  const first = lines.indexOf(head) + 2;
  if (first < 2) throw new Error(`${page} has no line "${head}"`);
  const after = lines.findIndex((line, at) => at >= first && !line.startsWith('|'));
  const rows = lines.slice(first, after).filter((line) => !line.startsWith(`| ${name} |`));
  const differences = seen.map(({ because }) => because).join('; ');
  rows.push(`| ${[name, version, ran, passed, differences === '' ? '-' : differences].join(' | ')} |`);
  rows.sort((one, other) => one.localeCompare(other, 'en'));
  writeFileSync(page, [...lines.slice(0, first), ...rows, ...lines.slice(after)].join('\n'));
}
