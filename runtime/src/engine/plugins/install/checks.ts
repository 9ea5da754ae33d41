import { isDamaged, type Project } from '@svc/protocol/model';
import type { Diagnostic } from '@svc/protocol/text';
import { type DeclaredPlugin, declaredIn, isInPlace, pluginName } from '../declared/declared.ts';
import { readSource } from '../declared/source.ts';
import { checkCache } from './cache.ts';
import { type LockedPlugin, lockName, readLock } from './lock.ts';
import { PluginProblem } from './problem.ts';
import { cacheFolder, installedFolder, isThere, type PluginState, type Site, stateOf } from './state.ts';

/**
 * What is wrong with the plugins that are installed: each must be what the lock names. Reads every file of them, and asks no
 * other machine. `lockText` gives that of the lock file, undefined where the file is missing.
 */
export async function checkInstalled(
  project: Project,
  lockText: () => Promise<string | undefined>,
  place: Omit<Site, 'declared'>,
): Promise<readonly Diagnostic[]> {
  if (isDamaged(project.files)) return [];
  const declared = project.files.flatMap(declaredIn).filter(isInstallable);
  if (declared.length === 0) return [];
  try {
    checkCache(place.directory, cacheFolder(place));
    const text = await lockText();
    const lock = text === undefined ? new Map<string, LockedPlugin>() : readLock(text);
    const found: Diagnostic[] = [];
    for (const plugin of declared) {
      // What is not there at all was said when it was looked for.
      if (!(await isThere(installedFolder(place, plugin.name)))) continue;
      const problem = problems[await stateOf(plugin, lock, place)];
      if (problem !== undefined) found.push(diagnosticOf(plugin, problem, lock.get(plugin.name)));
    }
    return found;
  } catch (error) {
    if (!(error instanceof PluginProblem)) throw error;
    const range = { start: 0, end: 0 };
    return [
      { code: 'invalid-lock', severity: 'error', family: 'config', message: error.message, file: lockName, range },
    ];
  }
}

/** Whether a plugin could be installed at all; what is wrong with others is said of their blocks. */
function isInstallable(plugin: DeclaredPlugin): boolean {
  return !isInPlace(plugin) && pluginName.test(plugin.name) && !('problem' in readSource(plugin.source));
}

interface Described {
  readonly code: string;
  readonly message: (plugin: DeclaredPlugin, locked: LockedPlugin | undefined) => string;
  readonly help: (plugin: DeclaredPlugin) => string;
}

const problems: Readonly<Partial<Record<PluginState, Described>>> = {
  'not-locked': {
    code: 'unlocked-plugin',
    message: ({ name }) => `plugin "${name}" is in the cache, and ${lockName} does not have it`,
    help: ({ name }) => `Run "svc plugin install ${name}".`,
  },
  'other-source': {
    code: 'unlocked-plugin',
    message: ({ name }) => `${lockName} has plugin "${name}" of another source`,
    help: ({ name }) => `Run "svc plugin install ${name}", which fetches it from this one.`,
  },
  'other-version': {
    code: 'unlocked-plugin',
    message: ({ name, constraint }, locked) =>
      `${lockName} has version ${locked?.version} of plugin "${name}", and ${constraint} is declared`,
    help: ({ name }) => `Run "svc plugin install ${name}", which fetches one that is allowed.`,
  },
  changed: {
    code: 'changed-plugin',
    message: ({ name }, locked) =>
      `the files of plugin "${name}" are not those that ${lockName} names (version ${locked?.version}, SHA-256 ${locked?.sha256})`,
    help: ({ name }) => `Run "svc plugin install ${name}", which fetches what the lock names.`,
  },
};

function diagnosticOf(plugin: DeclaredPlugin, problem: Described, locked: LockedPlugin | undefined): Diagnostic {
  const { file, range } = plugin.sourceOrigin;
  return {
    code: problem.code,
    severity: 'error',
    family: 'config',
    message: problem.message(plugin, locked),
    file,
    range: { start: range.start, end: range.end },
    help: problem.help(plugin),
  };
}
