import { join, resolve } from 'node:path';
import type { Report } from '@svc/protocol/model';
import { parseHcl } from '@svc/protocol/syntax';
import type { Diagnostic } from '@svc/protocol/text';
import { PluginProblem } from '../../../engine/plugins/install/problem.ts';
import {
  type DescribedPlugin,
  isPluginManifest,
  manifestNames,
  readManifest,
} from '../../../engine/plugins/manifest.ts';
import { readRegularFile } from '../../../foundation/disk/regular-file.ts';

/** A plugin in a folder, and what is wrong with its manifest. */
export interface PluginFolder {
  readonly plugin: DescribedPlugin | undefined;
  readonly diagnostics: readonly Diagnostic[];
  /** The manifest, by its name. */
  readonly texts: ReadonlyMap<string, string>;
}

/** Reads the manifest of a folder. Throws a PluginProblem where there is no manifest. */
export function describedPlugin(folder: string): PluginFolder {
  const [name, text] = manifestIn(folder);
  const tree = parseHcl(text, name);
  if (!isPluginManifest(tree)) throw new PluginProblem(`${name} has no plugin block beside a provides block`);
  const diagnostics: Diagnostic[] = [...tree.diagnostics];
  const report: Report = (code, message, { file, range }, { severity = 'error', help } = {}) =>
    void diagnostics.push({
      code,
      severity,
      family: 'config',
      message,
      file,
      range,
      ...(help !== undefined && { help }),
    });
  const host = {
    env: () => undefined,
    readFile: () => {
      throw new Error('a manifest reads no file');
    },
    absolutePath: (path: string) => resolve(folder, path),
  };
  const plugin = readManifest(tree, { name: 'plugin', source: '.' }, host, report);
  return { plugin, diagnostics, texts: new Map([[name, text]]) };
}

function manifestIn(folder: string): readonly [string, string] {
  for (const name of manifestNames)
    try {
      return [name, readRegularFile(join(folder, name)).toString('utf8')];
    } catch {
      // The other name.
    }
  throw new PluginProblem(`there is no ${manifestNames[0]} in ${folder}: name the folder of a plugin`);
}
