import type { Project } from '../project/project.ts';
import { count } from '../shell/count.ts';
import { fileOf, type Layout, partsOf, tabOf } from '../shell/layout.ts';
import type { Notices } from '../shell/notices.ts';
import { Store } from '../state/store.ts';
import { foldersAbove, isInside, parentOf } from './tree.ts';

/** The field that is in the tree while a name is written. */
export type NameField =
  | { readonly kind: 'file' | 'folder'; readonly folder: string }
  | { readonly kind: 'rename'; readonly path: string };

/** What the tree of files shows, and what can be done in it. */
export class Explorer {
  readonly unfolded = new Store<ReadonlySet<string>>(new Set());
  /** The line that has, or would take, the focus. */
  readonly focused = new Store<string | undefined>(undefined);
  readonly field = new Store<NameField | undefined>(undefined);
  /** The focus goes to the focused line as soon as there is one, such as after its name was written. */
  takesFocus = false;
  readonly #project: Project;
  readonly #layout: Layout;
  readonly #notices: Notices;

  constructor({ project, layout, notices }: { project: Project; layout: Layout; notices: Notices }) {
    this.#project = project;
    this.#layout = layout;
    this.#notices = notices;
    project.info.subscribe(() => this.#unfoldFew());
  }

  setOpen(folder: string, isOpen: boolean): void {
    this.unfolded.update((all) => new Set(isOpen ? [...all, folder] : [...all].filter((each) => each !== folder)));
  }

  collapseAll(): void {
    this.unfolded.set(new Set());
    const { value } = this.focused;
    if (value !== undefined) this.focused.set(value.split('/')[0]);
  }

  /** Unfolds what is above a path and puts the focus there. */
  show(path: string): void {
    this.unfolded.update((all) => new Set([...all, ...foldersAbove(path)]));
    this.takesFocus = true;
    this.focused.set(path);
  }

  open(path: string): void {
    this.#layout.open(tabOf('text', path));
  }

  /** Leaves the field without doing anything. */
  leaveField(field: NameField): void {
    if (this.field.value !== field) return;
    this.field.set(undefined);
    this.takesFocus = true;
    if (field.kind === 'rename') this.focused.set(field.path);
  }

  /** Asks for the name of a new file or folder beside the focused line. */
  startNew(kind: 'file' | 'folder', beside = this.focused.value): void {
    const entry = this.#project.entries.value.find(({ path }) => path === beside);
    const folder = entry === undefined ? '' : entry.kind === 'folder' ? entry.path : parentOf(entry.path);
    if (folder !== '') this.unfolded.update((all) => new Set([...all, ...foldersAbove(folder), folder]));
    this.field.set({ kind, folder });
  }

  startRename(path: string): void {
    this.field.set({ kind: 'rename', path });
  }

  /** What the field asked for is done with the name that was written. */
  async finish(field: NameField, name: string): Promise<void> {
    this.field.set(undefined);
    if (field.kind === 'rename') return this.#rename(field.path, pathIn(parentOf(field.path), name));
    const path = pathIn(field.folder, name);
    if (field.kind === 'folder') await this.#project.createFolder(path);
    else await this.#project.create(path, '');
    this.show(path);
    if (field.kind === 'file') this.open(path);
  }

  /** Asks, naming what is lost, and deletes. */
  async remove(path: string): Promise<void> {
    const entry = this.#project.entries.value.find((each) => each.path === path);
    if (entry === undefined) return;
    const files = this.#project.entries.value.filter((each) => each.kind === 'file' && isInside(each.path, path));
    const unsaved = files.filter((each) => this.#project.dirty.value.has(each.path)).length;
    const isMany = entry.kind === 'folder' && files.length > 0;
    const what = isMany ? `${path} with ${count(files.length, 'file')}` : path;
    const button = isMany ? `Delete ${count(files.length, 'file')}` : `Delete ${entry.kind}`;
    const lost = unsaved === 0 ? '' : ` ${count(unsaved, 'file')} of it with changes that are not saved.`;
    const detail = `It is deleted on disk and cannot be brought back here.${lost}`;
    if ((await this.#notices.ask(`Delete ${what}?`, [button, 'Keep'], detail)) !== button) return;
    await this.#project.remove(path);
    this.#layout.drop((address) => isFileTab(address, path));
    if (this.focused.value !== undefined && isInside(this.focused.value, path))
      this.focused.set(parentOf(path) || undefined);
  }

  async #rename(from: string, to: string): Promise<void> {
    if (from === to) return;
    const moved = (path: string) => (isInside(path, from) ? to + path.slice(from.length) : path);
    await this.#project.rename(from, to, () =>
      this.#layout.readdress((address) => {
        const path = fileOf(address);
        return path === undefined ? address : tabOf(partsOf(address).kind, moved(path));
      }),
    );
    this.unfolded.update((all) => new Set([...all].map(moved)));
    this.show(to);
  }

  /** A folder that was just opened shows its own lines and those of small folders. */
  #unfoldFew(): void {
    this.field.set(undefined);
    this.focused.set(undefined);
    this.unfolded.set(new Set());
    const forget = this.#project.entries.subscribe(() => {
      const { value: entries } = this.#project.entries;
      if (entries.length === 0) return;
      forget();
      if (entries.length > mostUnfolded) return;
      const folders = entries.filter(({ path, kind }) => kind === 'folder' && !path.includes('/'));
      this.unfolded.set(new Set(folders.map(({ path }) => path)));
    });
  }
}

/** Lines that are shown at once when a folder opens. */
const mostUnfolded = 60;

function isFileTab(address: string, path: string): boolean {
  const shown = fileOf(address);
  return shown !== undefined && isInside(shown, path);
}

function pathIn(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`;
}
