import type { Breakpoint, Variables } from '@svc/protocol/wire';
import type { Places } from '../places.ts';
import type { Stepper } from '../trace.ts';
import { breakpointText, PlaceProblem, readBreakpoint } from './breakpoint.ts';
import { HeldFlow, type HeldFlowOptions, type Resumption, type Stages, type Stopped } from './held-flow.ts';
import type { Lines } from './lines.ts';

export interface TerminalOptions extends HeldFlowOptions {
  readonly flow: string;
  readonly places: Places;
  /** Where to stop, as it is written; see `readBreakpoint`. */
  readonly breakAt: readonly string[];
  readonly lines: Lines;
  readonly write: (text: string) => void;
}

const help = `  n, next, Enter      run to the next stage
  s, step             run to the next rule
  c, continue         run to the next breakpoint, or to the end
  p, print EXPR       the value of an expression; without one, of the rule at which the flow is paused
  v, vars             what the flow holds
  b, break            list breakpoints
  break add PLACE     STAGE, STAGE:NAME or STAGE#RULE, optionally followed by "if CONDITION"
  break remove N      remove one of the list
  w, where            show the line again
  q, quit             end the flow here; what it has not done is not done
  h, help             this
`;

/** Pauses a flow at breakpoints and asks on a terminal how to continue. */
export class TerminalStepper implements Stepper {
  readonly probe: Stepper['probe'];
  readonly paused: () => number;
  readonly ended: Promise<void>;
  readonly #options: TerminalOptions;
  readonly #held: HeldFlow;
  readonly #end: () => void;
  #breakpoints: readonly Breakpoint[] = [];
  #asking: Promise<void> = Promise.resolve();

  constructor(options: TerminalOptions) {
    this.#options = options;
    this.#held = new HeldFlow(options);
    this.probe = this.#held.probe;
    this.paused = this.#held.paused;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.ended = promise;
    this.#end = resolve;
  }

  /** Rejects with a PlaceProblem when the flow has no such place, or a condition does not compile. */
  async begin(stages: Stages): Promise<void> {
    await this.#held.attach(stages, (stopped) => {
      // Flows that run concurrently are prompted for one after the other.
      this.#asking = this.#asking.then(() => this.#ask(stopped)).catch((error: unknown) => this.#complain(error));
    });
    await this.#setBreakpoints(this.#options.breakAt.map((text) => this.#read(text)));
  }

  #read(text: string): Breakpoint {
    const { flow } = this.#options;
    return readBreakpoint(text, flow, this.#held.stages.get(flow) ?? []);
  }

  async #setBreakpoints(wanted: readonly Breakpoint[]): Promise<void> {
    const { flow } = this.#options;
    const refused = (await this.#held.setBreakpoints(flow, wanted)).find(({ verified }) => !verified);
    if (refused !== undefined) {
      await this.#held.setBreakpoints(flow, this.#breakpoints);
      throw new PlaceProblem(`${breakpointText(refused)}: ${refused.message}`);
    }
    this.#breakpoints = wanted;
  }

  async #ask(stopped: Stopped): Promise<void> {
    const { lines, write } = this.#options;
    write(this.#stopText(stopped));
    for (;;) {
      write('(svc) ');
      const line = await lines.next();
      if (line === undefined) {
        write('\nno more commands: the flow ends here\n');
        this.#end();
        return;
      }
      let continues = false;
      try {
        continues = await this.#execute(line.trim(), stopped);
      } catch (error) {
        this.#complain(error);
      }
      if (continues) return;
    }
  }

  /** Carries out one command; returns whether the flow continues or has ended. */
  async #execute(line: string, stopped: Stopped): Promise<boolean> {
    const { threadId } = stopped;
    const [, word = '', rest = ''] = /^(\S*)\s*(.*)$/s.exec(line) ?? [];
    switch (word) {
      case '':
      case 'n':
      case 'next':
        return this.#resume(threadId, 'debug.next');
      case 's':
      case 'step':
        return this.#resume(threadId, 'debug.stepInto');
      case 'c':
      case 'continue':
        return this.#resume(threadId, 'debug.continue');
      case 'q':
      case 'quit':
        this.#end();
        return true;
      case 'p':
      case 'print':
        await this.#print(stopped, rest);
        return false;
      case 'v':
      case 'vars':
        this.#options.write(variablesText(await this.#held.client.call('debug.variables', { threadId })));
        return false;
      case 'b':
      case 'break':
        await this.#break(rest);
        return false;
      case 'w':
      case 'where':
        this.#options.write(this.#stopText(stopped));
        return false;
      case 'h':
      case 'help':
        this.#options.write(help);
        return false;
      default:
        this.#options.write(`there is no command "${word}"; h lists them\n`);
        return false;
    }
  }

  async #resume(threadId: string, how: Resumption): Promise<true> {
    await this.#held.resume(threadId, how);
    return true;
  }

  async #print({ threadId, rule }: Stopped, expression: string): Promise<void> {
    const { write } = this.#options;
    if (expression !== '') {
      const { result, type } = await this.#held.client.call('debug.evaluate', { threadId, expression });
      write(`${JSON.stringify(result)}  (${type})\n`);
      return;
    }
    if (rule === undefined) {
      write('name an expression: the flow is not paused at a rule\n');
      return;
    }
    const { parts, result } = await this.#held.client.call('debug.reading', { threadId });
    for (const { text, value, error } of parts)
      write(`  ${text} = ${error === '' ? JSON.stringify(value) : `! ${error}`}\n`);
    write(result.error === '' ? `${JSON.stringify(result.value)}  (${result.type})\n` : `! ${result.error}\n`);
  }

  async #break(rest: string): Promise<void> {
    const { write } = this.#options;
    const [, word = '', argument = ''] = /^(\S*)\s*(.*)$/s.exec(rest) ?? [];
    if (word === 'add') await this.#setBreakpoints([...this.#breakpoints, this.#read(argument)]);
    else if (word === 'remove') {
      const at = Number(argument) - 1;
      if (this.#breakpoints[at] === undefined) throw new PlaceProblem(`there is no breakpoint ${argument}`);
      await this.#setBreakpoints(this.#breakpoints.filter((_, index) => index !== at));
    } else if (word !== '') throw new PlaceProblem('write break, break add PLACE or break remove N');
    if (this.#breakpoints.length === 0) write('  no breakpoints\n');
    for (const [at, breakpoint] of this.#breakpoints.entries()) write(`  ${at + 1}  ${breakpointText(breakpoint)}\n`);
  }

  #stopText({ flowName, stage, name, rule, reason, message }: Stopped): string {
    const found = this.#options.places.line(flowName, stage, name, rule?.index);
    const titled = name === '' ? stage : `${stage} ${name}`;
    const place = rule === undefined ? titled : `${titled}, rule ${rule.index} ${rule.target}`.trimEnd();
    const flow = flowName === this.#options.flow ? '' : ` of flow "${flowName}"`;
    const lines = [`stopped before ${place}${flow} (${reason}${message === '' ? '' : `: ${message}`})`];
    if (found !== undefined) {
      const number = String(found.line);
      lines.push(`  --> ${found.file}:${number}`, `  ${number} | ${found.text}`);
    }
    return `${lines.join('\n')}\n`;
  }

  #complain(error: unknown): void {
    this.#options.write(`${error instanceof Error ? error.message : String(error)}\n`);
  }
}

function variablesText({ input, output, steps, enriched }: Variables): string {
  const rows = Object.entries({ input, output, step: steps, enriched });
  return rows.map(([name, value]) => `  ${name.padEnd(8)} = ${JSON.stringify(value)}\n`).join('');
}
