import { resolve } from 'node:path';
import type { DeclaredPlugin } from '../../engine/plugins/declared/declared.ts';
import { shownSource } from '../../engine/plugins/declared/source.ts';
import { versionOf } from '../../engine/plugins/install/prepare.ts';
import { PluginProblem } from '../../engine/plugins/install/problem.ts';
import { lockOf, type PluginState, type Site, stateOf } from '../../engine/plugins/install/state.ts';
import { table } from '../table.ts';
import type { RunAction } from './action.ts';
import { siteOf } from './site.ts';

const words: Readonly<Record<PluginState, string>> = {
  'in-place': 'used in place',
  installed: 'installed',
  'not-installed': 'not installed',
  'not-locked': 'not installed',
  'other-source': 'locked from another source',
  'other-version': 'locked at another version',
  changed: 'not what the lock names',
};

/** `svc plugin list`: what is declared, and what is installed without being declared. */
export const run: RunAction = async (invocation) => {
  const { options, streams } = invocation;
  const site = await siteOf(invocation);
  const lock = await lockOf(site.directory);
  const declared = await Promise.all(
    site.declared.map(async (plugin) => {
      const state = await stateOf(plugin, lock, site);
      const locked = lock.get(plugin.name);
      return {
        name: plugin.name,
        version: (state === 'in-place' ? await versionInPlace(plugin, site) : locked?.version) ?? null,
        source: shownSource(plugin.source),
        constraint: plugin.constraint,
        commit: locked?.commit ?? null,
        sha256: locked?.sha256 ?? null,
        state: words[state],
      };
    }),
  );
  const names = new Set(site.declared.map(({ name }) => name));
  const others = [...lock]
    .filter(([name]) => !names.has(name))
    .map(([name, { version, source, constraint, commit, sha256 }]) => ({
      name,
      version,
      source: shownSource(source),
      constraint,
      commit: commit ?? null,
      sha256,
      state: 'not declared',
    }));
  const all = [...declared, ...others].sort((a, b) => (a.name < b.name ? -1 : 1));
  if (options['format'] === 'json') streams.out.write(`${JSON.stringify({ plugins: all }, null, 2)}\n`);
  else if (all.length === 0) streams.out.write('No plugins.\n');
  else {
    const rows = all.map(({ name, version, source, state }) => [name, version ?? '', source, state]);
    for (const line of table([['NAME', 'VERSION', 'SOURCE', 'STATE'], ...rows])) streams.out.write(`${line}\n`);
  }
  return 0;
};

/** The version that the manifest of a plugin in place says; undefined where it cannot be read. */
async function versionInPlace({ name, source }: DeclaredPlugin, { directory }: Site): Promise<string | undefined> {
  try {
    return await versionOf(name, resolve(directory, source));
  } catch (error) {
    if (error instanceof PluginProblem) return undefined;
    throw error;
  }
}
