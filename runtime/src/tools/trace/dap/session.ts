import { relative, resolve } from 'node:path';
import type { Breakpoint } from '@svc/protocol/wire';
import type { DebugProtocol } from '@vscode/debugprotocol';
import type { Place, Places } from '../places.ts';
import { PlaceProblem, readBreakpoint, splitPlaces } from '../stepping/breakpoint.ts';
import { HeldFlow, type HeldFlowOptions, type Resumption, type Stages, type Stopped } from '../stepping/held-flow.ts';
import type { Stepper } from '../trace.ts';
import { OpenValues } from './values.ts';

type Fields = Readonly<Record<string, unknown>>;
/** The body of a response or an event of the protocol. */
type Body<R extends DebugProtocol.Response | DebugProtocol.Event> = R['body'];
/** A message as it is sent, without its number. */
type Unnumbered = Omit<DebugProtocol.Response, 'seq'> | Omit<DebugProtocol.Event, 'seq'>;

/** The arguments of `launch`. */
export interface Launch {
  /** JSON; undefined: the input of the command line is used. */
  readonly input: string | undefined;
  readonly dryRun: boolean;
}

export interface DapOptions extends HeldFlowOptions {
  readonly flow: string;
  readonly places: Places;
  /** The directory of the configuration. */
  readonly directory: string;
  readonly send: (message: DebugProtocol.Response | DebugProtocol.Event) => void;
  /** Runs the flow; resolves with what is printed and the exit status, and never rejects. */
  readonly run: (launch: Launch, stepper: Stepper) => Promise<{ readonly text: string; readonly status: number }>;
}

interface LineBreakpoint {
  readonly flow: string;
  readonly breakpoint: Breakpoint;
}

/** One client of the Debug Adapter Protocol, which runs the flow once. */
export class DapSession {
  readonly #options: DapOptions;
  readonly #held: HeldFlow;
  readonly #values = new OpenValues();
  /** Threads of the protocol are numbers, from 1. */
  readonly #threads: string[] = [];
  readonly #stops = new Map<string, Stopped>();
  readonly #byFile = new Map<string, readonly LineBreakpoint[]>();
  readonly #end = Promise.withResolvers<void>();
  readonly #over = Promise.withResolvers<number>();
  #breakAt: readonly string[] = [];
  #launch: Launch | undefined;
  #isConfigured = false;
  #isRunning = false;
  #isAttached = false;
  #seq = 0;
  /** The number of the first line of a file, as the client counts. */
  #firstLine = 1;
  #firstColumn = 1;

  constructor(options: DapOptions) {
    this.#options = options;
    this.#held = new HeldFlow(options);
  }

  /** The exit status of the run. */
  get over(): Promise<number> {
    return this.#over.promise;
  }

  /** Resolves when the client is done. */
  get left(): Promise<void> {
    return this.#end.promise;
  }

