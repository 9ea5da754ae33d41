import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { regularFile } from '../../../foundation/disk/regular-file.ts';
import { readConstraint } from '../declared/constraint.ts';
import { cacheOf, type DeclaredPlugin, isInPlace } from '../declared/declared.ts';
import { readSource } from '../declared/source.ts';
import { digestOf } from './digest.ts';
import { type Lock, lockName, readLock } from './lock.ts';
import { PluginProblem } from './problem.ts';

/** A service, and where its plugins are. */
export interface Site {
  /** Absolute path of the configuration. */
  readonly directory: string;
  readonly declared: readonly DeclaredPlugin[];
  /** Variables of the environment, with those of `.env`. */
  readonly variables: Readonly<Record<string, string | undefined>>;
}

/**
 * How a declared plugin is there. `other-source` and `other-version`: the lock says something else than the declaration;
 * `changed`: its files are not those of the lock.
 */
export type PluginState =
  | 'in-place'
  | 'installed'
  | 'not-installed'
  | 'not-locked'
  | 'other-source'
  | 'other-version'
  | 'changed';

/** The folder that plugins are installed to, as an absolute path. */
export function cacheFolder({ directory, variables }: Pick<Site, 'directory' | 'variables'>): string {
  return resolve(
    directory,
    cacheOf((name) => variables[name]),
  );
}

/** The folder of an installed plugin, as an absolute path. */
export function installedFolder(site: Pick<Site, 'directory' | 'variables'>, name: string): string {
  return join(cacheFolder(site), name);
}

/** The text of the lock file; undefined where the file is missing. Throws PluginProblem when it cannot be read. */
export async function readLockText(directory: string): Promise<string | undefined> {
  const path = join(directory, lockName);
  try {
    return (await regularFile(path)).toString('utf8');
  } catch (error) {
    if (error instanceof PluginProblem) throw error;
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new PluginProblem(`${lockName} cannot be read: ${(error as Error).message}.`);
  }
}

/** The lock of a configuration; empty where there is no file. Throws PluginProblem when it cannot be read. */
export async function lockOf(directory: string): Promise<Lock> {
  const text = await readLockText(directory);
  return text === undefined ? new Map() : readLock(text);
}

/** How one plugin is there. Reads all of its files. */
export async function stateOf(plugin: DeclaredPlugin, lock: Lock, site: Omit<Site, 'declared'>): Promise<PluginState> {
  if (isInPlace(plugin)) return 'in-place';
  const locked = lock.get(plugin.name);
  if (locked === undefined) return 'not-locked';
  if (locked.source !== plugin.source) return 'other-source';
  if (!(await isAllowed(plugin, locked.version))) return 'other-version';
  const folder = installedFolder(site, plugin.name);
  if (!(await isThere(folder))) return 'not-installed';
  return (await digestOrProblem(folder)) === locked.sha256 ? 'installed' : 'changed';
}

/** Whether a declaration allows a version. Only repositories have several. */
async function isAllowed({ source, constraint }: DeclaredPlugin, version: string): Promise<boolean> {
  const read = readSource(source);
  if ('problem' in read || read.kind !== 'git') return true;
  const allowed = readConstraint(constraint);
  if ('problem' in allowed) return false;
  const { isWithin } = await import('./versions.ts');
  return isWithin(version, allowed.range);
}

/** Whether there is a folder, or anything else that takes its place. */
export async function isThere(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined;
}

/** A folder that cannot be a plugin is not the one that the lock names. */
async function digestOrProblem(folder: string): Promise<string> {
  try {
    return await digestOf(folder);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    // One that is exchanged meanwhile is read again when the lock is written.
    if (error instanceof PluginProblem || code === 'ENOENT' || code === 'ENOTDIR') return message;
    throw error;
  }
}
