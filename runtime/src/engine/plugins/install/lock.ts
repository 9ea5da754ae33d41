import { pluginName } from '../declared/declared.ts';
import { PluginProblem } from './problem.ts';

/** Name of the file beside the configuration that says which plugins are installed. */
export const lockName = 'plugins.lock';

/** What was installed of one plugin. */
export interface LockedPlugin {
  readonly source: string;
  readonly constraint: string;
  readonly version: string;
  /** Absent: it does not come from a repository. */
  readonly commit?: string | undefined;
  /** Of its files (`digest.ts`), in hexadecimal digits. */
  readonly sha256: string;
}

/** Plugins by name. */
export type Lock = ReadonlyMap<string, LockedPlugin>;

/** The form of the file that this program writes and reads. */
const form = 1;

const fields = {
  source: /^[^\x00-\x1f\x7f]{1,2048}$/,
  constraint: /^[^\x00-\x1f\x7f]{1,256}$/,
  version: /^[0-9A-Za-z.+-]{1,128}$/,
  commit: /^[0-9a-f]{40}([0-9a-f]{24})?$/,
  sha256: /^[0-9a-f]{64}$/,
} as const;

/** What a lock file says. Throws PluginProblem when it is not one, or is written by a newer program. */
export function readLock(text: string): Lock {
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    throw malformed(`it is not JSON: ${(error as Error).message}`);
  }
  if (!isObject(value)) throw malformed('it is not an object');
  const { version, plugins, ...others } = value;
  if (typeof version === 'number' && version > form)
    throw new PluginProblem(
      `${lockName} has version ${version}, and this svc knows version ${form}: use a newer svc, or remove the file and run "svc plugin install".`,
    );
  if (version !== form) throw malformed(`its version is not ${form}`);
  if (!isObject(plugins)) throw malformed('it has no plugins');
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw malformed(`it has the unknown field ${JSON.stringify(unknown.slice(0, 80))}`);
  return new Map(Object.entries(plugins).map(([name, entry]) => [name, readEntry(name, entry)]));
}

/** The text of a lock file: names in order, a field on each line. */
export function writtenLock(lock: Lock): string {
  const entries = [...lock].sort(([a], [b]) => (a < b ? -1 : 1));
  const plugins = Object.fromEntries(
    entries.map(([name, { source, constraint, version, commit, sha256 }]) => [
      name,
      { source, constraint, version, commit, sha256 },
    ]),
  );
  return `${JSON.stringify({ version: form, plugins }, null, 2)}\n`;
}

function readEntry(name: string, entry: unknown): LockedPlugin {
  if (!pluginName.test(name)) throw malformed(`${JSON.stringify(name.slice(0, 80))} is not the name of a plugin`);
  if (!isObject(entry)) throw malformed(`the entry of "${name}" is not an object`);
  for (const key of Object.keys(entry))
    if (!Object.hasOwn(fields, key))
      throw malformed(`the entry of "${name}" has the unknown field ${JSON.stringify(key.slice(0, 80))}`);
  for (const [key, pattern] of Object.entries(fields)) {
    const value = entry[key];
    if (value === undefined && key === 'commit') continue;
    if (typeof value !== 'string' || !pattern.test(value))
      throw malformed(`${key} of "${name}" is missing or malformed`);
  }
  return entry as unknown as LockedPlugin;
}

function malformed(reason: string): PluginProblem {
  return new PluginProblem(
    `${lockName} cannot be read: ${reason}. Take it from your version control again, or remove it and run "svc plugin install".`,
  );
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
