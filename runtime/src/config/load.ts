import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ConfigurationFile } from '@svc/protocol/model';
import { parseHcl } from '@svc/protocol/syntax';
import { type DiscoverOptions, discover, isPluginManifest } from './discover.ts';

/** Reads every configuration file of a directory; plugin manifests are left out. Rejects when one cannot be read. */
export async function readConfiguration(directory: string, options: DiscoverOptions): Promise<ConfigurationFile[]> {
  const paths = await discover(directory, options);
  const files = await Promise.all(
    paths.map(async (path) => ({ path, text: await readFile(join(directory, path), 'utf8') })),
  );
  return files.filter(({ path, text }) => !mayBeManifest(text) || !isPluginManifest(parseHcl(text, path)));
}

/** Spares all other files from being parsed twice. */
function mayBeManifest(text: string): boolean {
  return /^\s*provides\b/m.test(text) && /^\s*plugin\b/m.test(text);
}
