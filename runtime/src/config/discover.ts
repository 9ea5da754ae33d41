import { readdir, realpath, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';

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
 * mounted configuration is made of them; a folder reached twice is read once. Rejects when the directory cannot be read.
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
      const kind = entry.isSymbolicLink() ? await linkedKind(join(directory, relative)) : kindOf(entry);
      if (kind === 'file' && isConfigurationFile(entry.name)) {
        if (!entry.isSymbolicLink() || !isOutside(await realpath(join(directory, relative)))) files.push(relative);
      } else if (kind === 'folder' && isConfigurationFolder(entry.name) && (tests || relative !== 'tests'))
        await visit(relative);
    }
  };
  await visit('');
  return files.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
}

type Kind = 'file' | 'folder' | undefined;

function kindOf(entry: { isFile(): boolean; isDirectory(): boolean }): Kind {
  return entry.isFile() ? 'file' : entry.isDirectory() ? 'folder' : undefined;
}

/** A link that leads nowhere is not a file. */
async function linkedKind(path: string): Promise<Kind> {
  try {
    return kindOf(await stat(path));
  } catch {
    return undefined;
  }
}
