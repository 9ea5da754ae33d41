import type { Values } from '@svc/protocol/schema';
import type { WatchedStage } from '../../../../foundation/contracts/probe.ts';
import type { Frame } from '../../message/frame.ts';
import type { Announce, StepPart } from '../../message/part.ts';
import { unwatched } from '../../message/watched.ts';
import type { FlowModel } from '../../model.ts';
import type { FlowTools } from '../../tools.ts';
import { eventsOf, publishing } from '../destination/publish.ts';
import { compileMapping } from '../transform/stage.ts';
import { breathing } from './breath.ts';
import { compilePages, type Row } from './pages.ts';
import { Progress, progressReport } from './progress.ts';
import { rowFrames, rowShape, ShapedRow } from './rows.ts';
import type { Run } from './run.ts';
import { compileScan } from './scan.ts';
import type { batch as spec } from './spec.ts';
import { compileChunkWrite } from './write.ts';

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
  const { chunk_size: size, on_error: onError } = block;
  const report = progressReport(model.name, tools);
  const { query } = block;
  const pages =
    query === undefined ? compileScan(model, block, tools) : compilePages(model, { ...block, query }, tools);
  const mapping = compileMapping(block.transform?.fields ?? [], 'batch: transform', tools);
  const shape = rowShape(mapping);
  const { write, untilFailure, orSkip } = compileChunkWrite(model, block, report, tools);
  const writeChunk = onError === 'stop' ? untilFailure : orSkip;
  const publish = publishing(eventsOf(model.name, [write.destination]), tools.events);
  const readPlace: WatchedStage = { stage: 'read', name: block.source, rules: [] };
  const chunkPlace: WatchedStage = { stage: 'transform', name: 'chunk', rules: mapping.rules, numbered: true };

  const shapeChunk = async (rows: readonly Row[], { frame, progress, breath, announce }: Run) => {
    const frameOf = rowFrames(frame);
    const open: ShapedRow[] = [];
    rows.forEach((row, position) => {
      if (!progress.settled.has(position)) open.push(new ShapedRow(row, position, frameOf));
    });
    if (announce === undefined) {
      for (const each of open) {
        if (mapping.waits) await shape.watched(each, unwatched);
        else shape.plain(each);
        const pause = breath();
        if (pause !== undefined) await pause;
      }
      return open;
    }
    const place = { ...chunkPlace, name: `chunk ${progress.chunks}`, declared: chunkPlace.name, numbered: undefined };
    await announce(place, frame, async (watch) => {
      for (const each of open) await shape.watched(each, watch);
    });
    return open;
  };

  return {
    places: [readPlace, chunkPlace, write.place],
    run: async (frame: Frame, announce: Announce | undefined): Promise<undefined> => {
      const progress = progressOf(frame, report.begin);
      const run: Run = { frame, progress, announce, breath: breathing(tools.services.clock) };
      try {
        for (;;) {
          frame.signal?.throwIfAborted();
          const read = () => pages.read(frame, progress);
          const rows = (await (announce ? announce(readPlace, frame, read) : read())) as readonly Row[];
          if (rows.length === 0) break;
          progress.beginChunk();
          try {
            await writeChunk(run, await shapeChunk(rows, run));
          } finally {
            await publish(undefined);
          }
          progress.nextPage(rows);
          report.chunk(progress);
          if (rows.length < size) break;
        }
      } finally {
        await pages.end?.(progress);
      }
      report.done(progress);
      frame.answer = progress.answer(exact);
      return undefined;
    },
  };
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
