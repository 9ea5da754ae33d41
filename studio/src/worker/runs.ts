import type { Expressions, Scope } from './expressions.ts';

/** Runs of an attached service that are kept. */
const mostRuns = 200;

/** What a condition over runs reads. */
export const runNames = ['flow', 'input', 'output', 'step', 'enriched', 'answer', 'error', 'dropped', 'ms'] as const;

export type RunScope = Scope & Readonly<Record<(typeof runNames)[number], unknown>>;

/** A run as it is listed. */
export interface RunSummary {
  readonly id: string;
  readonly number: number;
  readonly flow: string;
  /** By `Date.now()`. */
  readonly startedAt: number;
  readonly durationUs: number;
  readonly how: 'ended' | 'failed' | 'dropped';
  /** Its input in a few words. */
  readonly input: string;
}

/** A run that has ended, with everything that is shown of it. */
export interface KeptRun {
  readonly summary: RunSummary;
  readonly scope: RunScope;
  /** What the page made of it, as it takes it back. */
  readonly thread: unknown;
}

/** The last runs of a service, apart from the page, so that it stays small and searching them holds up nothing. */
export class Runs {
  readonly #expressions: Expressions;
  /** Oldest first. */
  #kept: KeptRun[] = [];

  constructor(expressions: Expressions) {
    this.#expressions = expressions;
  }

  keep(runs: readonly KeptRun[]): void {
    this.#kept = [...this.#kept, ...runs].slice(-mostRuns);
  }

  forget(): void {
    this.#kept = [];
  }

  /** Those of which a condition is true, newest first; all of them without one. Throws an Error for a text that is not a condition. */
  list(condition: string): readonly RunSummary[] {
    const scopes = this.#kept.map(({ scope, summary }) => ({ ...scope, summary }));
    const found = condition.trim() === '' ? scopes : this.#expressions.filter(condition, runNames, scopes);
    return found.map(({ summary }) => summary).reverse();
  }

  find(id: string): KeptRun | undefined {
    return this.#kept.find(({ summary }) => summary.id === id);
  }

  /** The last run of a flow. */
  last(flow: string): KeptRun | undefined {
    return this.#kept.findLast(({ summary }) => summary.flow === flow);
  }
}
