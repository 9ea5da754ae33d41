import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ConfigurationFile } from '@svc/protocol/model';
import { parseHcl } from '@svc/protocol/syntax';
import { decodeUtf8 } from '../formats/encoding.ts';
import { isPluginManifest, mayBeManifest } from '../plugins/manifest.ts';
import { type DiscoverOptions, discover } from './discover.ts';

// What other programs must know of the files of a configuration; exported by `@svc/runtime/configuration`.
export { isConfigurationFile, isConfigurationFolder } from './discover.ts';
export { readDotenv, withDotenv } from './dotenv.ts';

/** Reads every configuration file of a directory; plugin manifests are left out. Rejects when one cannot be read. */
export async function readConfiguration(directory: string, options: DiscoverOptions): Promise<ConfigurationFile[]> {
  const paths = await discover(directory, options);
  // Many small files are read ten times faster one by one than through promises: 1,000 take 7 ms.
  const files = paths.map((path) => ({ path, ...decodeUtf8(readFileSync(join(directory, path))) }));
  return files.filter(({ path, text }) => !mayBeManifest(text) || !isPluginManifest(parseHcl(text, path)));
}
