import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { parseHcl } from '@svc/protocol/syntax';
import { FileProblem, regularFile } from '../../../foundation/disk/regular-file.ts';
import { newest, readConstraint } from '../declared/constraint.ts';
import { type DeclaredPlugin, pluginName } from '../declared/declared.ts';
import { readSource } from '../declared/source.ts';
import { isPluginManifest, manifestNames, readManifest } from '../manifest.ts';
import { FolderWriter } from '../sources/file-writer.ts';
import type { OriginContext, PluginOrigin, Release, Wanted } from '../sources/origin.ts';
import { digestOf } from './digest.ts';
import type { LockedPlugin } from './lock.ts';
import { PluginProblem } from './problem.ts';
import { isThere } from './state.ts';

/** Bytes of the largest manifest. */
const _largestManifest = 1024 * 1024;

/** A plugin that is ready to be put into its place. */
export interface Prepared {
  readonly name: string;
  /** The folder with its files. */
  readonly folder: string;
  readonly locked: LockedPlugin;
}

/** What is known of a plugin. */
export interface Known {
  /** What must be fetched. Undefined: the newest release that is allowed. */
  readonly locked: LockedPlugin | undefined;
  /** What is installed. */
  readonly current?: LockedPlugin | undefined;
}

/**
 * Fetches a plugin into a folder of its own and looks at it: it has a manifest of its name whose modules are in it. With
 * `locked` it is what that names, or the plugin is refused. Undefined when the release is the one that is installed. Throws
 * PluginProblem.
 */
export async function prepare(
  plugin: DeclaredPlugin,
  known: Known,
  context: OriginContext,
): Promise<Prepared | undefined> {
  try {
    return await fetched(plugin, known, context);
  } catch (error) {
    if (!(error instanceof PluginProblem)) throw error;
    throw new PluginProblem(`Plugin "${plugin.name}": ${error.message}`, { cause: error });
  }
}

async function fetched(
  plugin: DeclaredPlugin,
  { locked, current }: Known,
  context: OriginContext,
): Promise<Prepared | undefined> {
  const { origin, wanted } = await originOf(plugin, context);
  const release = locked?.commit === undefined ? await origin.find(wanted) : releaseOf(locked);
  if (isSame(current, plugin, release)) return undefined;
  const unpacked = join(context.workFolder, 'files');
  await mkdir(unpacked, { recursive: true });
  await origin.fetch(release, new FolderWriter(unpacked));
  const folder = await rootOf(unpacked);
  const version = release.version ?? (await versionOf(plugin.name, folder));
  if (release.version !== undefined) await versionOf(plugin.name, folder);
  const sha256 = await digestOf(folder);
  if (locked !== undefined && locked.sha256 !== sha256)
    throw new PluginProblem(
      `what its source has is not what plugins.lock names (SHA-256 ${sha256}, and it was ${locked.sha256}). "svc plugin update ${plugin.name}" accepts it.`,
    );
  const { source, constraint } = locked ?? plugin;
  return { name: plugin.name, folder, locked: { source, constraint, version, commit: release.commit, sha256 } };
}

/** Whether a release of a repository is what is installed already. */
function isSame(current: LockedPlugin | undefined, { source, constraint }: DeclaredPlugin, release: Release): boolean {
  return (
    release.commit !== undefined &&
    current?.commit === release.commit &&
    current.version === release.version &&
    current.source === source &&
    current.constraint === constraint
  );
}

function releaseOf({ version, commit }: LockedPlugin): Release {
  return { version, commit };
}

/** Where a plugin comes from. The code of each kind is imported when one is fetched. */
async function originOf(
  { name, source, constraint }: DeclaredPlugin,
  context: OriginContext,
): Promise<{ readonly origin: PluginOrigin; readonly wanted: Wanted }> {
  if (!pluginName.test(name))
    throw new PluginProblem('a name is lower-case letters, digits, - and _, and begins with a letter.');
  const place = readSource(source);
  if ('problem' in place) throw new PluginProblem(`${place.problem}. ${place.help}`);
  const allowed = readConstraint(constraint);
  if ('problem' in allowed) throw new PluginProblem(`${allowed.problem}. ${allowed.help}`);
  if (place.kind !== 'git' && allowed.text !== newest)
    throw new PluginProblem('only repositories have versions: remove the attribute version.');
  const wanted = { range: allowed.range };
  switch (place.kind) {
    case 'git': {
      const { RepositoryOrigin } = await import('../sources/repository.ts');
      return { origin: new RepositoryOrigin(place.address, context), wanted };
    }
    case 'archive': {
      const { ArchiveOrigin } = await import('../sources/archive.ts');
      return { origin: new ArchiveOrigin(place.address, context), wanted };
    }
    default: {
      const { FolderOrigin } = await import('../sources/folder.ts');
      return { origin: new FolderOrigin(place.path, context), wanted };
    }
  }
}

/** The folder with the manifest: that of the files, or the only one in it, as archives have it. */
async function rootOf(folder: string): Promise<string> {
  const entries = await readdir(folder);
  const [only] = entries;
  const places = entries.length === 1 && only !== undefined ? [folder, join(folder, only)] : [folder];
  for (const place of places) for (const name of manifestNames) if (await isThere(join(place, name))) return place;
  throw new PluginProblem(`it has no ${manifestNames[0]} in its root, which describes a plugin.`);
}

/** The version that the manifest says. Throws PluginProblem when it is not that of this plugin. */
export async function versionOf(name: string, folder: string): Promise<string> {
  for (const file of manifestNames) {
    const path = join(folder, file);
    if (!(await isThere(path))) continue;
    const bytes = await regularFile(path).catch((error: unknown) => {
      throw error instanceof FileProblem ? new PluginProblem(`${file} cannot be read: ${error.message}.`) : error;
    });
    const tree = parseHcl(bytes.toString('utf8'), file);
    const problems = tree.diagnostics.map(({ message }) => message);
    const host = { env: () => undefined, readFile: () => '', absolutePath: (each: string) => each };
    const described = isPluginManifest(tree)
      ? readManifest(tree, { name, source: '.' }, host, (_code, message) => void problems.push(message))
      : undefined;
    const [problem] = problems;
    if (problem !== undefined) throw new PluginProblem(`${file}: ${problem}.`);
    if (described === undefined) throw new PluginProblem(`${file} has no plugin block beside a provides block.`);
    if (described.ownName !== name)
      throw new PluginProblem(`its manifest names it "${described.ownName}": write plugin "${described.ownName}".`);
    const { version } = described.plugin;
    if (!/^[0-9A-Za-z.+-]{1,128}$/.test(version)) throw new PluginProblem(`${file} has no version such as 1.0.0.`);
    return version;
  }
  throw new PluginProblem('it has no manifest.');
}
