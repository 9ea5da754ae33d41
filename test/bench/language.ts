import { createCelEngine } from '@svc/protocol/cel';
import type { LanguageSupport } from '@svc/protocol/language';
import { LanguageService } from '@svc/protocol/language';
import type { TextEdit } from '@svc/protocol/text';
import { languageSupport } from '@svc/runtime/language';
import { EditorClient } from '../editor/client.ts';
import { orderFile } from './order-file.ts';

/*
 * What the language service costs: the first problems of 100 files in a fresh process, then one edit and its problems in
 * a project of 500 files; each is taken back by a second edit, as people do who type on. Run with `node test/bench/language.ts`.
 */

const connectors = `service {
  name = "orders"
}
connector "api" {
  type = "rest"
  port = 3000
}
connector "db" {
  type     = "database"
  driver   = "sqlite"
  database = "orders.db"
}
`;

const cold = timeOf(() => {
  const service = serviceOf(100);
  if (service.diagnostics().length > 0) throw new Error(service.diagnostics()[0]?.message);
});
console.log(`first diagnostics of 100 files: ${cold.toFixed(0)} ms (target: under 300)`);

const service = serviceOf(500);
service.diagnostics();
const edits: number[] = [];
const completions: number[] = [];
const processor: number[] = [];
for (let round = 0; round < 400; round++) {
  const path = `flows/${(round * 37) % 500}.hcl`;
  const text = service.text(path) as string;
  // A letter inside an expression, a field of a type, a comment in front of everything, in turn.
  const [before, typed] = (
    [
      ['lower(input.name', 'x'],
      ['note = string', '_'],
      ['# Orders', '!'],
    ] as const
  )[round % 3]!;
  const at = text.indexOf(before) + before.length;
  service.open(path, text);
  const edit = (change: string | readonly TextEdit[]) => {
    const usage = process.cpuUsage();
    edits.push(
      timeOf(() => {
        service.change(path, change);
        service.diagnostics();
      }),
    );
    const { user, system } = process.cpuUsage(usage);
    processor.push((user + system) / 1000);
  };
  edit([{ range: { start: at, end: at }, text: typed }]);
  edit(text);
  completions.push(timeOf(() => service.completion(path, text.indexOf('input.name') + 6)));
}
print('one edit and its diagnostics among 500 files', edits, 20);
print('processor time of one edit, all threads', processor);
print('one completion among 500 files', completions);
print('one edit among 500 files until its diagnostics reach a client', await editsOfClient(), 20);

/** Milliseconds between an edit that a client sends to \`svc lsp\` and the diagnostics that it is answered with. */
async function editsOfClient(): Promise<readonly number[]> {
  const files = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`flows/${index}.hcl`, orderFile(index)]));
  const client = await EditorClient.open({ 'service.hcl': connectors, ...files });
  const path = 'flows/250.hcl';
  await client.show(path, files[path] as string);
  const times: number[] = [];
  for (let round = 0; round < 100; round++)
    for (const [from, to, codes] of [
      ['lower(input.name', 'lowr(input.name', ['invalid-expression']],
      ['lowr(input.name', 'lower(input.name', []],
    ] as const) {
      const start = performance.now();
      await client.type(path, from, to);
      await client.problems(path, codes);
      // The first edits compile what the process runs.
      if (round >= 10) times.push(performance.now() - start);
    }
  await client.close();
  return times;
}

function print(what: string, times: readonly number[], target?: number): void {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) => (sorted[Math.floor(sorted.length * share)] as number).toFixed(1);
  const aim = target === undefined ? '' : ` (target: under ${target} at the 95th percentile)`;
  console.log(`${what}: median ${at(0.5)} ms, 95th percentile ${at(0.95)} ms, slowest ${at(0.999)} ms${aim}`);
}

function timeOf(work: () => void): number {
  const start = performance.now();
  work();
  return performance.now() - start;
}

function serviceOf(count: number): LanguageService {
  const made = new LanguageService(support());
  made.provide('service.hcl', connectors);
  for (let index = 0; index < count; index++) made.provide(`flows/${index}.hcl`, orderFile(index));
  return made;
}

function support(): LanguageSupport {
  const environment = { now: () => 0, uuid: () => '', env: () => undefined, sha256: () => '' };
  const host = { env: () => undefined, readFile: () => '', absolutePath: (path: string) => path };
  return languageSupport(host, createCelEngine({ environment }));
}
