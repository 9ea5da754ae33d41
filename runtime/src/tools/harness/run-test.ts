import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Fields } from '@svc/protocol/cel';
import type { Declaration } from '@svc/protocol/model';
import { type CelSource, isAnswered, type Values } from '@svc/protocol/schema';
import type { test } from '../../checks/tests/spec.ts';
import { withIntegers } from '../../engine/flow/compile/whole-numbers.ts';
import type { ConnectorServices } from '../../foundation/contracts/connector.ts';
import { type Auth, anonymous, type Message } from '../../foundation/contracts/message.ts';
import type { Outcome } from '../../foundation/contracts/outcome.ts';
import type { PlanServices, Resource, RunFlow } from '../../foundation/contracts/plan.ts';
import { asFailure } from '../../foundation/errors/classify.ts';
import { Failure } from '../../foundation/errors/failure.ts';
import { type Clock, systemClock } from '../../foundation/observe/clock.ts';
import { productVersion } from '../../foundation/version.ts';
import { decodeJson } from '../../platform/formats/json.ts';
import { noteFactor } from '../../platform/identity/caller.ts';
import { Neighbours } from '../../service/running/generation/neighbours.ts';
import { passingClock, TestClock } from './clock.ts';
import type { Ending } from './ending.ts';
import { messageOf } from './message.ts';
import { Recorder } from './recorder.ts';
import type { Problem, TestResult } from './result.ts';
import { servicesOf } from './services.ts';
import { seededUuids, within } from './surroundings.ts';
import { heldBy, type TestDebugger } from './test-debugger.ts';
import { TestLog } from './test-log.ts';
import { judge } from './verdict.ts';
import { FlowWatch, type Witness } from './watch.ts';
import type { World } from './world.ts';

export type TestDeclaration = Declaration<Values<typeof test>>;

/** Milliseconds of the machine's time that one test may take. */
const longest = 10_000;

const quiet = () => undefined;

/** Runs one test in a generation of its own. Never rejects. */
export async function runTest(
  declaration: TestDeclaration,
  world: World,
  { witness, debugger: held }: Watchers,
): Promise<TestResult> {
  const { name, values, origin, nameOrigin } = declaration;
  const began = systemClock.reading();
  const start = Date.parse(values.clock);
  const clock = values.allow_real ? passingClock(start) : new TestClock(start);
  const surroundings = { clock, uuid: seededUuids(values.seed), variables: world.variables };
  const run = new TestRun(values, world, clock, { witness, debugger: held });
  let problems: readonly Problem[];
  try {
    problems = await within(surroundings, () => run.problems(values.expect));
  } catch (error) {
    const actual = error instanceof Error ? error.message : String(error);
    problems = [{ subject: 'the test', expected: 'to run', actual, origin: nameOrigin }];
  } finally {
    if (clock instanceof TestClock) clock.end();
  }
  const milliseconds = systemClock.since(began);
  return { name, flow: values.flow, origin, problems, calls: run.calls, log: run.log, milliseconds };
}

/** Runs a flow for one message as it would run now, with no connector called. Never rejects for what the flow does. */
export async function rehearse(flow: string, input: unknown, world: World): Promise<Ending> {
  const clock = new TestClock(Date.now());
  const values = { flow, input, input_file: undefined, mock: [], allow_real: false, auth: undefined };
  const surroundings = { clock, uuid: randomUUID, variables: world.variables };
  try {
    return await within(surroundings, () =>
      new TestRun(values, world, clock, { witness: undefined }).run(async ({ ending }) => ending),
    );
  } finally {
    clock.end();
  }
}

/** Who looks at a run. */
interface Watchers {
  readonly witness: Witness | undefined;
  readonly debugger?: TestDebugger | undefined;
}

/** What a run is made of. */
type RunValues = Pick<Values<typeof test>, 'flow' | 'input' | 'input_file' | 'mock' | 'allow_real' | 'auth'>;

class TestRun {
  readonly #values: RunValues;
  readonly #world: World;
  readonly #clock: Clock;
  readonly #watch: FlowWatch;
  readonly #debugger: TestDebugger | undefined;
  readonly #log = new TestLog();
  readonly #recorder: Recorder;
  /** What a real connector asks or keeps things in: a cache is in this process, as it is for flows. */
  readonly #neighbours = new Neighbours();
  readonly #background = new Set<Promise<unknown>>();
  readonly #shared = new Map<string, Resource>();
  /** Why the tested flow failed, also when it answered nevertheless. */
  #failure: Failure | undefined;

