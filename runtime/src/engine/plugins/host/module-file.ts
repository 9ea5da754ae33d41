import { realpathSync, type Stats, statSync } from 'node:fs';
import { resolve, sep } from 'node:path';
import { FileProblem, regularFile } from '../../../foundation/disk/regular-file.ts';
import type { ModuleUse } from '../model.ts';
import { ModuleRefused } from '../module/bytes.ts';

/** Bytes of the largest module. */
const largestModule = 64 * 1024 * 1024;

/** The bytes of a file of a plugin, `largest` at most. Throws ModuleRefused with what is wrong with the file. */
export async function readModuleFile(
  use: Pick<ModuleUse, 'path' | 'folder'>,
  directory: string,
  largest = largestModule,
): Promise<Buffer> {
  const path = resolve(directory, use.path);
  try {
    if (use.folder !== undefined && !isInside(path, resolve(directory, use.folder)))
      throw new ModuleRefused('its links lead out of the folder of the plugin');
    return await regularFile(path, largest);
  } catch (error) {
    if (error instanceof ModuleRefused) throw error;
    if (error instanceof FileProblem) throw new ModuleRefused(error.message);
    const code = (error as { readonly code?: string }).code;
    throw new ModuleRefused(
      code === 'ENOENT'
        ? `there is no file ${use.path} (${path})`
        : `the file ${use.path} cannot be read: ${(error as Error).message}`,
    );
  }
}

/** What changes with the file: a service that is loaded again keeps a module whose file is the same. */
export function fileStamp(use: Pick<ModuleUse, 'path'>, directory: string): string {
  let stats: Stats;
  try {
    stats = statSync(resolve(directory, use.path));
  } catch {
    return 'missing';
  }
  return `${stats.ino} ${stats.size} ${stats.mtimeMs} ${stats.ctimeMs}`;
}

function isInside(path: string, folder: string): boolean {
  return realpathSync(path).startsWith(realpathSync(folder) + sep);
}
