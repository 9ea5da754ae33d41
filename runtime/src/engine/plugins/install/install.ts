import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type DeclaredPlugin, isInPlace, pluginName } from '../declared/declared.ts';
import { shownSource } from '../declared/source.ts';
import { checkCache, discard, exchange, workFolder, writeLock } from './cache.ts';
import { exclusively } from './exclusive.ts';
import type { Lock, LockedPlugin } from './lock.ts';
import { type Prepared, prepare } from './prepare.ts';
import { PluginProblem } from './problem.ts';
import { cacheFolder, installedFolder, lockOf, type PluginState, type Site, stateOf } from './state.ts';

/**
 * What is to be done: `start` brings what is missing and leaves the rest to the checks of the configuration; `install` brings
 * everything to what is declared and locked; `update` looks for newer versions.
 */
export type Purpose = 'start' | 'install' | 'update';

export interface InstallOptions {
  readonly purpose: Purpose;
  /** Only this plugin. */
  readonly only?: string | undefined;
  /** The lock stays as it is. */
  readonly frozen: boolean;
  readonly signal: AbortSignal;
  /** Called with what is done, in a line. */
  readonly progress: (line: string) => void;
}

/** What was done with one plugin. */
export interface Outcome {
  readonly name: string;
  readonly version: string | null;
  readonly commit: string | null;
  readonly sha256: string | null;
  /** `added`: the lock has a new entry. `updated`: it has another one. `installed`: the files are those of its entry again. */
  readonly result: 'in place' | 'unchanged' | 'installed' | 'added' | 'updated';
}

/** What has to be fetched: what an entry of the lock names, or the newest release. */
interface Step {
  readonly plugin: DeclaredPlugin;
  readonly locked: LockedPlugin | undefined;
  /** What is installed, which is not fetched again when it is the newest release. */
  readonly current?: LockedPlugin | undefined;
}

/**
 * Installs the plugins of a configuration. Everything is fetched and checked before anything is replaced; when one cannot be
 * had, plugins and lock are as they were. Throws PluginProblem.
 */
export async function install(site: Site, options: InstallOptions): Promise<readonly Outcome[]> {
  const { purpose, only, frozen } = options;
  checkNames(site);
  const wanted = site.declared.filter(({ name }) => only === undefined || name === only);
  if (only !== undefined && wanted.length === 0) throw undeclared(site, only);
  // The files of most starts are there: nothing is locked for them, and nothing is made.
  const first = await planned(site, wanted, options);
  if (first.steps.length === 0) return wanted.map((plugin) => outcomeOf(plugin, first.lock));
  return atWork(site, options, async (work) => {
    // Another process may have done it meanwhile.
    const { lock, steps } = await planned(site, wanted, options);
    const prepared: Prepared[] = [];
    for (const step of steps) {
      const one = await fetchOne(site, step, lock, work, options);
      if (one !== undefined) prepared.push(one);
    }
    const next = new Map(lock);
    for (const { name, locked } of prepared) next.set(name, locked);
    const changed = prepared.filter(({ name, locked }) => !isEqual(lock.get(name), locked));
    if (frozen && changed.length > 0) throw frozenLock(changed.map(({ name }) => name));
    const staged = prepared.map(({ name, folder }) => ({ from: folder, to: installedFolder(site, name) }));
    // Written also when it is the same: a service that watches it loads what is new. One that starts loads it anyway.
    const isWritten = changed.length > 0 || (purpose !== 'start' && !frozen && staged.length > 0);
    await exchange(staged, work, site.directory, isWritten ? next : undefined);
    return wanted.map((plugin) => outcomeOf(plugin, next, { lock, prepared }));
  });
}

/** Removes the files and the entry of a plugin. Throws PluginProblem when there are neither. */
export async function remove(
  site: Site,
  name: string,
  options: Pick<InstallOptions, 'signal' | 'progress'>,
): Promise<void> {
  if (!pluginName.test(name)) throw new PluginProblem(`There is no installed plugin "${name}".`);
  await atWork(site, options, async (work) => {
    const lock = new Map(await lockOf(site.directory));
    const hadEntry = lock.delete(name);
    // The lock first: what is then in the cache without an entry is fetched again.
    if (hadEntry) await writeLock(site.directory, lock);
    const hadFiles = await discard(installedFolder(site, name), work);
    if (!hadEntry && !hadFiles) throw new PluginProblem(`There is no installed plugin "${name}".`);
  });
}

