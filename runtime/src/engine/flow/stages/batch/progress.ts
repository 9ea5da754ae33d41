import type { Failure } from '../../../../foundation/errors/failure.ts';
import type { FlowTools } from '../../tools.ts';

/** Maximum of errors that an answer names; the others are counted. */
const mostErrors = 1_000;

/** Milliseconds between two log lines of one run. */
const logEvery = 5_000;

/** The progress of a batch. It outlives an attempt of the flow, so that the next one continues where it failed. */
export class Progress {
  /** Rows of the query before the present page. */
  offset = 0;
  /** The last of them. */
  last: Readonly<Record<string, unknown>> | undefined;
  /** Rows of the present page that are settled. */
  readonly settled = new Set<number>();
  processed = 0;
  failed = 0;
  chunks = 0;
  #isBegun = false;
  readonly #errors: string[] = [];
  #unnamed = 0;
  #logged: number;

  constructor(now: number) {
    this.#logged = now;
  }

  /** A chunk that an earlier attempt has begun keeps its number. */
  beginChunk(): void {
    if (!this.#isBegun) this.chunks++;
    this.#isBegun = true;
  }

  /** Counts rows of the present chunk that were skipped because of a failure. */
  fail(failure: Failure, rows: number): void {
    this.failed += rows;
    if (this.#errors.length < mostErrors) this.#errors.push(`chunk ${this.chunks}: ${failure.message}`);
    else this.#unnamed++;
  }

  nextPage(rows: readonly Readonly<Record<string, unknown>>[]): void {
    this.offset += rows.length;
    this.last = rows.at(-1);
    this.settled.clear();
    this.#isBegun = false;
  }

  /** Whether it is time for another log line. */
  isDue(now: number): boolean {
    if (now - this.#logged < logEvery) return false;
    this.#logged = now;
    return true;
  }

  /** `exact` gives counts that expressions read as int. */
  answer(exact: boolean): Readonly<Record<string, unknown>> {
    const count = (value: number) => (exact ? BigInt(value) : value);
    const more = this.#unnamed;
    return {
      processed: count(this.processed),
      failed: count(this.failed),
      chunks: count(this.chunks),
      errors: more > 0 ? [...this.#errors, `and ${more} more`] : [...this.#errors],
    };
  }
}

/** Where the progress of one flow is counted and logged. */
export function progressReport(flow: string, { services }: FlowTools) {
  const { families, log, clock } = services;
  const rows = { ok: families.batchRows.of(flow, 'processed'), failed: families.batchRows.of(flow, 'failed') };
  const chunks = families.batchChunks.of(flow);
  const fieldsOf = ({ chunks: done, processed, failed }: Progress) => ({ flow, chunks: done, processed, failed });
  return {
    begin: () => new Progress(clock.elapsed()),
    processed: (progress: Progress, count = 1) => {
      progress.processed += count;
      rows.ok.value += count;
    },
    skipped: (progress: Progress, failure: Failure, count: number) => {
      progress.fail(failure, count);
      rows.failed.value += count;
    },
    chunk: (progress: Progress) => {
      chunks.value++;
      log.debug('a chunk of a batch is done', fieldsOf(progress));
      if (progress.isDue(clock.elapsed())) log.info('a batch continues', fieldsOf(progress));
    },
    done: (progress: Progress) => log.info('a batch is done', fieldsOf(progress)),
  };
}
