import { createHash } from 'node:crypto';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { CelEngine, CelProgram } from '@svc/protocol/cel';
import type { Project } from '@svc/protocol/model';
import { closest, type Diagnostic, type Severity } from '@svc/protocol/text';
import { largestGiven, readRegularFile } from '../../foundation/disk/regular-file.ts';
import { decodeUtf8 } from '../../platform/formats/encoding.ts';
import { flowsOf } from '../flow/declarations.ts';
import { variablesOf } from '../flow/scope.ts';
import { type Response, readResponses } from './responses.ts';

/** What one file answers, in the order in which it is tried. */
export interface RecordedResponse extends Omit<Response, 'when'> {
  readonly when: CelProgram | undefined;
}

export type Recording = readonly RecordedResponse[];

/** Every recording below a directory. */
export interface Recordings {
  /** By connector and by the name of the file without its ending. */
  readonly connectors: ReadonlyMap<string, ReadonlyMap<string, Recording>>;
  readonly flows: ReadonlyMap<string, Recording>;
  /** Equal for equal recordings. */
  readonly digest: string;
  readonly diagnostics: readonly Diagnostic[];
  /** Text of every file by its path relative to the configuration. */
  readonly texts: ReadonlyMap<string, string>;
}

interface Reading {
  readonly directory: string;
  readonly engine: CelEngine;
  readonly diagnostics: Diagnostic[];
  readonly texts: Map<string, string>;
}

/**
 * Reads the recordings of a configuration. `path` is the directory of the `mocks` block, relative
 * to `directory`. What is wrong with a file is an error, one that no call can use a warning.
 */
export function readRecordings(directory: string, path: string, project: Project, engine: CelEngine): Recordings {
  const reading: Reading = { directory, engine, diagnostics: [], texts: new Map() };
  const root = path.replace(/^\.\//, '').replace(/\/+$/, '');
  const connectors = new Map<string, ReadonlyMap<string, Recording>>();
  for (const name of entriesOf(join(directory, root, 'connectors'))) {
    const folder = `${root}/connectors/${name}`;
    if (!isFolder(join(directory, folder))) continue;
    connectors.set(name, readFolder(folder, reading));
    if (!project.connectors.has(name)) unused(folder, 'connector', name, project.connectors.keys(), reading);
  }
  const flows = readFolder(`${root}/flows`, reading);
  const names = flowsOf(project).map((flow) => flow.name);
  for (const name of flows.keys())
    if (!names.includes(name)) unused(`${root}/flows/${name}.json`, 'flow', name, names, reading);
  const hash = createHash('sha256');
  for (const [file, text] of reading.texts) hash.update(`${file}\n${text}\n`);
  return {
    connectors,
    flows,
    digest: hash.digest('base64url'),
    diagnostics: reading.diagnostics,
    texts: reading.texts,
  };
}

function entriesOf(folder: string): readonly string[] {
  return existsSync(folder)
    ? readdirSync(folder)
        .filter((name) => !name.startsWith('.'))
        .sort()
    : [];
}

function isFolder(path: string): boolean {
  return statSync(path).isDirectory();
}

function readFolder(folder: string, reading: Reading): ReadonlyMap<string, Recording> {
  const found = new Map<string, Recording>();
  for (const name of entriesOf(join(reading.directory, folder)))
    if (name.endsWith('.json')) found.set(name.slice(0, -'.json'.length), readRecording(`${folder}/${name}`, reading));
  return found;
}

function readRecording(file: string, reading: Reading): Recording {
  let bytes: Buffer;
  try {
    bytes = readRegularFile(join(reading.directory, file), largestGiven);
  } catch (error) {
    tell('malformed-recording', 'error', `It cannot be read: ${(error as Error).message}.`, file, reading);
    return [];
  }
  const { text, unreadable } = decodeUtf8(bytes);
  reading.texts.set(file, text);
  if (unreadable !== undefined) {
    tell('malformed-recording', 'error', unreadable.message, file, reading, unreadable.at, unreadable.help);
    return [];
  }
  const { responses, problems } = readResponses(text);
  for (const { message, at } of problems) tell('malformed-recording', 'error', message, file, reading, at);
  return responses.map(({ when, ...response }) => ({ ...response, when: compile(when, file, reading) }));
}

function compile(source: string | undefined, file: string, reading: Reading): CelProgram | undefined {
  if (source === undefined) return undefined;
  const compiled = reading.engine.compile(source, {
    variables: variablesOf(['input', 'operation', 'target', 'query']),
  });
  if (compiled.ok) return compiled.program;
  const at = Math.max(0, (reading.texts.get(file) ?? '').indexOf(JSON.stringify(source)));
  for (const { message } of compiled.problems)
    tell('malformed-recording', 'error', `when of a response: ${message}`, file, reading, at);
  return undefined;
}

function unused(file: string, kind: string, name: string, names: Iterable<string>, reading: Reading): void {
  const near = closest(name, names);
  const help = near === undefined ? undefined : `Did you mean "${near}"?`;
  tell('unused-recording', 'warning', `there is no ${kind} named "${name}" to record`, file, reading, 0, help);
}

function tell(
  code: string,
  severity: Severity,
  message: string,
  file: string,
  { diagnostics }: Reading,
  at = 0,
  help?: string,
): void {
  diagnostics.push({ code, severity, family: 'config', message, file, range: { start: at, end: at + 1 }, help });
}
