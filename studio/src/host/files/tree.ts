import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isConfigurationFolder } from '@svc/runtime/configuration';
import type { FileEntry } from '../../shared/services.ts';

const most = 20_000;

/** Whether a folder or file of this name is shown, searched and watched: what is hidden or a dependency is not. */
export const isShown = isConfigurationFolder;

/** Every file and folder below a directory, folders before what is in them. Links are left out. */
export async function listTree(root: string): Promise<{ entries: FileEntry[]; truncated: boolean }> {
  const entries: FileEntry[] = [];
  const visit = async (folder: string): Promise<boolean> => {
    const found = await readdir(join(root, folder), { withFileTypes: true }).catch(() => []);
    found.sort((a, b) => (a.name < b.name ? -1 : 1));
    for (const entry of found) {
      const kind = entry.isDirectory() ? 'folder' : entry.isFile() ? 'file' : undefined;
      if (kind === undefined || !isShown(entry.name)) continue;
      if (entries.length === most) return false;
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      entries.push({ path, kind });
      if (kind === 'folder' && !(await visit(path))) return false;
    }
    return true;
  };
  return { truncated: !(await visit('')), entries };
}
