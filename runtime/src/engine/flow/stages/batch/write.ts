import type { Values } from '@svc/protocol/schema';
import type { StatementRunner, Transactions } from '../../../../foundation/contracts/sql.ts';
import type { WriteRows } from '../../../../foundation/contracts/target.ts';
import { asFailure } from '../../../../foundation/errors/classify.ts';
import type { Failure } from '../../../../foundation/errors/failure.ts';
import { prepareEachCall, prepareRowsCall } from '../../calls/rows.ts';
import { compileWords } from '../../compile/words.ts';
import { isLoss } from '../../hold/held.ts';
import type { Announce } from '../../message/part.ts';
import { Restart } from '../../message/restart.ts';
import type { FlowModel } from '../../model.ts';
import type { FlowTools } from '../../tools.ts';
import { describeDestination } from '../destination/request.ts';
import { resolveDestinations } from '../destination/resolve.ts';
import type { to } from '../destination/spec.ts';
import { compileWrite, type Write } from '../destination/write.ts';
import { compileExchanges, mostAtOnce } from './exchanges.ts';
import type { Progress, progressReport } from './progress.ts';
import type { ShapedRow } from './rows.ts';
import type { Run } from './run.ts';
import type { batch as spec } from './spec.ts';

/** Rows are what the flow reads, without a caller. */
const rowSource: FlowModel['source'] = { input: { _batch_input: 'The message.' } };

export interface ChunkWrite {
  readonly write: Write;
  /** Writes the rows of a chunk until one fails; those that are written are settled. */
  readonly untilFailure: (run: Run, rows: readonly ShapedRow[]) => Promise<void>;
  /** Writes a chunk, or skips it: completely when the destination has transactions, else from the row that failed. */
  readonly orSkip: (run: Run, rows: readonly ShapedRow[]) => Promise<void>;
}

