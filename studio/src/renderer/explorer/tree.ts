import type { FileEntry } from '../../shared/services.ts';

/** A file or folder as a line of the tree. */
export interface TreeRow {
  readonly path: string;
  /** Last part of the path. */
  readonly name: string;
  readonly kind: 'file' | 'folder';
  /** From 0. */
  readonly depth: number;
  readonly isOpen: boolean;
  /** Place among its siblings, from 1, and how many they are: what `aria-posinset` and `aria-setsize` say. */
  readonly position: number;
  readonly siblings: number;
  /** How many files a closed folder holds, at any depth. */
  readonly files: number;
}

interface Folder {
  readonly folders: Map<string, Folder>;
  readonly files: string[];
}

const byName = new Intl.Collator('en', { numeric: true, sensitivity: 'base' }).compare;

/** The lines of a tree whose folders in `open` are unfolded: folders first, then by name. */
export function treeRows(entries: readonly FileEntry[], open: ReadonlySet<string>): readonly TreeRow[] {
  const rows: TreeRow[] = [];
  write(treeOf(entries), '', 0, open, rows);
  return rows;
}

function treeOf(entries: readonly FileEntry[]): Folder {
  const root: Folder = { folders: new Map(), files: [] };
  for (const { path, kind } of entries) {
    const parts = path.split('/');
    const name = parts.pop() as string;
    let folder = root;
    for (const part of parts) folder = folderIn(folder, part);
    if (kind === 'folder') folderIn(folder, name);
    else folder.files.push(name);
  }
  return root;
}

function folderIn({ folders }: Folder, name: string): Folder {
  let folder = folders.get(name);
  if (folder === undefined) folders.set(name, (folder = { folders: new Map(), files: [] }));
  return folder;
}

function write({ folders, files }: Folder, base: string, depth: number, open: ReadonlySet<string>, rows: TreeRow[]) {
  const siblings = folders.size + files.length;
  let position = 0;
  const row = (name: string) => ({ path: base + name, name, depth, position: ++position, siblings });
  for (const name of [...folders.keys()].sort(byName)) {
    const folder = folders.get(name) as Folder;
    const isOpen = open.has(base + name);
    rows.push({ ...row(name), kind: 'folder', isOpen, files: countFiles(folder) });
    if (isOpen) write(folder, `${base}${name}/`, depth + 1, open, rows);
  }
  for (const name of [...files].sort(byName)) rows.push({ ...row(name), kind: 'file', isOpen: false, files: 0 });
}

function countFiles({ folders, files }: Folder): number {
  return [...folders.values()].reduce((sum, folder) => sum + countFiles(folder), files.length);
}

/** What a key does in the tree: another line gets the focus, or a folder is folded or unfolded. */
export type TreeMove = { readonly focus: string } | { readonly unfold: string } | { readonly fold: string } | undefined;

/** What an arrow key, Home or End does (WAI-ARIA, tree view). */
export function moveInTree(rows: readonly TreeRow[], path: string | undefined, key: string): TreeMove {
  const at = rows.findIndex((row) => row.path === path);
  const row = rows[at];
  const to = (index: number) => (rows[index] === undefined ? undefined : { focus: rows[index].path });
  switch (key) {
    case 'ArrowDown':
      return to(at + 1);
    case 'ArrowUp':
      return to(at - 1);
    case 'Home':
      return to(0);
    case 'End':
      return to(rows.length - 1);
    case 'ArrowRight':
      if (row?.kind !== 'folder') return undefined;
      if (!row.isOpen) return { unfold: row.path };
      return (rows[at + 1]?.depth ?? 0) > row.depth ? to(at + 1) : undefined;
    case 'ArrowLeft':
      if (row === undefined) return undefined;
      if (row.isOpen) return { fold: row.path };
      return row.depth === 0 ? undefined : { focus: parentOf(row.path) };
    default:
      return undefined;
  }
}

/** The next line whose name begins with what was typed; one letter typed again continues to the next one. */
export function typeAhead(rows: readonly TreeRow[], path: string | undefined, typed: string): string | undefined {
  const isRepeated = [...typed].every((letter) => letter === typed[0]);
  const wanted = (isRepeated ? typed.charAt(0) : typed).toLowerCase();
  const at = rows.findIndex((row) => row.path === path);
  const from = isRepeated ? at + 1 : Math.max(at, 0);
  const inOrder = [...rows.slice(from), ...rows.slice(0, from)];
  return inOrder.find(({ name }) => name.toLowerCase().startsWith(wanted))?.path;
}

/** The folder that holds a path; empty for what is in the project's own. */
export function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

/** Every folder above a path, outermost first. */
export function foldersAbove(path: string): readonly string[] {
  const parts = path.split('/').slice(0, -1);
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
}

/** Whether a path is another, or is in it. */
export function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}

/** Why a path cannot be given to a new or renamed entry; undefined when it can. `own` is its path until now. */
export function refusalOf(path: string, entries: readonly FileEntry[], own?: string): string | undefined {
  const parts = path.split('/');
  if (parts.at(-1) === '') return 'Write a name.';
  if (parts.some((part) => part === '' || part === '.' || part === '..'))
    return 'This is not a path inside the folder.';
  if (/[\\:*?"<>|\p{Cc}]/u.test(path)) return 'A name holds none of \\ : * ? " < > |';
  if (path !== own && entries.some((entry) => entry.path === path)) return `${path} exists already.`;
  return undefined;
}
