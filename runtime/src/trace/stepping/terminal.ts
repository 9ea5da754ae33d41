import type { Project } from '@svc/protocol/model';
import { type Breakpoint, type EventParams, joinedChannels, type Variables, WireClient } from '@svc/protocol/wire';
import { EventGate } from '../../debug/gate.ts';
import { startDebugger } from '../../debug/live.ts';
import type { Clock } from '../../observe/clock.ts';
import type { Log } from '../../observe/log.ts';
import type { FlowProbe, WatchedStage } from '../../plan/plan.ts';
import type { Places } from '../places.ts';
import type { Stepper } from '../trace.ts';
import { breakpointText, PlaceProblem, readBreakpoint } from './breakpoint.ts';
import type { Lines } from './lines.ts';

type Stopped = EventParams<'event.stopped'>;

export interface TerminalOptions {
  readonly flow: string;
  readonly project: Project;
  readonly places: Places;
  /** Where to stop, as it is written; see `readBreakpoint`. */
  readonly breakAt: readonly string[];
  readonly lines: Lines;
  readonly write: (text: string) => void;
  readonly clock: Clock;
  readonly log: Log;
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly masksNames: boolean;
  /** Milliseconds. */
  readonly maxPause: number;
}

const help = `  n, next, Enter      run to the next stage
  s, step             run to the next rule
  c, continue         run to the next breakpoint, or to the end
  p, print EXPR       the value of an expression; without one, of the rule at which the flow stands
  v, vars             what the flow holds
  b, break            list breakpoints
  break add PLACE     STAGE, STAGE:NAME or STAGE#RULE, maybe followed by "if CONDITION"
  break remove N      forget one of the list
  w, where            show the line again
  q, quit             end the flow here; what it has not done is not done
  h, help             this
`;

/** Holds a flow at breakpoints and asks on a terminal how to go on. It is a client of the service's own debugger. */
export class TerminalStepper implements Stepper {
  readonly probe: FlowProbe;
  readonly ended: Promise<void>;
  readonly #options: TerminalOptions;
  readonly #client: WireClient;
  readonly #end: () => void;
  #stages: ReadonlyMap<string, readonly WatchedStage[]> = new Map();
  #breakpoints: Breakpoint[] = [];
  #paused = 0;
  #since: number | undefined;
  #asking: Promise<void> = Promise.resolve();

  constructor(options: TerminalOptions) {
    this.#options = options;
    const { clock, log, variables, masksNames, maxPause, project } = options;
    const { hub, endpoint } = startDebugger({
      service: () => ({ project, stages: this.#stages }),
      gate: new EventGate(log, false),
      clock,
      log,
      variables,
      masksNames,
      maxPause,
      attachedChanged: () => undefined,
    });
    this.probe = hub;
    const [ours, theirs] = joinedChannels();
    endpoint.connect(theirs);
    this.#client = new WireClient(ours);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.ended = promise;
    this.#end = resolve;
  }

  readonly paused = (): number => {
    const { clock } = this.#options;
    return this.#paused + (this.#since === undefined ? 0 : clock.elapsed() - this.#since);
  };

  /** Rejects with a PlaceProblem when the flow has no such place, or a condition does not compile. */
  async begin(stages: ReadonlyMap<string, readonly WatchedStage[]>): Promise<void> {
    this.#stages = stages;
    await this.#client.call('debug.attach', { clientName: 'svc trace' });
    this.#client.on('event.stopped', (stopped) => {
      this.#since ??= this.#options.clock.elapsed();
      // Flows that run side by side are asked about one after the other.
      this.#asking = this.#asking.then(() => this.#ask(stopped)).catch((error: unknown) => this.#complain(error));
    });
    const { breakAt } = this.#options;
    await this.#setBreakpoints(breakAt.map((text) => this.#read(text)));
  }

  #read(text: string): Breakpoint {
    const { flow } = this.#options;
    return readBreakpoint(text, flow, this.#stages.get(flow) ?? []);
  }

  async #setBreakpoints(wanted: readonly Breakpoint[]): Promise<void> {
    const { flow } = this.#options;
    const { breakpoints } = await this.#client.call('debug.setBreakpoints', { flow, breakpoints: wanted });
    const refused = breakpoints.find(({ verified }) => !verified);
    if (refused !== undefined) {
      await this.#client.call('debug.setBreakpoints', { flow, breakpoints: this.#breakpoints });
      throw new PlaceProblem(`${breakpointText(refused)}: ${refused.message}`);
    }
    this.#breakpoints = [...wanted];
  }

  async #ask(stopped: Stopped): Promise<void> {
    const { lines, write, clock } = this.#options;
    write(this.#stopText(stopped));
    for (;;) {
      write('(svc) ');
      const line = await lines.next();
      if (line === undefined) {
        write('\nno more commands: the flow ends here\n');
        this.#end();
        return;
      }
      let goesOn = false;
      try {
        goesOn = await this.#obey(line.trim(), stopped);
      } catch (error) {
        this.#complain(error);
      }
      if (!goesOn) continue;
      this.#paused += clock.elapsed() - (this.#since ?? clock.elapsed());
      this.#since = undefined;
      return;
    }
  }

  /** Carries out one command; whether the flow goes on or has ended. */
  async #obey(line: string, stopped: Stopped): Promise<boolean> {
    const { threadId } = stopped;
    const [, word = '', rest = ''] = /^(\S*)\s*(.*)$/s.exec(line) ?? [];
    switch (word) {
      case '':
      case 'n':
      case 'next':
        await this.#client.call('debug.next', { threadId });
        return true;
      case 's':
      case 'step':
        await this.#client.call('debug.stepInto', { threadId });
        return true;
      case 'c':
      case 'continue':
        await this.#client.call('debug.continue', { threadId });
        return true;
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
        this.#options.write(variablesText(await this.#client.call('debug.variables', { threadId })));
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

  async #print({ threadId, rule }: Stopped, expression: string): Promise<void> {
    const { write } = this.#options;
    if (expression !== '') {
      const { result, type } = await this.#client.call('debug.evaluate', { threadId, expression });
      write(`${JSON.stringify(result)}  (${type})\n`);
      return;
    }
    if (rule === undefined) {
      write('name an expression: the flow does not stand at a rule\n');
      return;
    }
    const { parts, result } = await this.#client.call('debug.reading', { threadId });
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
