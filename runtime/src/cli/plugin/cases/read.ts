import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Origin } from '@svc/protocol/schema';
import { closest } from '@svc/protocol/text';
import { PluginProblem } from '../../../engine/plugins/install/problem.ts';
import { FileProblem, readRegularFile } from '../../../foundation/disk/regular-file.ts';

/** One call of a function of a plugin, and what must come of it. */
export interface PluginCase {
  readonly name: string;
  /** The exported function. */
  readonly call: string;
  /** The module, where several of the plugin export such a function. */
  readonly wasm: string | undefined;
  /** The block of the connector, for its functions. */
  readonly config: Readonly<Record<string, unknown>> | undefined;
  readonly input: unknown;
  readonly expected:
    | { readonly kind: 'value'; readonly value: unknown; readonly part: boolean }
    /** A part of the text of the failure. */
    | { readonly kind: 'error'; readonly text: string };
  readonly origin: Origin;
}

export interface PluginCases {
  readonly cases: readonly PluginCase[];
  /** Texts of the files by their paths. */
  readonly texts: ReadonlyMap<string, string>;
}

const members = ['name', 'call', 'wasm', 'config', 'input', 'expect', 'expect_has', 'error'];
/** Bytes of a file of cases, and files that there may be. */
const largest = 8 * 1024 * 1024;
const mostFiles = 1_000;

/** The cases in `tests/*.json` of the folder of a plugin. Throws a PluginProblem that says what is wrong with a file. */
export function readCases(folder: string): PluginCases {
  const texts = new Map<string, string>();
  for (const file of caseFiles(folder)) {
    const path = join(folder, file);
    texts.set(file, textOf(path, file));
  }
  return { texts, cases: [...texts].flatMap(([file, text]) => casesIn(file, text)) };
}

function textOf(path: string, file: string): string {
  try {
    return readRegularFile(path, largest).toString('utf8');
  } catch (error) {
    throw error instanceof FileProblem ? new PluginProblem(`${file} cannot be read: ${error.message}`) : error;
  }
}

function caseFiles(folder: string): readonly string[] {
  const found = (() => {
    try {
      return readdirSync(join(folder, 'tests'), { recursive: true, encoding: 'utf8' });
    } catch {
      return [];
    }
  })();
  const files = found
    .map((path) => `tests/${path.replaceAll('\\', '/')}`)
    .filter((path) => path.endsWith('.json'))
    .sort();
  if (files.length > mostFiles) throw new PluginProblem(`there are more than ${mostFiles} files in tests`);
  return files;
}

function casesIn(file: string, text: string): readonly PluginCase[] {
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch (error) {
    throw new PluginProblem(`${file} is not JSON: ${(error as Error).message}`);
  }
  if (!Array.isArray(read))
    throw new PluginProblem(`${file} must hold a list of cases: [{ "name": "…", "call": "…" }]`);
  let from = 0;
  return read.map((each: unknown, at) => {
    const made = caseOf(each, `${file}: case ${at + 1}`);
    const name = JSON.stringify(made.name);
    // Where its name is: that of an equal one before it is passed over.
    const start = Math.max(text.indexOf(name, from), 0);
    from = start + 1;
    return { ...made, origin: { file, range: { start, end: start + name.length } } };
  });
}

function caseOf(written: unknown, where: string): Omit<PluginCase, 'origin'> {
  const refuse = (message: string) => new PluginProblem(`${where} ${message}`);
  if (!isObject(written)) throw refuse('must be an object');
  for (const word of Object.keys(written))
    if (!members.includes(word)) {
      const meant = closest(word, members);
      throw refuse(
        `has no member "${word}"; ${meant === undefined ? `these are: ${members.join(', ')}` : `did you mean "${meant}"?`}`,
      );
    }
  const text = (word: string) => {
    const value = written[word];
    if (value !== undefined && typeof value !== 'string') throw refuse(`needs a text as "${word}"`);
    return value;
  };
  const [name, call, wasm, error] = ['name', 'call', 'wasm', 'error'].map(text);
  if (!name || !call) throw refuse(`needs "${name ? 'call' : 'name'}"`);
  const { config, input = {} } = written;
  if (config !== undefined && !isObject(config)) throw refuse('needs an object as "config"');
  const said = ['expect', 'expect_has', 'error'].filter((word) => Object.hasOwn(written, word));
  if (said.length !== 1) throw refuse('says what must come of it with one of "expect", "expect_has" and "error"');
  const expected: PluginCase['expected'] =
    error === undefined
      ? { kind: 'value', value: written[said[0] as string], part: said[0] === 'expect_has' }
      : { kind: 'error', text: error };
  return { name, call, wasm, config, input, expected };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