/** How the chunks of a batch are written. */
export function compileChunkWrite(
  model: FlowModel,
  block: Values<typeof spec>,
  report: ReturnType<typeof progressReport>,
  tools: FlowTools,
): ChunkWrite {
  const { concurrency } = block;
  const { write, prepareRows, writeEach } = compileRowWrite(model, block, tools);
  const offered = write.destination.use.target?.transactions;
  const transactions = offered?.writtenOnly === true ? undefined : offered;

  const writeRow = async ({ frame, failure }: ShapedRow, announce: Announce | undefined): Promise<void> => {
    if (failure !== undefined) throw failure;
    const written = announce
      ? announce(write.place, frame, (watch) => write.runWatched(frame, watch))
      : write.run(frame);
    if (written instanceof Promise) await written;
  };

  /** Makes ready to write all rows at once; undefined: one after another. */
  const readyAtOnce = async ({ frame, breath, announce }: Run, rows: readonly ShapedRow[]) => {
    if (prepareRows === undefined || transactions === undefined || announce !== undefined || rows.length < 2)
      return undefined;
    const payloads: Readonly<Record<string, unknown>>[] = [];
    for (const { output, failure } of rows) {
      if (failure !== undefined || output === undefined) return undefined;
      payloads.push(output);
    }
    const writes: { readonly rows: readonly ShapedRow[]; readonly write: WriteRows }[] = [];
    for (let from = 0; from < rows.length; from += mostAtOnce) {
      const ready = await prepareRows(frame, payloads.slice(from, from + mostAtOnce));
      if (ready === undefined) return undefined;
      writes.push({ rows: rows.slice(from, from + mostAtOnce), write: ready });
      await breath();
    }
    return writes;
  };

  const oneByOne = async ({ progress, breath, announce }: Run, rows: readonly ShapedRow[]) => {
    const waiting = rows[Symbol.iterator]();
    let stopped: Failure | undefined;
    const work = async () => {
      for (const row of waiting) {
        if (stopped !== undefined) return;
        try {
          await writeRow(row, announce);
          report.processed(progress);
          progress.settled.add(row.position);
        } catch (error) {
          stopped ??= asFailure(error);
        }
        const pause = breath();
        if (pause !== undefined) await pause;
      }
    };
    await Promise.all(Array.from({ length: Math.min(concurrency, rows.length) }, work));
    if (stopped !== undefined) throw inChunk(stopped, progress);
  };

  const writeExchanges = writeEach && compileExchanges(writeEach, report);

  const untilFailure: ChunkWrite['untilFailure'] = async (run, rows) => {
    const { frame, progress, announce } = run;
    if (writeExchanges !== undefined && announce === undefined && rows.length > 1) {
      let failure: Failure | undefined;
      try {
        failure = await writeExchanges(run, rows, block.on_error === 'continue');
      } catch (error) {
        failure = asFailure(error);
      }
      if (failure !== undefined) throw inChunk(failure, progress);
      return;
    }
    const writes = await readyAtOnce(run, rows);
    if (writes === undefined) return oneByOne(run, rows);
    for (const { rows: some, write: writeSome } of writes) {
      try {
        frame.affected += await (transactions as Transactions).run(writeSome, frame.signal);
      } catch (error) {
        const failure = asFailure(error);
        if (!mayBeOfRow(failure)) throw inChunk(failure, progress);
        // Nothing of them was written. Those before the row that fails are to stay.
        await oneByOne(run, some);
        continue;
      }
      report.processed(progress, some.length);
      for (const { position } of some) progress.settled.add(position);
    }
  };

  /** All rows in one transaction. */
  const asOne = async (run: Run, rows: readonly ShapedRow[], destination: Transactions) => {
    const { frame, breath, announce } = run;
    const { affected } = frame;
    const writes = await readyAtOnce(run, rows);
    if (writes !== undefined) {
      try {
        const count = await destination.run(async (within) => {
          let written = 0;
          for (const each of writes) written += await each.write(within);
          return written;
        }, frame.signal);
        frame.affected += count;
        return;
      } catch (error) {
        if (!mayBeOfRow(asFailure(error))) throw error;
        // One after another, the row that fails says why.
      }
    }
    const writeAll = async (within: StatementRunner) => {
      for (const row of rows) {
        row.frame.within = within;
        await writeRow(row, announce);
        const pause = breath();
        if (pause !== undefined) await pause;
      }
    };
    try {
      await destination.run(writeAll, frame.signal);
    } catch (error) {
      frame.affected = affected;
      throw error;
    }
  };

  const orSkip: ChunkWrite['orSkip'] = async (run, rows) => {
    const { progress } = run;
    try {
      if (transactions === undefined) return await untilFailure(run, rows);
      await asOne(run, rows, transactions);
      report.processed(progress, rows.length);
    } catch (error) {
      const failure = asFailure(error);
      if (error instanceof Restart || failure.code === 'cancelled' || isLoss(failure)) throw error;
      const settled = rows.filter(({ position }) => progress.settled.has(position)).length;
      const reason = failure.message.replace(`chunk ${progress.chunks}: `, '');
      report.skipped(progress, failure.reworded(reason), rows.length - settled);
    }
  };

  return { write, untilFailure, orSkip };
}

/** Whether one row of many may be why they failed, or their number, so that each alone may do better. */
function mayBeOfRow({ code, retriable }: Failure): boolean {
  return code === 'connector_timeout' || (!retriable && code !== 'cancelled' && code !== 'internal');
}

function inChunk(failure: Failure, { chunks }: Progress): Failure {
  return failure.reworded(`chunk ${chunks}: ${failure.message}`);
}

/** The destination of a batch is compiled like that of a flow that does nothing else, and takes each row, or many. */
function compileRowWrite(model: FlowModel, { to: words, transform }: Values<typeof spec>, tools: FlowTools) {
  const block = { ...words, parallel: true, required: false } as unknown as Values<typeof to>;
  const values = { ...model.values, transform: transform && { ...transform, enrich: [] }, step: [], to: [block] };
  const own = {
    ...model,
    values: values as typeof model.values,
    source: rowSource,
    operation: undefined,
    inputTypes: [],
  };
  const [destination] = resolveDestinations(own.values, 'create', tools);
  if (destination === undefined) throw new Error('a batch has a destination');
  const { target, named } = destination;
  const isFixed =
    (target === undefined || typeof target === 'string') &&
    named === undefined &&
    compileWords(destination.values.words, 'batch: to', tools) === undefined;
  const { use } = destination;
  const described = describeDestination(own, destination, false);
  return {
    write: compileWrite(own, destination, tools, false),
    prepareRows: isFixed && target !== undefined ? prepareRowsCall(use, described, tools) : undefined,
    writeEach: isFixed && use.target?.prepareRows === undefined ? prepareEachCall(use, described, tools) : undefined,
  };
}
