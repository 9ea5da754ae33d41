import type { TextEdit } from '@svc/protocol/text';
import type { editor } from 'monaco-editor/editor/editor.api.js';
import type { Bridge, FileEntry, ProjectInfo } from '../../shared/services.ts';
import type { LanguageClient } from '../language/language-client.ts';
import { Store } from '../state/store.ts';
import type { Document } from './document.ts';
import type { JointEdit } from './joint-edit.ts';

/** Milliseconds without typing after which unsaved text is kept outside the window. */
const draftPause = 400;

/** The open folder: what files there are, which are open, and everything that may happen to them. */
export class Project {
  readonly info = new Store<ProjectInfo | undefined>(undefined);
  readonly entries = new Store<readonly FileEntry[]>([]);
  readonly documents = new Store<ReadonlyMap<string, Document>>(new Map());
  /** Paths of open documents that are not saved. */
  readonly dirty = new Store<ReadonlySet<string>>(new Set());
  /** Called before a document is written; it may still change the text. */
  beforeSave: (path: string) => Promise<void> = () => Promise.resolve();
  readonly #bridge: Bridge;
  readonly #language: LanguageClient;
  readonly #opening = new Map<string, Promise<Document>>();
  readonly #joint = new Set<string>();
  readonly #drafts = new Map<string, ReturnType<typeof setTimeout>>();

