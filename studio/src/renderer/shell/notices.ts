import { Store } from '../state/store.ts';

/** Something that needs an answer, or a long job that ended. Diagnostics never come this way. */
export interface Notice {
  readonly id: number;
  readonly kind: 'info' | 'error';
  readonly text: string;
  readonly actions: readonly { readonly title: string; readonly run: () => void }[];
}

/** A question that keeps the rest waiting; resolves with the title of the button, undefined when it was dismissed. */
export interface Question {
  readonly text: string;
  readonly detail?: string | undefined;
  /** The first is the primary one. Each names its effect. */
  readonly buttons: readonly string[];
  readonly answer: (title: string | undefined) => void;
}

export class Notices {
  readonly all = new Store<readonly Notice[]>([]);
  readonly question = new Store<Question | undefined>(undefined);
  #lastId = 0;

  show(kind: Notice['kind'], text: string, actions: Notice['actions'] = []): void {
    const id = ++this.#lastId;
    this.all.update((all) => [...all.filter((each) => each.text !== text), { id, kind, text, actions }].slice(-4));
  }

  failed(error: unknown): void {
    this.show('error', error instanceof Error ? error.message : String(error));
  }

  dismiss(id: number): void {
    this.all.update((all) => all.filter((each) => each.id !== id));
  }

  ask(text: string, buttons: readonly string[], detail?: string): Promise<string | undefined> {
    this.question.value?.answer(undefined);
    return new Promise((resolve) => {
      const answer = (title: string | undefined) => {
        this.question.set(undefined);
        resolve(title);
      };
      this.question.set({ text, detail, buttons, answer });
    });
  }
}