  /** The client has disconnected: the flow ends where it is paused. */
  leave(): void {
    this.#end.resolve();
    if (!this.#isRunning) this.#over.resolve(0);
  }

  /**
   * Answers one message. Messages are answered in order; a message that is not a request is answered as a failed one.
   */
  async receive(message: unknown): Promise<void> {
    const { type = 'request', seq, command, arguments: given = {} } = asFields(message);
    if (type === 'request' && typeof seq === 'number' && typeof command === 'string' && isFields(given))
      return this.#answerRequest({ type, seq, command, arguments: given });
    this.#send({
      type: 'response',
      request_seq: typeof seq === 'number' ? seq : 0,
      command: typeof command === 'string' ? command : '',
      success: false,
      message: 'the message is not a request: it needs a number seq, a text command, and arguments that are an object',
    });
  }

  async #answerRequest({ seq, command, arguments: given = {} }: DebugProtocol.Request): Promise<void> {
    const respond = (
      rest: Pick<DebugProtocol.Response, 'body'> | Pick<DebugProtocol.Response, 'success' | 'message'>,
    ) => this.#send({ type: 'response', request_seq: seq, command, success: true, ...rest });
    try {
      respond({ body: await this.#answer(command, given) });
    } catch (error) {
      respond({ success: false, message: error instanceof Error ? error.message : String(error) });
    }
    if (command === 'initialize') this.#event('initialized', {});
    if (command === 'disconnect' || command === 'terminate') this.leave();
    else this.#runWhenReady();
  }

  async #answer(command: string, given: Fields): Promise<object> {
    switch (command) {
      case 'initialize':
        this.#firstLine = given['linesStartAt1'] === false ? 0 : 1;
        this.#firstColumn = given['columnsStartAt1'] === false ? 0 : 1;
        return {
          supportsConfigurationDoneRequest: true,
          supportsConditionalBreakpoints: true,
          supportsHitConditionalBreakpoints: true,
          supportsLogPoints: true,
          supportsEvaluateForHovers: true,
        } satisfies DebugProtocol.Capabilities;
      case 'launch':
        return this.#prepare(given);
      case 'configurationDone':
        this.#isConfigured = true;
        return {};
      case 'setBreakpoints':
        return { breakpoints: await this.#setBreakpoints(given) };
      case 'setExceptionBreakpoints':
      case 'disconnect':
      case 'terminate':
        return {};
      case 'threads':
        return {
          threads: this.#threads.map((_, at) => ({ id: at + 1, name: `flow ${this.#options.flow}` })),
        } satisfies Body<DebugProtocol.ThreadsResponse>;
      case 'stackTrace':
        return this.#stackTrace(this.#stopOf(given));
      case 'scopes':
        return this.#scopes(given['frameId']);
      case 'variables':
        return {
          variables: this.#values.members(given['variablesReference']),
        } satisfies Body<DebugProtocol.VariablesResponse>;
      case 'evaluate':
        return this.#evaluate(given);
      case 'continue':
        await this.#resume(given, 'debug.continue');
        return { allThreadsContinued: false } satisfies Body<DebugProtocol.ContinueResponse>;
      case 'next':
        return this.#resume(given, 'debug.next');
      case 'stepIn':
        return this.#resume(given, 'debug.stepInto');
      default:
        throw new Error(`"${command}" is not supported`);
    }
  }

  #prepare({ input, dryRun, breakAt }: Fields): Fields {
    const places = Array.isArray(breakAt) ? breakAt.map(String) : [String(breakAt ?? '')];
    this.#breakAt = places.flatMap(splitPlaces);
    this.#launch = {
      input: input === undefined ? undefined : typeof input === 'string' ? input : JSON.stringify(input),
      dryRun: dryRun === true,
    };
    return {};
  }

  #runWhenReady(): void {
    if (this.#launch === undefined || !this.#isConfigured || this.#isRunning) return;
    this.#isRunning = true;
    const stepper: Stepper = {
      probe: this.#held.probe,
      paused: this.#held.paused,
      ended: this.#end.promise,
      begin: (stages) => this.#begin(stages),
    };
    void this.#options.run(this.#launch, stepper).then(({ text, status }) => {
      if (text !== '') this.#event('output', { category: status === 0 ? 'stdout' : 'stderr', output: text });
      this.#event('exited', { exitCode: status });
      this.#event('terminated', {});
      this.#over.resolve(status);
    });
  }

  async #begin(stages: Stages): Promise<void> {
    await this.#held.attach(stages, (stop) => this.#stopped(stop));
    this.#held.client.on('event.log', ({ message }) =>
      this.#event('output', { category: 'console', output: `${message}\n` }),
    );
    this.#isAttached = true;
    const { flow } = this.#options;
    for (const text of this.#breakAt) readBreakpoint(text, flow, stages.get(flow) ?? []);
    for (const name of stages.keys()) await this.#apply(name);
  }

  /** Sends the breakpoints of the client for a flow, once the flow can be stopped. */
  async #apply(flow: string): Promise<void> {
    const named = flow === this.#options.flow ? this.#breakAt : [];
    const stages = this.#held.stages.get(flow) ?? [];
    const lines = [...this.#byFile.values()].flat().filter((each) => each.flow === flow);
    const wanted = [
      ...named.map((text) => readBreakpoint(text, flow, stages)),
      ...lines.map(({ breakpoint }) => breakpoint),
    ];
    const refused = (await this.#held.setBreakpoints(flow, wanted)).find(({ verified }) => !verified);
    if (refused !== undefined) throw new PlaceProblem(refused.message);
  }

  async #setBreakpoints({ source, breakpoints }: Fields): Promise<DebugProtocol.Breakpoint[]> {
    const { directory, places } = this.#options;
    const path = String(asFields(source)['path'] ?? '');
    const file = relative(directory, resolve(directory, path)).replaceAll('\\', '/');
    const wanted = (Array.isArray(breakpoints) ? breakpoints : []).map(asFields);
    const answers: DebugProtocol.Breakpoint[] = [];
    const kept: LineBreakpoint[] = [];
    for (const each of wanted) {
      const written = each['line'];
      const found = typeof written === 'number' ? places.onLine(file, written - this.#firstLine + 1) : [];
      kept.push(...found.map((place) => ({ flow: place.flow, breakpoint: breakpointOf(place, each) })));
      const [first] = found;
      answers.push(
        first === undefined
          ? { verified: false, message: 'no flow stops here' }
          : { verified: true, line: this.#lineOf(first) },
      );
    }
    const before = this.#byFile.get(file) ?? [];
    this.#byFile.set(file, kept);
    if (!this.#isAttached) return answers;
    const flows = new Set([...before, ...kept].map(({ flow }) => flow).filter((flow) => this.#held.stages.has(flow)));
    for (const flow of flows) await this.#apply(flow);
    return answers;
  }

  /** A line as the client counts. */
  #lineOf({ line }: { readonly line: number }): number {
    return line - 1 + this.#firstLine;
  }

  #stopped(stop: Stopped): void {
    const { threadId, reason, message } = stop;
    if (!this.#threads.includes(threadId)) this.#threads.push(threadId);
    this.#stops.set(threadId, stop);
    const shown = reason === 'breakpoint' ? reason : 'step';
    this.#event('stopped', {
      reason: shown,
      threadId: this.#threads.indexOf(threadId) + 1,
      allThreadsStopped: false,
      ...(message === '' ? {} : { text: message }),
    } satisfies Body<DebugProtocol.StoppedEvent>);
  }

  #stopOf({ threadId }: Fields): Stopped {
    const stop = this.#stops.get(this.#threads[Number(threadId) - 1] ?? '');
    if (stop === undefined) throw new Error(`thread ${String(threadId)} is not paused`);
    return stop;
  }

  #stackTrace({ threadId, flowName, stage, name, rule }: Stopped): Body<DebugProtocol.StackTraceResponse> {
    const { directory, places } = this.#options;
    const found = places.line(flowName, stage, name, rule?.index);
    const title = [flowName, name === '' ? stage : `${stage} ${name}`, rule?.target].filter(Boolean).join(': ');
    const source = found && { name: found.file, path: resolve(directory, found.file) };
    const frame = {
      id: this.#threads.indexOf(threadId) + 1,
      name: title,
      line: found ? this.#lineOf(found) : 0,
      column: found ? this.#firstColumn : 0,
    };
    return { stackFrames: [source === undefined ? frame : { ...frame, source }], totalFrames: 1 };
  }

  async #scopes(frameId: unknown): Promise<Body<DebugProtocol.ScopesResponse>> {
    const { threadId } = this.#stopOf({ threadId: frameId });
    const { input, output, steps, enriched } = await this.#held.client.call('debug.variables', { threadId });
    const variablesReference = this.#values.reference(threadId, { input, output, step: steps, enriched });
    return { scopes: [{ name: 'Message', variablesReference, expensive: false }] };
  }

  async #evaluate({ expression, frameId }: Fields): Promise<Body<DebugProtocol.EvaluateResponse>> {
    const { threadId } = this.#stopOf({ threadId: frameId ?? 1 });
    const text = String(expression);
    const { result, type } = await this.#held.client.call('debug.evaluate', { threadId, expression: text });
    return {
      result: JSON.stringify(result) ?? 'null',
      type,
      variablesReference: this.#values.reference(threadId, result),
    };
  }

  async #resume(given: Fields, how: Resumption): Promise<Fields> {
    const { threadId } = this.#stopOf(given);
    this.#stops.delete(threadId);
    this.#values.clear(threadId);
    await this.#held.resume(threadId, how);
    return {};
  }

  #event(event: string, body: Fields): void {
    this.#send({ type: 'event', event, body });
  }

  #send(message: Unnumbered): void {
    this.#options.send({ seq: ++this.#seq, ...message });
  }
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Anything but an object counts as empty. */
function asFields(value: unknown): Fields {
  return isFields(value) ? value : {};
}

function breakpointOf({ stage, name, ruleIndex }: Place, { condition, hitCondition, logMessage }: Fields): Breakpoint {
  const hits = Number(hitCondition);
  return {
    stage,
    name,
    ruleIndex: ruleIndex ?? -1,
    ...(typeof condition === 'string' && condition.trim() !== '' ? { condition } : {}),
    ...(Number.isSafeInteger(hits) && hits > 0 ? { hitCount: hits } : {}),
    ...(typeof logMessage === 'string' && logMessage !== '' ? { logMessage } : {}),
  };
}