  constructor(bridge: Bridge, language: LanguageClient) {
    this.#bridge = bridge;
    this.#language = language;
    bridge.on('files.changed', ({ changes }) => void this.#filesChanged(changes));
  }

  /** Shows a folder that the host has open, with the unsaved text that an earlier window left behind. */
  async enter(info: ProjectInfo): Promise<void> {
    const [{ values }, { files }, { entries }, { drafts }] = await Promise.all([
      this.#bridge.call('files.environment', {}),
      this.#bridge.call('files.configuration', {}),
      this.#bridge.call('files.list', {}),
      this.#bridge.call('drafts.list', {}),
    ]);
    this.#language.environment(values);
    this.#language.provide(files);
    this.info.set(info);
    this.entries.set(entries);
    for (const { path, text } of drafts) await this.#restore(path, text);
  }

  /** Tells of each other folder that is shown, with undefined when one is left; until the returned function is called. */
  onFolder(listen: (directory: string | undefined) => void): () => void {
    let shown = this.info.value?.directory;
    return this.info.subscribe(() => {
      const now = this.info.value?.directory;
      if (now === shown) return;
      shown = now;
      listen(now);
    });
  }

  /** The document of a path, opened when it is not. Rejects when the file cannot be read. */
  open(path: string): Promise<Document> {
    const open = this.documents.value.get(path);
    if (open) return Promise.resolve(open);
    let opening = this.#opening.get(path);
    if (opening === undefined) {
      // What texts are made of is large, and comes with the first of them.
      opening = Promise.all([this.#bridge.call('files.read', { path }), import('./document.ts')])
        .then(([file, { Document }]) => this.#add(new Document(file)))
        .finally(() => this.#opening.delete(path));
      this.#opening.set(path, opening);
    }
    return opening;
  }

  /** Forgets an open document; unsaved text is gone, so the caller asks first. */
  close(path: string): void {
    const document = this.documents.value.get(path);
    if (document === undefined) return;
    this.#joint.delete(path);
    if (isConfiguration(path)) this.#language.close(path);
    this.documents.update((all) => new Map([...all].filter(([each]) => each !== path)));
    this.#noteDirty(path, false);
    this.#keepDraft(path, undefined);
    document.dispose();
  }

  /** Saves; rejects with a message when it cannot, and sets the document's conflict when the file changed on disk. */
  async save(path: string): Promise<void> {
    const document = this.documents.value.get(path);
    if (document === undefined || !document.isDirty.value) return;
    await this.beforeSave(path);
    const { text } = document;
    const { version, conflict } = await this.#bridge.call('files.write', { path, text, expected: document.version });
    if (conflict) return document.conflict.set(conflict);
    document.saved(text, version);
    if (isConfiguration(path)) this.#language.provide([{ path, text }]);
  }

  async saveAll(): Promise<void> {
    for (const path of this.dirty.value) await this.save(path);
  }

  /** Writes over what is on disk, after the person chose so. */
  async overwrite(path: string): Promise<void> {
    const document = this.documents.value.get(path);
    if (document === undefined) return;
    const { text } = document;
    const { version } = await this.#bridge.call('files.write', { path, text });
    document.saved(text, version);
  }

  /** Edits of several files, such as a rename: together one step of undo, unsaved. */
  async apply(changes: readonly { readonly file: string; readonly edits: readonly TextEdit[] }[]): Promise<JointEdit> {
    const opened = await Promise.all(
      changes
        .filter(({ edits }) => edits.length > 0)
        .map(async ({ file, edits }) => ({ edits, document: await this.open(file) })),
    );
    const { JointEdit } = await import('./joint-edit.ts');
    const edit = new JointEdit(opened);
    if (opened.length > 1) for (const { document } of opened) this.#joint.add(document.path);
    return edit;
  }

  /** Whether a document was changed together with others: undo in one of these reaches it, so it stays open. */
  isJoint(path: string): boolean {
    return this.#joint.has(path);
  }

  async create(path: string, text: string): Promise<Document> {
    const file = await this.#bridge.call('files.create', { path, text });
    if (isConfiguration(path)) this.#language.provide([file]);
    await this.#list();
    return this.open(path);
  }

  async createFolder(path: string): Promise<void> {
    await this.#bridge.call('files.createFolder', { path });
    await this.#list();
  }

  /**
   * Renames or moves a file or folder; unsaved text goes along. Rejects when the new path is taken. `onMoved` is called
   * when it has its new path, while documents of the old one are still open.
   */
  async rename(from: string, to: string, onMoved: () => void): Promise<void> {
    await this.#bridge.call('files.rename', { from, to });
    onMoved();
    const moved = (path: string) => to + path.slice(from.length);
    const inside = (path: string) => path === from || path.startsWith(`${from}/`);
    const files = this.entries.value.filter(({ path, kind }) => kind === 'file' && inside(path));
    const configuration = files.filter(({ path }) => isConfiguration(path));
    const texts = await Promise.all(
      configuration.map(({ path }) => this.#bridge.call('files.read', { path: moved(path) }).catch(() => undefined)),
    );
    this.#language.provide([
      ...configuration.map(({ path }) => ({ path, text: undefined })),
      ...texts.filter((text) => text !== undefined),
    ]);
    for (const [path, { isDirty, text }] of [...this.documents.value]) {
      if (!inside(path)) continue;
      if (isDirty.value) await this.#restore(moved(path), text);
      else await this.open(moved(path)).catch(() => undefined);
      this.close(path);
    }
    await this.#list();
  }

  /** Deletes a file or folder, its unsaved text too; the caller asks first. */
  async remove(path: string): Promise<void> {
    await this.#bridge.call('files.delete', { path });
    const inside = (each: string) => each === path || each.startsWith(`${path}/`);
    const gone = this.entries.value.filter((entry) => inside(entry.path) && isConfiguration(entry.path));
    this.#language.provide(gone.map((entry) => ({ path: entry.path, text: undefined })));
    for (const each of [...this.documents.value.keys()]) if (inside(each)) this.close(each);
    await this.#list();
  }

  /** Forgets the folder that the host has left already. Unsaved text is gone, so the caller asks first. */
  leave(): void {
    for (const timer of this.#drafts.values()) clearTimeout(timer);
    this.#drafts.clear();
    const documents = [...this.documents.value.values()];
    this.documents.set(new Map());
    this.dirty.set(new Set());
    this.#joint.clear();
    for (const document of documents) {
      if (isConfiguration(document.path)) this.#language.close(document.path);
      document.dispose();
    }
    const known = this.entries.value.filter(({ path }) => isConfiguration(path));
    this.#language.provide(known.map(({ path }) => ({ path, text: undefined })));
    this.entries.set([]);
    this.info.set(undefined);
  }

  #add(document: Document): Document {
    const { path } = document;
    this.documents.update((all) => new Map(all).set(path, document));
    if (isConfiguration(path)) {
      this.#language.open(path, document.text);
      document.model.onDidChangeContent(({ changes }) => this.#language.change(path, changes.map(editOf)));
    }
    document.isDirty.subscribe(() => this.#noteDirty(path, document.isDirty.value));
    document.model.onDidChangeContent(() => this.#scheduleDraft(document));
    return document;
  }

  async #restore(path: string, text: string): Promise<void> {
    const document = await this.open(path).catch(() => undefined);
    if (document === undefined || document.text === text) return;
    document.apply([{ range: { start: 0, end: document.text.length }, text }]);
  }

  #noteDirty(path: string, isDirty: boolean): void {
    if (this.dirty.value.has(path) === isDirty) return;
    const dirty = new Set(this.dirty.value);
    if (isDirty) dirty.add(path);
    else dirty.delete(path);
    this.dirty.set(dirty);
  }

  #scheduleDraft(document: Document): void {
    clearTimeout(this.#drafts.get(document.path));
    const keep = () => this.#keepDraft(document.path, document.isDirty.value ? document.text : undefined);
    this.#drafts.set(document.path, setTimeout(keep, draftPause));
  }

  #keepDraft(path: string, text: string | undefined): void {
    clearTimeout(this.#drafts.get(path));
    this.#drafts.delete(path);
    void this.#bridge.call('drafts.keep', { path, text }).catch(() => undefined);
  }

  async #filesChanged(changes: readonly { readonly path: string; readonly kind: 'changed' | 'deleted' }[]) {
    for (const { path, kind } of changes) {
      const document = this.documents.value.get(path);
      if (kind === 'deleted') {
        if (isConfiguration(path)) this.#language.provide([{ path, text: undefined }]);
        if (document && !document.isDirty.value) this.close(path);
        continue;
      }
      if (document === undefined && !isConfiguration(path)) continue;
      const file = await this.#bridge.call('files.read', { path }).catch(() => undefined);
      if (file === undefined) continue;
      if (isConfiguration(path)) this.#language.provide([file]);
      document?.changedOnDisk(file);
    }
    // What plugins provide is known by their manifests, which are installed where no change is noticed.
    if (changes.some(({ path }) => path === 'plugins.lock'))
      this.#language.provide((await this.#bridge.call('files.configuration', {})).files);
    if (changes.some(({ path }) => path.endsWith('.env')))
      this.#language.environment((await this.#bridge.call('files.environment', {})).values);
    await this.#list();
  }

  async #list(): Promise<void> {
    this.entries.set((await this.#bridge.call('files.list', {})).entries);
  }
}

function editOf({ rangeOffset, rangeLength, text }: editor.IModelContentChange): TextEdit {
  return { range: { start: rangeOffset, end: rangeOffset + rangeLength }, text };
}

export function isConfiguration(path: string): boolean {
  return path.endsWith('.hcl');
}

/** Whether a file is of tests, which a running service does not read. */
export function isTestFile(path: string): boolean {
  return path.startsWith('tests/') && isConfiguration(path);
}
