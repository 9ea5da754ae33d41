import type { Block, Body, SyntaxTree } from '../../syntax/index.ts';
import type { LineIndex } from '../../text/index.ts';
import type { Stop } from '../support.ts';

/** What a stop is called: without `ruleIndex` the stage, with it one of its rules. */
export interface StopAddress {
  readonly flow: string;
  readonly stage: string;
  /** Undefined means any block of that stage. */
  readonly name?: string | undefined;
  readonly ruleIndex?: number | undefined;
}

/**
 * The stops that a breakpoint in a line (from 1) can mean: what begins in the line; else the value that continues in
 * it; else what begins next in the innermost block around it that holds something below; else that block itself. A line
 * outside of every root block means nothing, so that no breakpoint lands in another flow.
 */
export function stopsOnLine(
  stops: readonly Stop[],
  { file, body }: SyntaxTree,
  line: number,
  lines: LineIndex,
): readonly Stop[] {
  if (!Number.isSafeInteger(line)) return [];
  const lineOf = (offset: number) => lines.position(offset).line;
  const placed = stops
    .filter((stop) => stop.file === file)
    .map((stop) => ({ stop, first: lineOf(stop.range.start), last: lineOf(stop.range.end) }));
  const startingIn = (first: number) => placed.filter((one) => one.first === first).map(({ stop }) => stop);
  const own = startingIn(line);
  if (own.length > 0) return own;
  const around = blocksAround(body, (block) => lineOf(block.start) <= line && line < lineOf(block.end));
  const inner = around.at(-1);
  const value = placed.find(({ stop, first, last }) => first < line && line <= last && inner && isWithin(stop, inner));
  if (value !== undefined) return startingIn(value.first);
  for (const block of around.toReversed()) {
    const below = placed.filter(({ stop, first }) => first > line && isWithin(stop, block)).map(({ first }) => first);
    if (below.length > 0) return startingIn(Math.min(...below));
    // Behind the last stop of a root block nothing is meant: its head may be far above.
    const head = block === around[0] ? [] : startingIn(lineOf(block.start));
    if (head.length > 0) return head;
  }
  return [];
}

/** The blocks in which a line is, from the outermost to the innermost. */
function blocksAround(body: Body, holds: (block: Block) => boolean): readonly Block[] {
  const found = body.items.find((item): item is Block => item.kind === 'block' && holds(item));
  return found === undefined ? [] : [found, ...blocksAround(found.body, holds)];
}

function isWithin({ range }: Stop, block: Block): boolean {
  return range.start > block.start && range.end <= block.end && range.end - range.start < block.end - block.start;
}

/** The stops of an address, in the order in which a message meets them; empty when the flow has no such stop. */
export function stopsAt(stops: readonly Stop[], { flow, stage, name, ruleIndex }: StopAddress): readonly Stop[] {
  return stops.filter(
    (stop) =>
      stop.flow === flow &&
      stop.stage === stage &&
      (name === undefined || stop.name === name) &&
      stop.ruleIndex === ruleIndex,
  );
}
