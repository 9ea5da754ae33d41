import { readdir, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, sep } from 'node:path';

export interface DiscoverOptions {
  /** Whether the folder `tests` below the directory is read too (docs/specification/language.md#files). */
  readonly tests: boolean;
  /** Whether links that lead out of the directory are left out. */
  readonly confined?: boolean;
}

const skipped = new Set(['node_modules', 'svc_plugins']);

/** Whether a file of this name is configuration. */
export function isConfigurationFile(name: string): boolean {
  return !name.startsWith('.') && (name.endsWith('.hcl') || name.endsWith('.mycel'));
}

/** Whether a folder of this name may hold configuration. */
export function isConfigurationFolder(name: string): boolean {
  return !name.startsWith('.') && !skipped.has(name);
}

/**
 * The configuration files below a directory, relative to it and with `/`, in lexical order. Links are followed, since
 * mounted configuration is made of them; a folder reached twice is read once. What has the name of such a file is one, also
 * where it cannot be read, such as a pipe or a link to nothing. Rejects when the directory cannot be read.
 */
export async function discover(directory: string, { tests, confined = false }: DiscoverOptions): Promise<string[]> {
  const files: string[] = [];
  const seen = new Set<string>();
  const root = await realpath(directory);
  const isOutside = (real: string) =>
    confined && real !== root && !real.startsWith(root.endsWith(sep) ? root : root + sep);
  const visit = async (folder: string): Promise<void> => {
    const path = join(directory, folder);
    const real = await realpath(path);
    if (seen.has(real) || isOutside(real)) return;
    seen.add(real);
    for (const entry of await readdir(path, { withFileTypes: true })) {
      const relative = folder === '' ? entry.name : `${folder}/${entry.name}`;
      const place = join(directory, relative);
      if (entry.isSymbolicLink() ? await leadsToFolder(place) : entry.isDirectory()) {
        if (isConfigurationFolder(entry.name) && (tests || relative !== 'tests')) await visit(relative);
      } else if (isConfigurationFile(entry.name) && !(entry.isSymbolicLink() && isOutside(await end(place))))
        files.push(relative);
    }
  };
  await visit('');
  return files.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
}

async function leadsToFolder(link: string): Promise<boolean> {
  try {
    return (await stat(link)).isDirectory();
  } catch {
    return false;
  }
}

/** What a link leads to in the end; itself where that is nothing. */
async function end(link: string): Promise<string> {
  try {
    return await realpath(link);
  } catch {
    return realpath(dirname(link)).then((folder) => join(folder, basename(link)));
  }
}
