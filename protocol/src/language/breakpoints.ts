import type { LineIndex } from '../text/index.ts';
import type { Stop } from './support.ts';

/** What a stop is called: without `ruleIndex` the stage, with it one of its rules. */
export interface StopAddress {
  readonly flow: string;
  readonly stage: string;
  /** Undefined means any block of that stage. */
  readonly name?: string | undefined;
  readonly ruleIndex?: number | undefined;
}

/**
 * The stops that a breakpoint in a line (from 1) can mean: what begins in the line, else what begins in the next line
 * that something begins in, so that a click on a comment or an attribute between lands where the flow can stop.
 */
export function stopsOnLine(stops: readonly Stop[], file: string, line: number, lines: LineIndex): readonly Stop[] {
  let best: Stop[] = [];
  let bestLine = Number.POSITIVE_INFINITY;
  for (const stop of stops) {
    if (stop.file !== file) continue;
    const own = lines.position(stop.range.start).line;
    if (own < line || own > bestLine) continue;
    if (own < bestLine) best = [];
    bestLine = own;
    best.push(stop);
  }
  return best;
}

/** The stops of an address, in the order in which a message meets them; empty when the flow has none such. */
export function stopsAt(stops: readonly Stop[], { flow, stage, name, ruleIndex }: StopAddress): readonly Stop[] {
  return stops.filter(
    (stop) =>
      stop.flow === flow &&
      stop.stage === stage &&
      (name === undefined || stop.name === name) &&
      stop.ruleIndex === ruleIndex,
  );
}