/** Does something in an empty folder of the cache, while no other process does. */
async function atWork<T>(
  site: Site,
  { signal, progress }: Pick<InstallOptions, 'signal' | 'progress'>,
  act: (work: string) => Promise<T>,
): Promise<T> {
  const cache = cacheFolder(site);
  checkCache(site.directory, cache);
  const waits = () => progress('Waits for another svc that installs plugins.');
  return exclusively(cache, { signal, waits }, async () => {
    const work = await workFolder(cache);
    try {
      return await act(work);
    } finally {
      await rm(work, { recursive: true, force: true });
    }
  });
}

/** Fetches one plugin into a folder of its own. */
async function fetchOne(
  { directory, variables }: Site,
  { plugin, locked, current }: Step,
  lock: Lock,
  work: string,
  { signal, progress }: InstallOptions,
): Promise<Prepared | undefined> {
  progress(`${plugin.name}: ${shownSource(plugin.source)}`);
  const workFolder = join(work, plugin.name);
  await mkdir(workFolder);
  const one = await prepare(plugin, { locked, current }, { directory, variables, workFolder, signal });
  if (one === undefined || isEqual(current, one.locked)) return undefined;
  refuseMoved(one, lock);
  return one;
}

async function planned(
  site: Site,
  wanted: readonly DeclaredPlugin[],
  { purpose, frozen }: InstallOptions,
): Promise<{ readonly lock: Lock; readonly steps: readonly Step[] }> {
  const lock = await lockOf(site.directory);
  const steps: Step[] = [];
  for (const plugin of wanted.filter((each) => !isInPlace(each))) {
    const state = await stateOf(plugin, lock, site);
    const locked = lock.get(plugin.name);
    if (purpose === 'update') {
      steps.push({ plugin, locked: undefined, current: state === 'installed' ? locked : undefined });
      continue;
    }
    if (frozen && purpose === 'install' && isUnlocked(state)) throw frozenLock([plugin.name]);
    if (state === 'not-installed' || (state === 'changed' && purpose === 'install')) steps.push({ plugin, locked });
    else if (!frozen && (state === 'not-locked' || (isUnlocked(state) && purpose === 'install')))
      steps.push({ plugin, locked: undefined });
  }
  return { lock, steps };
}

/** Whether the lock does not say what is to be installed. */
function isUnlocked(state: PluginState): boolean {
  return state === 'not-locked' || state === 'other-source' || state === 'other-version';
}

/** A version that was locked is the same commit for ever. */
function refuseMoved({ name, locked }: Prepared, lock: Lock): void {
  const before = lock.get(name);
  if (before?.commit === undefined || before.source !== locked.source || before.version !== locked.version) return;
  if (before.commit === locked.commit) return;
  throw new PluginProblem(
    `Plugin "${name}": the version ${locked.version} is the commit ${locked.commit} now, and plugins.lock names ${before.commit}. A release that was changed is not installed: ask those who make the plugin. If the change is wanted, run "svc plugin remove ${name}" and install it again.`,
  );
}

function checkNames({ declared }: Site): void {
  const names = new Set<string>();
  for (const { name } of declared) {
    if (names.has(name)) throw new PluginProblem(`The plugin "${name}" is declared twice.`);
    names.add(name);
  }
}

function undeclared({ declared }: Site, name: string): PluginProblem {
  const known = declared.map((each) => each.name).sort();
  return new PluginProblem(
    `The configuration declares no plugin "${name}"${known.length === 0 ? '' : `; it declares ${known.join(', ')}`}.`,
  );
}

function frozenLock(names: readonly string[]): PluginProblem {
  return new PluginProblem(
    `plugins.lock does not have what is declared of ${names.map((name) => `"${name}"`).join(', ')}, and --frozen leaves it as it is. Run "svc plugin install" without --frozen, and commit the file.`,
  );
}

function isEqual(a: LockedPlugin | undefined, b: LockedPlugin): boolean {
  return (
    a !== undefined &&
    (['source', 'constraint', 'version', 'commit', 'sha256'] as const).every((field) => a[field] === b[field])
  );
}

function outcomeOf(
  plugin: DeclaredPlugin,
  lock: Lock,
  before?: { readonly lock: Lock; readonly prepared: readonly Prepared[] },
): Outcome {
  const { name } = plugin;
  if (isInPlace(plugin)) return { name, version: null, commit: null, sha256: null, result: 'in place' };
  const { version = null, commit = null, sha256 = null } = lock.get(name) ?? {};
  const known = { name, version, commit, sha256 };
  const now = before?.prepared.find((each) => each.name === name)?.locked;
  const old = before?.lock.get(name);
  if (now === undefined) return { ...known, result: 'unchanged' };
  if (old === undefined) return { ...known, result: 'added' };
  return { ...known, result: isEqual(old, now) ? 'installed' : 'updated' };
}
