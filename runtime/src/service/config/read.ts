import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { ConfigurationFile } from '@svc/protocol/model';
import { parseHcl } from '@svc/protocol/syntax';
import { pluginName, standardCache } from '../../engine/plugins/declared/declared.ts';
import { isPluginManifest, manifestNames, mayBeManifest } from '../../engine/plugins/manifest.ts';
import { isBelow, readRegularFile } from '../../foundation/disk/regular-file.ts';
import { decodeUtf8 } from '../../platform/formats/encoding.ts';
import { type DiscoverOptions, discover } from './discover.ts';
import { readWritten } from './written.ts';

export { iconProblem, largestIcon } from '../../engine/plugins/icon.ts';
// What other programs must know of the files of a configuration; exported by `@svc/runtime/configuration`.
export { isConfigurationFile, isConfigurationFolder } from './discover.ts';
export { readDotenv, withDotenv } from './dotenv.ts';

/**
 * Reads every configuration file of a directory; plugin manifests are left out. One that cannot be read has no text, and says
 * why. Rejects when the directory cannot be read.
 */
export async function readConfiguration(directory: string, options: DiscoverOptions): Promise<ConfigurationFile[]> {
  const paths = await discover(directory, options);
  // Many small files are read ten times faster one by one than through promises: 1,000 take 7 ms.
  const files = paths.map((path) => ({ path, ...readWritten(join(directory, path), path) }));
  return files.filter(({ path, text }) => !mayBeManifest(text) || !isPluginManifest(parseHcl(text, path)));
}

/**
 * The manifests of plugins, for who knows a configuration by its files alone: those below the directory, and those of installed
 * plugins under the paths that they have where `SVC_PLUGIN_CACHE` is not set. Rejects when the directory cannot be read.
 */
export async function readManifests(directory: string, options: DiscoverOptions): Promise<ConfigurationFile[]> {
  const names = (await readdir(join(directory, standardCache)).catch(() => [])).filter((name) => pluginName.test(name));
  const installed = names.flatMap((name) => manifestNames.map((file) => `${standardCache}/${name}/${file}`));
  return [...(await discover(directory, options)), ...installed].flatMap((path) => {
    const place = join(directory, path);
    try {
      if (options.confined === true && !isBelow(place, directory)) return [];
      const file = { path, ...decodeUtf8(readRegularFile(place)) };
      return mayBeManifest(file.text) && isPluginManifest(parseHcl(file.text, path)) ? [file] : [];
    } catch {
      // One that cannot be read is missing where it is used.
      return [];
    }
  });
}
