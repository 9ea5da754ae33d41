import type { Stop } from '@svc/protocol/language';
import type { Project } from '@svc/protocol/model';
import { LineIndex } from '@svc/protocol/text';
import { flowStops } from '../language/stops.ts';

/** A line of the configuration. */
export interface CodeLine {
  readonly file: string;
  /** From 1. */
  readonly line: number;
  readonly text: string;
}

/** Where the stages and rules of flows are written. */
export class Places {
  readonly #stops: readonly Stop[];
  readonly #lines: ReadonlyMap<string, LineIndex>;

  constructor(project: Project) {
    this.#stops = flowStops(project);
    this.#lines = new Map(project.files.map(({ file, text }) => [file, new LineIndex(text)]));
  }

  /** The line of a stage, or of one of its rules; undefined when nothing is written for it. */
  line(flow: string, stage: string, name: string | undefined, rule?: number): CodeLine | undefined {
    const stop = this.#stops.find(
      (each) =>
        each.flow === flow &&
        each.stage === stage &&
        (name === undefined || each.name === name) &&
        each.ruleIndex === rule,
    );
    const lines = stop && this.#lines.get(stop.file);
    if (stop === undefined || lines === undefined) return undefined;
    const { line } = lines.position(stop.range.start);
    return { file: stop.file, line, text: lines.line(line) };
  }

  /** `flows/orders.hcl:12`; empty when nothing is written for it. */
  at(flow: string, stage: string, name?: string, rule?: number): string {
    const found = this.line(flow, stage, name, rule);
    return found === undefined ? '' : `${found.file}:${found.line}`;
  }
}
