import { asFailure } from '../../../../foundation/errors/classify.ts';
import type { Failure } from '../../../../foundation/errors/failure.ts';
import type { WriteEachCall } from '../../calls/rows.ts';
import type { progressReport } from './progress.ts';
import type { ShapedRow } from './rows.ts';
import type { Run } from './run.ts';

/**
 * Writes rows many in an exchange, each by itself: those that are written are settled. Answers why the first of the others
 * is not. Without `others`, nothing is written once one is not; else the others of its chunk are.
 */
export type WriteExchanges = (run: Run, rows: readonly ShapedRow[], others: boolean) => Promise<Failure | undefined>;

/** Rows that are written at once: others may wait for so long, and so many may be written alone when they fail together. */
export const mostAtOnce = 1000;

export function compileExchanges(writeEach: WriteEachCall, report: ReturnType<typeof progressReport>): WriteExchanges {
  /** Writes the first of some rows. Answers how many those were, and the first that is not written. */
  const exchange = async ({ frame, progress }: Run, rows: readonly ShapedRow[]) => {
    const outcomes = await writeEach(
      frame,
      rows.map(({ output }) => output ?? {}),
    );
    let first: { readonly position: number; readonly failure: Failure } | undefined;
    let written = 0;
    for (const [at, failure] of outcomes.entries()) {
      const { position } = rows[at] as ShapedRow;
      if (failure === undefined) {
        progress.settled.add(position);
        written++;
      } else first ??= { position, failure };
    }
    frame.affected += written;
    report.processed(progress, written);
    return { count: outcomes.length, first };
  };

  return async (run, rows, others) => {
    const malformed = rows.find(({ failure }) => failure !== undefined);
    const shaped = rows.filter(({ failure, position }) =>
      others ? failure === undefined : position < (malformed?.position ?? Number.POSITIVE_INFINITY),
    );
    let failed = malformed && { position: malformed.position, failure: asFailure(malformed.failure) };
    for (let from = 0; from < shaped.length; ) {
      const { count, first } = await exchange(run, shaped.slice(from, from + mostAtOnce));
      from += count;
      if (first === undefined) continue;
      if (failed === undefined || first.position < failed.position) failed = first;
      if (!others) break;
    }
    return failed?.failure;
  };
}
