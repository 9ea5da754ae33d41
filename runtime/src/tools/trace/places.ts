import { type Stop, stopsOnLine } from '@svc/protocol/language';
import type { Project } from '@svc/protocol/model';
import type { SyntaxTree } from '@svc/protocol/syntax';
import { LineIndex } from '@svc/protocol/text';
import { writtenName } from '@svc/protocol/wire';
import { flowStops } from '../../checks/language/stops.ts';

/** A line of the configuration. */
export interface CodeLine {
  readonly file: string;
  /** From 1. */
  readonly line: number;
  readonly text: string;
}

/** A stage or rule that a line means. */
export interface Place {
  readonly flow: string;
  readonly stage: string;
  readonly name: string;
  /** Undefined: the stage itself. */
  readonly ruleIndex: number | undefined;
  /** From 1. */
  readonly line: number;
}

/** Where the stages and rules of flows are written. */
export class Places {
  readonly #stops: readonly Stop[];
  readonly #lines: ReadonlyMap<string, LineIndex>;
  readonly #trees: ReadonlyMap<string, SyntaxTree>;

  constructor(project: Project) {
    this.#stops = flowStops(project);
    this.#trees = new Map(project.files.map((tree) => [tree.file, tree]));
    this.#lines = new Map(project.files.map(({ file, text }) => [file, new LineIndex(text)]));
  }

  /** The line of a stage, or of one of its rules; undefined when nothing is written for it. */
  line(flow: string, stage: string, name: string | undefined, rule?: number): CodeLine | undefined {
    const written = name === undefined ? undefined : writtenName(stage, name);
    const stop = this.#stops.find(
      (each) =>
        each.flow === flow &&
        each.stage === stage &&
        (written === undefined || each.name === written) &&
        each.ruleIndex === rule,
    );
    const lines = stop && this.#lines.get(stop.file);
    if (stop === undefined || lines === undefined) return undefined;
    const { line } = lines.position(stop.range.start);
    return { file: stop.file, line, text: lines.line(line) };
  }

  /** Where a breakpoint in a line (from 1) stops: see `stopsOnLine`. */
  onLine(file: string, line: number): readonly Place[] {
    const lines = this.#lines.get(file);
    const tree = this.#trees.get(file);
    if (lines === undefined || tree === undefined) return [];
    return stopsOnLine(this.#stops, tree, line, lines).map(({ flow, stage, name, ruleIndex, range }) => {
      return { flow, stage, name, ruleIndex, line: lines.position(range.start).line };
    });
  }

  /** `flows/orders.hcl:12`; empty when nothing is written for it. */
  at(flow: string, stage: string, name?: string, rule?: number): string {
    const found = this.line(flow, stage, name, rule);
    return found === undefined ? '' : `${found.file}:${found.line}`;
  }
}