  constructor(values: RunValues, world: World, clock: Clock, { witness, debugger: held }: Watchers) {
    this.#values = values;
    this.#world = world;
    this.#clock = clock;
    this.#watch = new FlowWatch(witness);
    this.#debugger = held;
    const { mock: mocks, allow_real: allowReal } = values;
    this.#recorder = new Recorder({
      project: world.project,
      mocks,
      clock,
      expression: (source) => this.#expression(source),
      readJson: (path) => this.#readJson(path),
      real: allowReal ? (name) => this.#connectorServices(name) : undefined,
    });
  }

  get calls() {
    return this.#recorder.calls;
  }

  get log(): readonly string[] {
    return this.#log.lines;
  }

  problems(expected: Values<typeof test>['expect']): Promise<readonly Problem[]> {
    const { project } = this.#world;
    return this.run(async ({ ending, input, auth }) => {
      const scope = { input, auth, constants: project.constants, ctx: {} };
      const expression = (cel: CelSource) => this.#expression(cel);
      return judge(expected, ending, { watch: this.#watch, connectors: project.connectors, expression, scope });
    });
  }

  /** Runs the flow, and reads how it ended before what it used is closed. */
  async run<T>(read: (ran: { ending: Ending; input: unknown; auth: Auth }) => Promise<T>): Promise<T> {
    const values = this.#values;
    const { plan } = this.#world;
    const connectors = this.#recorder.standIns(plan.connectors);
    this.#neighbours.connectors = connectors;
    try {
      const flow = plan.bind(connectors, this.#services(), [values.flow]).flows.get(values.flow);
      for (const resource of this.#shared.values()) await resource.open(AbortSignal.timeout(longest));
      const message = this.#message();
      const input = withIntegers(message.input);
      const { outcome, failure } = await this.#deliver(flow, message);
      await this.#settled();
      const { spec: source, operation } = this.#world.originOfFlow(values.flow);
      const ending: Ending = {
        flow: values.flow,
        outcome,
        failure: failure ?? this.#failure,
        answers: source === undefined || isAnswered(source, operation),
        calls: this.#recorder.calls,
      };
      return await read({ ending, input, auth: message.auth });
    } finally {
      for (const resource of this.#shared.values()) await resource.close().catch(quiet);
      for (const connector of connectors.values()) await connector.close().catch(quiet);
    }
  }

  async #deliver(run: RunFlow | undefined, message: Message): Promise<{ outcome?: Outcome; failure?: Failure }> {
    const { flow } = this.#values;
    if (run === undefined) throw new Error(`there is no flow "${flow}"`);
    try {
      const outcome = run(message);
      return { outcome: outcome instanceof Promise ? await this.#inTime(outcome) : outcome };
    } catch (error) {
      if (error instanceof Late) throw error;
      return { failure: asFailure(error, { flow }) };
    }
  }

  /** Work in the background has ended too, so that its calls are recorded. */
  async #settled(): Promise<void> {
    while (this.#background.size > 0) await this.#inTime(Promise.allSettled(this.#background));
  }

  /** One that is debugged takes as long as a person does. */
  #inTime<T>(work: Promise<T>): Promise<T> {
    return this.#debugger === undefined ? inTime(work) : work;
  }

  #message(): Message {
    const values = this.#values;
    const written = values.input_file === undefined ? (values.input ?? {}) : this.#readJson(values.input_file);
    return messageOf(written, this.#auth(), this.#world.originOfFlow(values.flow));
  }

  #auth(): Auth {
    const { auth } = this.#values;
    if (auth === undefined) return anonymous;
    const { user_id, email, roles, claims: written, mfa } = auth;
    const claims = Object.assign(new Fields(), withIntegers(written));
    const caller = { authenticated: true, user_id, email, roles, claims };
    noteFactor(caller, mfa === undefined ? undefined : this.#clock.now() - mfa);
    return caller;
  }

  #expression(source: CelSource) {
    return this.#world.expressions.expression(source, `cel("${source.source}")`);
  }

  #readJson(path: string): unknown {
    const place = this.#world.pathOf(path);
    try {
      return decodeJson(readFileSync(place, 'utf8'));
    } catch (error) {
      const why = error instanceof Failure ? error.message.replace('the body', 'it') : (error as Error).message;
      throw new Error(`the file ${path} cannot be read: ${why}`);
    }
  }

  #services(): PlanServices {
    return servicesOf({
      clock: this.#clock,
      log: this.#log,
      directory: this.#world.directory,
      probe: this.#debugger === undefined ? this.#watch : heldBy(this.#debugger.probe, this.#watch, this.#clock),
      isolated: !this.#values.allow_real,
      failed: (flow, failure) => {
        if (flow === this.#values.flow) this.#failure = asFailure(failure, { flow });
      },
      background: this.#background,
      shared: this.#shared,
    });
  }

  #connectorServices(name: string): ConnectorServices {
    return {
      log: this.#log.with({ connector: name }),
      clock: this.#clock,
      environment: 'test',
      production: false,
      directory: this.#world.directory,
      service: 'test',
      userAgent: `svc/${productVersion}`,
      lookup: (target, call) => this.#neighbours.lookup(target, call),
      storage: (cache) => this.#neighbours.storage(cache),
    };
  }
}

/** The test took too long. */
class Late extends Error {}

async function inTime<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Late(`it did not end within ${longest / 1000} s`)), longest);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
