import { Store } from '../state/store.ts';

/** Something that needs an answer, or a long job that ended. Diagnostics never come this way. */
export interface Notice {
  readonly id: number;
  readonly kind: 'info' | 'error';
  readonly text: string;
  readonly actions: readonly { readonly title: string; readonly run: () => void }[];
  /** What it is about; it goes when that is over. Undefined: it stays until it is dismissed. */
  readonly topic: string | undefined;
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

  /** Shows a notice, in place of one with the same text or topic. */
  show(kind: Notice['kind'], text: string, actions: Notice['actions'] = [], topic?: string): void {
    const notice = { id: ++this.#lastId, kind, text, actions, topic };
    const isSame = (each: Notice) => each.text === text || (topic !== undefined && each.topic === topic);
    this.all.update((all) => [...all.filter((each) => !isSame(each)), notice].slice(-4));
  }

  failed(error: unknown, topic?: string): void {
    this.show('error', error instanceof Error ? error.message : String(error), [], topic);
  }

  /** What notices of this topic say is over. */
  end(topic: string): void {
    if (this.all.value.some((each) => each.topic === topic))
      this.all.update((all) => all.filter((each) => each.topic !== topic));
  }

  /** Everything that was said is over, as when another folder is opened. */
  clear(): void {
    this.all.set([]);
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
