import type { Form, FormChange, SemanticToken } from '@svc/protocol/language';
import type { Document } from '../project/document.ts';
import { isConfiguration } from '../project/project.ts';
import { tellJointEdit } from '../shell/joint-notice.ts';
import type { Studio } from '../shell/studio.ts';
import { Store } from '../state/store.ts';

/** The block that is selected, as a form, with the text that it edits. */
export interface ShownForm {
  readonly form: Form;
  readonly document: Document;
  readonly text: string;
  /** Words of the text with their kinds. */
  readonly tokens: readonly Coloured[];
}

export type Coloured = Pick<SemanticToken, 'start' | 'end' | 'kind'>;

/** What a change came to: why it was refused. */
export interface Refusal {
  /** The attribute that it was about; empty for the block. */
  readonly name: string;
  readonly message: string;
}

/** The form of what is selected. It writes by edits of the document alone, so that its undo is the text's own. */
export class Properties {
  readonly shown = new Store<ShownForm | undefined>(undefined);
  readonly refusal = new Store<Refusal | undefined>(undefined);
  /** Lines of the text that the form changed last, from 1, both included. */
  readonly changed = new Store<{ readonly path: string; readonly from: number; readonly to: number } | undefined>(
    undefined,
  );
  /** A block that was just written: its first field takes the focus when it is shown. */
  readonly entered = new Store<{ readonly path: string; readonly offset: number } | undefined>(undefined);
  readonly #studio: Studio;
  #place: { readonly path: string; readonly offset: number } | undefined;
  #asking: AbortController | undefined;
  #isWatched = 0;

  constructor(studio: Studio) {
    this.#studio = studio;
    studio.focus.subscribe(() => this.#follow());
    studio.language.checked.subscribe(() => void this.#read());
    studio.project.info.subscribe(() => {
      if (studio.project.info.value !== undefined) return;
      this.#place = undefined;
      this.shown.set(undefined);
    });
  }

  /** A view shows the form from now on, until the returned function is called; without one, nothing is asked. */
  watch(): () => void {
    this.#isWatched++;
    this.#follow();
    return () => {
      this.#isWatched--;
    };
  }

  /** Makes a change of the block. True when it was made; what speaks against it is in `refusal`. */
  async change(change: FormChange, name = ''): Promise<boolean> {
    const shown = this.shown.value;
    if (shown === undefined) return false;
    const { document, form } = shown;
    try {
      const version = document.model.getVersionId();
      const edits = await this.#studio.language.ask('edit', [form.file, form.range.start, change]);
      if (document.model.getVersionId() !== version) throw new Error('the text was changed meanwhile; do it again');
      this.refusal.set(undefined);
      if (edits.length === 0) return true;
      const lines = document.model.getLineCount();
      document.apply(edits);
      this.#note(document, edits[0]!.range.start, document.model.getLineCount() - lines);
      return true;
    } catch (error) {
      this.refusal.set({ name, message: error instanceof Error ? error.message : String(error) });
      return false;
    }
  }

  /** Gives the block another name, here and wherever it is named. */
  async rename(name: string): Promise<void> {
    const { form, text } = this.shown.value ?? {};
    if (form === undefined || text === undefined || name === form.label) return;
    const at = text.indexOf(`"${form.label}"`, form.range.start);
    try {
      const changes = await this.#studio.language.ask('rename', [form.file, at + 1, name]);
      const edit = await this.#studio.project.apply([...changes].map(([file, edits]) => ({ file, edits })));
      tellJointEdit(this.#studio, `Renamed to ${name}`, edit);
      this.refusal.set(undefined);
    } catch {
      // A name that nothing else names is changed where it is written; that says why when it cannot be.
      await this.change({ rename: name });
    }
  }

  /** The first field of a block that was just written takes the focus, where the form is in sight. */
  fillIn(path: string, offset: number): void {
    if (this.#isWatched > 0) this.entered.set({ path, offset });
  }

  undo(): void {
    this.shown.value?.document.model.undo();
    this.changed.set(undefined);
  }

  redo(): void {
    this.shown.value?.document.model.redo();
  }

  /** Goes to a block inside of the one that is shown. */
  enter({ start, end }: { readonly start: number; readonly end: number }): void {
    const { form } = this.shown.value ?? {};
    if (form) this.#studio.focus.set({ path: form.file, start, end, by: 'canvas' });
    this.#follow();
  }

  #note(document: Document, start: number, added: number): void {
    const from = document.model.getPositionAt(start).lineNumber;
    this.changed.set({ path: document.path, from: from + (added > 0 ? 1 : 0), to: from + Math.max(0, added) });
  }

  #follow(): void {
    const focus = this.#studio.focus.value;
    if (focus === undefined || !isConfiguration(focus.path)) return;
    this.#place = { path: focus.path, offset: focus.start };
    this.refusal.set(undefined);
    void this.#read();
  }

  async #read(): Promise<void> {
    this.#asking?.abort();
    const place = this.#place;
    if (place === undefined || this.#isWatched === 0) return;
    const asking = new AbortController();
    this.#asking = asking;
    const { language, project } = this.#studio;
    const form = await language.ask('form', [place.path, place.offset], asking.signal);
    if (form === undefined) return this.shown.set(undefined);
    const [document, tokens] = await Promise.all([
      project.open(form.file),
      language.ask('semanticTokens', [form.file], asking.signal),
    ]);
    if (asking.signal.aborted) return;
    const { start, end } = form.range;
    const inside = tokens.filter((token) => token.start >= start && token.end <= end);
    this.shown.set({ form, document, text: document.text, tokens: inside });
  }
}
