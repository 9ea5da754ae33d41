import { setImmediate as turn } from 'node:timers/promises';
import { systemClock } from '../../foundation/observe/clock.ts';
import { compileTemplateText, type Dialect } from './compile/compile.ts';
import { known } from './functions/values.ts';
import { type Program, Run } from './run.ts';
import { parseTemplate } from './syntax/parser.ts';

/** Milliseconds for which a template keeps the event loop. */
const slice = 8;

/** How one text is made. */
export interface Rendering {
  /** Characters that it may have. */
  readonly most: number;
  /** Its reason is thrown when it fires. */
  readonly signal?: AbortSignal | undefined;
}

/** A template that was read and compiled. */
export class Template {
  readonly #program: Program;

  constructor(program: Program) {
    this.#program = program;
  }

  /**
   * The text of the template with these values. Other work runs meanwhile. Rejects with `expression_failed` for values that
   * it cannot be printed with, and with `body_too_large` for a text that is too long.
   */
  async render(data: unknown, { most, signal }: Rendering): Promise<string> {
    const run = new Run(known(data), most);
    const program = this.#program;
    signal?.throwIfAborted();
    if (program.kind === 'whole') program.run(run);
    else {
      let began = systemClock.reading();
      for (const _ of program.run(run)) {
        if (systemClock.since(began) < slice) continue;
        await turn();
        signal?.throwIfAborted();
        began = systemClock.reading();
      }
    }
    return run.text;
  }
}

/**
 * Reads a template in the syntax of Go's text/template. `name` is what messages call it. Throws a TemplateProblem, whose
 * message has no name and no line.
 */
export function templateOf(name: string, source: string, dialect: Dialect): Template {
  return new Template(compileTemplateText(name, parseTemplate(source), dialect));
}
