import type { Values } from '@svc/protocol/schema';
import type { WatchedStage } from '../../../contracts/probe.ts';
import type { StatementRunner } from '../../../contracts/sql.ts';
import { asFailure } from '../../../errors/classify.ts';
import type { Failure } from '../../../errors/failure.ts';
import { isLoss } from '../../hold/held.ts';
import type { Frame } from '../../message/frame.ts';
import type { Announce, StepPart } from '../../message/part.ts';
import { Restart } from '../../message/restart.ts';
import { whenDone } from '../../message/when-done.ts';
import type { FlowModel } from '../../model.ts';
import type { FlowTools } from '../../tools.ts';
import { eventsOf, publishing } from '../destination/publish.ts';
import { resolveDestinations } from '../destination/resolve.ts';
import type { to } from '../destination/spec.ts';
import { compileWrite, type Write } from '../destination/write.ts';
import { compileMapping } from '../transform/stage.ts';
import { breathing } from './breath.ts';
import { Progress, progressReport } from './progress.ts';
import { compilePages, type Row, rowFrames } from './rows.ts';
import type { batch as spec } from './spec.ts';

type BatchBlock = Values<typeof spec>;

/** The whole work of a flow with a `batch`: pages are read, and each row is transformed and written. */
export function batch(model: FlowModel, tools: FlowTools, exact: boolean): readonly StepPart[] | undefined {
  const { batch: block } = model.values;
  if (!block) return undefined;
  const run = compileBatch(model, block, tools, exact);
  return [
    {
      stage: undefined,
      name: '',
      title: 'batch',
      step: (frame) => run.run(frame, undefined),
      places: run.places,
      split: (announce) => (frame) => run.run(frame, announce),
    },
  ];
}

function compileBatch(model: FlowModel, block: BatchBlock, tools: FlowTools, exact: boolean) {
  const { chunk_size: size, concurrency, on_error: onError } = block;
  const report = progressReport(model.name, tools);
  const readPage = compilePages(model, block, tools);
  const shape = compileShape(block, tools);
  const write = compileRowWrite(model, block, tools);
  const transactions = write.destination.use.target?.transactions;
  const publish = publishing(eventsOf(model.name, [write.destination]), tools.events);
  const readPlace: WatchedStage = { stage: 'read', name: block.source, rules: [] };
  const chunkPlace: WatchedStage = { stage: 'transform', name: 'chunk', rules: shape.rules, numbered: true };

  const writeRow = async ({ frame, failure }: Shaped, announce: Announce | undefined): Promise<void> => {
    if (failure !== undefined) throw failure;
    const written = announce
      ? announce(write.place, frame, (watch) => write.runWatched(frame, watch))
      : write.run(frame);
    if (written instanceof Promise) await written;
  };

  /** Writes the rows of a chunk until one fails; those that are written are settled. */
  const writeChunk = async (
    rows: readonly Shaped[],
    progress: Progress,
    breath: ReturnType<typeof breathing>,
    announce: Announce | undefined,
  ) => {
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
    if (stopped !== undefined) throw stopped.reworded(`chunk ${progress.chunks}: ${stopped.message}`);
  };

  /** Writes a chunk, or skips it: completely when the destination has transactions, else from the row that failed. */
  const tryChunk = async (
    frame: Frame,
    rows: readonly Shaped[],
    progress: Progress,
    breath: ReturnType<typeof breathing>,
    announce: Announce | undefined,
  ) => {
    const { affected } = frame;
    let settled = 0;
    const writeAll = async (within: StatementRunner) => {
      for (const row of rows) {
        row.frame.within = within;
        await writeRow(row, announce);
        const pause = breath();
        if (pause !== undefined) await pause;
      }
    };
    try {
      if (transactions === undefined) await writeChunk(rows, progress, breath, announce);
      else {
        await transactions.run(writeAll, frame.signal);
        report.processed(progress, rows.length);
      }
    } catch (error) {
      const failure = asFailure(error);
      if (transactions !== undefined) frame.affected = affected;
      else settled = rows.filter(({ position }) => progress.settled.has(position)).length;
      if (error instanceof Restart || failure.code === 'cancelled' || isLoss(failure)) throw error;
      const reason = failure.message.replace(`chunk ${progress.chunks}: `, '');
      report.skipped(progress, failure.reworded(reason), rows.length - settled);
    }
  };

  const shapeChunk = (rows: readonly Row[], frame: Frame, progress: Progress, announce?: Announce) => {
    const frameOf = rowFrames(frame);
    const open = rows
      .map((row, position): Shaped => ({ frame: frameOf(row), position, failure: undefined }))
      .filter(({ position }) => !progress.settled.has(position));
    if (announce === undefined) {
      for (const each of open) shape.plain(each);
      return open;
    }
    const place = { ...chunkPlace, name: `chunk ${progress.chunks}`, declared: chunkPlace.name, numbered: undefined };
    return whenDone(
      announce(place, frame, async (watch) => {
        for (const each of open) await shape.watched(each, watch);
      }),
      () => open,
    );
  };

  return {
    places: [readPlace, chunkPlace, write.place],
    run: async (frame: Frame, announce: Announce | undefined): Promise<undefined> => {
      const progress = progressOf(frame, report.begin);
      const breath = breathing(tools.services.clock);
      for (;;) {
        frame.signal?.throwIfAborted();
        const read = () => readPage(frame, progress.offset);
        const rows = (await (announce ? announce(readPlace, frame, read) : read())) as readonly Row[];
        if (rows.length === 0) break;
        // A chunk that an earlier attempt has begun keeps its number.
        if (progress.settled.size === 0) progress.chunks++;
        try {
          const shaped = await shapeChunk(rows, frame, progress, announce);
          if (onError === 'stop') await writeChunk(shaped, progress, breath, announce);
          else await tryChunk(frame, shaped, progress, breath, announce);
        } finally {
          await publish(undefined);
        }
        progress.nextPage(rows.length);
        report.chunk(progress);
        if (rows.length < size) break;
      }
      report.done(progress);
      frame.answer = progress.answer(exact);
      return undefined;
    },
  };
}

