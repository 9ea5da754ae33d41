import type { Outline } from '../debug/session/flow-map.ts';
import type { Thread } from '../debug/session/thread.ts';

/** What is known of the runs of the attached service. */
export interface RunFacts {
  readonly runs: number;
  /** Flows whose newest run failed, by name. */
  readonly failing: readonly string[];
  /** When the newest run began, by `Date.now()`; undefined before the first. */
  readonly lastAt: number | undefined;
}

/** Counts runs that have ended; of each flow its newest one says whether it fails. */
export function runFacts(threads: readonly Thread[]): RunFacts {
  const newest = new Map<string, Thread>();
  const ended = threads.filter((thread) => thread.ended !== undefined);
  for (const thread of ended) {
    const known = newest.get(thread.flow);
    if (known === undefined || known.moved < thread.moved) newest.set(thread.flow, thread);
  }
  const failing = [...newest.values()].filter((thread) => (thread.ended?.error ?? '') !== '').map(({ flow }) => flow);
  const last = threads.reduce((latest, { startedAt }) => Math.max(latest, startedAt), 0);
  return { runs: ended.length, failing: failing.sort(), lastAt: last === 0 ? undefined : last };
}

/** How much is declared, in words; a connector that is named alone is a problem, and not counted. */
export function sizeInWords({ flows, connectors }: Pick<Outline, 'flows' | 'connectors'>): string {
  const declared = connectors.filter((each) => each.declared && each.word === 'connector');
  return `${counted(flows.length, 'flow')}, ${counted(declared.length, 'connector')}`;
}

export function counted(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}
