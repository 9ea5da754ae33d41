import type { CallResult } from '../../foundation/contracts/call-result.ts';
import { Failure } from '../../foundation/errors/failure.ts';
import type { Row } from '../../platform/formats/files/file-format.ts';
import { asRows, type Call, fileOf, pairedFile } from './call.ts';
import { compileGlob } from './glob.ts';
import type { Naming } from './naming.ts';
import type { Entry } from './store.ts';
import { flagParameter, refusedParameter, textParameter } from './style.ts';

/** What is in a folder, ordered by path. */
export async function list(call: Call): Promise<CallResult> {
  const { store, path, params, exchange, engine, exact } = call;
  const { naming } = engine.spec;
  const recursive = flagParameter(params, 'recursive', naming.isFlat);
  const prefix = naming.isFlat ? prefixIn(params, naming) : undefined;
  const pattern = textParameter(params, 'pattern');
  const matches = pattern === undefined ? () => true : compileGlob(pattern, naming);
  const within = naming.within(path.place).length;
  const entries: Entry[] = [];
  for await (const entry of store.list(path.place, { recursive, prefix }, exchange)) {
    if (!matches(entry.path.slice(within))) continue;
    if (entries.length === engine.maxEntries) throw tooMany(engine.maxEntries);
    entries.push(entry);
  }
  entries.sort((a, b) => (a.path < b.path ? -1 : 1));
  return asRows(
    call,
    entries.map((entry): Row => engine.answers.row(entry, exact)),
  );
}

/** What keys begin with; every key where it is absent or empty. */
function prefixIn({ prefix }: Readonly<Record<string, unknown>>, naming: Naming): string | undefined {
  if (prefix === undefined || prefix === null) return undefined;
  if (typeof prefix !== 'string') throw refusedParameter('prefix', 'must be a text');
  return naming.placeOf(prefix, 'prefix');
}

export async function stat(call: Call): Promise<CallResult> {
  const { engine, exact } = call;
  return { value: engine.answers.row(await existing(call, fileOf(call)), exact) };
}

export async function exists(call: Call): Promise<CallResult> {
  const { store, exchange, engine } = call;
  const path = fileOf(call);
  return { value: { exists: (await store.stat(path, exchange)) !== undefined, [engine.answers.named]: path } };
}

export async function remove(call: Call): Promise<CallResult> {
  const { store, exchange, engine } = call;
  const path = fileOf(call);
  await store.remove(await existing(call, path), exchange, call.params);
  return { value: { deleted: true, [engine.answers.named]: path }, affected: 1 };
}

export async function copy(call: Call): Promise<CallResult> {
  // What is said of a copy may change a file where it is.
  const { source, destination, entry } = await pairOf(call, call.engine.spec.parameters?.copy !== undefined);
  if (entry.isFolder) throw new Failure('value_refused', `"${source}" is a folder: copy its files`);
  const bytes = await call.store.copy(entry, destination, call.exchange, call.params);
  const size = call.exact ? BigInt(bytes) : bytes;
  return { value: { copied: true, source, dest: destination, bytes: size }, affected: 1 };
}

export async function move(call: Call): Promise<CallResult> {
  const { source, destination, entry } = await pairOf(call);
  if (entry.isFolder && `${destination}/`.startsWith(`${source}/`))
    throw new Failure('value_refused', `"${source}" cannot be moved into itself`);
  await call.store.move(entry, destination, call.exchange, call.params);
  return { value: { moved: true, source, dest: destination }, affected: 1 };
}

export async function makeFolder(call: Call): Promise<CallResult> {
  const path = fileOf(call);
  await call.store.makeFolder?.(path, call.exchange);
  return { value: { path, created: true }, affected: 1 };
}

async function pairOf(call: Call, mayBeSame = false) {
  const [source, destination] = [pairedFile(call, 'source'), pairedFile(call, 'destination')];
  if (source === destination && !mayBeSame) throw sameFile();
  return { source, destination, entry: await existing(call, source) };
}

/** The failure of a copy onto itself. */
export function sameFile(): Failure {
  return new Failure('value_refused', 'source and destination are the same file');
}

async function existing({ store, exchange }: Call, path: string): Promise<Entry> {
  const entry = await store.stat(path, exchange);
  if (entry !== undefined) return entry;
  throw notFound(path);
}

/** The failure of a path where there is nothing. */
export function notFound(path: string): Failure {
  return new Failure('not_found', `there is no file "${path}"`);
}

function tooMany(most: number): Failure {
  const message = `the folder has more than ${most} entries (max_entries): list a part of it with pattern`;
  return new Failure('body_too_large', message);
}