/** A row in progress, and why it cannot be written. */
interface Shaped {
  readonly frame: Frame;
  readonly position: number;
  failure: unknown;
}

/** Builds the payload of a row; the row itself without a transform. */
function compileShape({ transform }: BatchBlock, tools: FlowTools) {
  const mapping = compileMapping(transform?.fields ?? [], 'batch: transform', tools);
  const isWhole = mapping.isEmpty;
  const begin = ({ frame }: Shaped) => {
    const output = isWhole ? withoutMessage(frame.input) : mapping.start();
    frame.output = output;
    return output;
  };
  return {
    rules: mapping.rules,
    plain: (row: Shaped) => {
      try {
        mapping.fill(row.frame, begin(row));
      } catch (error) {
        row.failure = error;
      }
    },
    watched: async (row: Shaped, watch: Parameters<typeof mapping.fillWatched>[2]) => {
      try {
        await mapping.fillWatched(row.frame, begin(row), watch);
      } catch (error) {
        row.failure = error;
      }
    },
  };
}

function withoutMessage({ _batch_input: _, ...row }: Record<string, unknown>): Record<string, unknown> {
  return row;
}

/**
 * The destination of a batch is compiled like that of a flow that does nothing else, and is called once for each row.
 */
function compileRowWrite(model: FlowModel, { to: words, transform }: BatchBlock, tools: FlowTools): Write {
  const destination = { ...words, parallel: true, required: false } as unknown as Values<typeof to>;
  const values = { ...model.values, transform: transform && { ...transform, enrich: [] }, step: [], to: [destination] };
  const own = { ...model, values: values as typeof model.values, operation: undefined, inputTypes: [] };
  const [resolved] = resolveDestinations(own.values, 'create', tools);
  if (resolved === undefined) throw new Error('a batch has a destination');
  return compileWrite(own, resolved, tools, false);
}

/** What an earlier attempt of the flow has done already. */
function progressOf(frame: Frame, begin: () => Progress): Progress {
  const delivered = (frame.delivered ??= new Map());
  const known = delivered.get(batchKey);
  if (known instanceof Progress) return known;
  const progress = begin();
  delivered.set(batchKey, progress);
  return progress;
}

const batchKey = 'batch';
