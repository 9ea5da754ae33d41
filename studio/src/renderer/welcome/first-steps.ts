import { debugOf } from '../debug/session/session.ts';
import { recordOf } from '../preferences/settings.ts';
import { serviceOf } from '../run/service.ts';
import type { KeptPart } from '../shell/contributions.ts';
import { tabOf } from '../shell/layout.ts';
import { partOfStudio, type Studio } from '../shell/studio.ts';
import { Store } from '../state/store.ts';

/** What a first run consists of, in this order. */
export const steps = ['template', 'start', 'send', 'step'] as const;
export type FirstStep = (typeof steps)[number];

/** The first run of a folder that brought one along: its steps stay in sight until all are done, or it is put away. */
export class FirstSteps {
  /** The steps that are done; undefined: nothing is to be shown. */
  readonly done = new Store<ReadonlySet<FirstStep> | undefined>(undefined);
  readonly #studio: Studio;

  constructor(studio: Studio) {
    this.#studio = studio;
    const service = serviceOf(studio);
    const { model } = debugOf(studio);
    service.state.subscribe(() => service.state.value.kind === 'running' && this.#finish('start'));
    model.state.subscribe(() => {
      const { threads } = model.state.value;
      if (threads.length > 0) this.#finish('send');
      if (threads.some(({ reason, isPaused }) => isPaused && reason.startsWith('step'))) this.#finish('step');
    });
  }

  /** Puts it away for good. */
  end(): void {
    this.done.set(undefined);
  }

  /** Kept with the folder. A folder says in `first` which text and which request are shown beside each other. */
  get kept(): KeptPart {
    return {
      name: 'first',
      changes: this.done,
      read: () => (this.done.value === undefined ? undefined : [...this.done.value]),
      restore: (stored) => {
        const known = Array.isArray(stored) ? steps.filter((step) => stored.includes(step)) : undefined;
        this.done.set(known === undefined || known.length === steps.length ? undefined : new Set(known));
      },
      suggest: (brought) => {
        const { text, request } = recordOf(brought) ?? {};
        if (typeof text !== 'string' || typeof request !== 'string') return;
        this.#begin(text, `requests/${request}.json`);
      },
    };
  }

  #begin(text: string, request: string): void {
    const { layout, project } = this.#studio;
    const files = new Set(project.entries.value.map(({ path }) => path));
    if (!files.has(text) || !files.has(request)) return;
    layout.drop(() => true);
    layout.open(tabOf('text', text), 0);
    layout.open(tabOf('request', request), 1);
    this.done.set(new Set(['template']));
  }

  #finish(step: FirstStep): void {
    const { value: done } = this.done;
    if (done !== undefined && !done.has(step)) this.done.set(new Set([...done, step]));
  }
}

export const firstStepsOf = partOfStudio((studio) => new FirstSteps(studio));
