import { toJson } from '@svc/protocol/cel';
import type { ConnectorDeclaration, Project } from '@svc/protocol/model';
import type { CelSource, Values } from '@svc/protocol/schema';
import type { test } from '../../checks/tests/spec.ts';
import { resolveOperation } from '../../connectors/core/operations.ts';
import type { Expression } from '../../engine/flow/compile/expression.ts';
import { withIntegers } from '../../engine/flow/compile/whole-numbers.ts';
import { verbOfWord } from '../../engine/flow/verb.ts';
import { answerOf, failureOf } from '../../engine/mocks/answer.ts';
import type { AskedCall } from '../../engine/mocks/call.ts';
import { standIn } from '../../engine/mocks/stand-in.ts';
import type { CallResult } from '../../foundation/contracts/call-result.ts';
import type { Connector, ConnectorServices } from '../../foundation/contracts/connector.ts';
import type { PlannedConnector } from '../../foundation/contracts/plan.ts';
import type { Clock } from '../../foundation/observe/clock.ts';
import { withinTime } from '../../platform/net/within-time.ts';
import { evaluateMarked } from './marked.ts';

type MockValues = Values<typeof test>['mock'][number];

/** A call that the flow made, and what it was answered. */
export interface RecordedCall extends AskedCall {
  /** What answered it: a mock, the real connector, or neither, so that it got the standard answer. */
  by: 'mock' | 'real' | 'standard';
  result: CallResult | undefined;
  error: unknown;
}

export interface RecorderOptions {
  readonly project: Project;
  readonly mocks: readonly MockValues[];
  readonly clock: Clock;
  readonly expression: (source: CelSource) => Expression;
  /** Reads a JSON file of the configuration. Throws with the reason why it cannot be read. */
  readonly readJson: (path: string) => unknown;
  /** Given when calls without a mock go to real connectors. */
  readonly real: ((name: string) => ConnectorServices) | undefined;
}

/** Milliseconds that a real connector has to be opened. */
const openTimeout = 10_000;

/** Replaces all connectors of one test: answers as its mocks say, and remembers every call. */
export class Recorder {
  readonly calls: RecordedCall[] = [];
  readonly #options: RecorderOptions;
  readonly #mocks: readonly CompiledMock[];

  constructor(options: RecorderOptions) {
    this.#options = options;
    this.#mocks = options.mocks.map((mock) => compileMock(mock, options));
  }

  /** The connectors of a generation. Those that only take messages are there and never do. */
  standIns(planned: readonly PlannedConnector[]): ReadonlyMap<string, Connector> {
    return new Map(planned.map((each) => [each.name, this.#standIn(each)]));
  }

  #standIn({ name, declaration, make }: PlannedConnector): Connector {
    const { clock, real } = this.#options;
    const recorded = new WeakMap<AskedCall, RecordedCall>();
    const behind = real && (async () => opened(await make(real(name))));
    return standIn(name, {
      clock,
      declaration,
      real: behind,
      answer: (call) => {
        const record: RecordedCall = { ...call, by: behind ? 'real' : 'standard', result: undefined, error: undefined };
        this.calls.push(record);
        recorded.set(call, record);
        const mock = this.#mocks.find((each) => each.takes(call));
        if (mock === undefined) return undefined;
        record.by = 'mock';
        return mock.answer(call);
      },
      settled: (call, result, error) => Object.assign(recorded.get(call) ?? {}, { result, error }),
    });
  }
}

async function opened(connector: Connector): Promise<Connector> {
  await withinTime(openTimeout, (signal) => connector.open(signal));
  return connector;
}

interface CompiledMock {
  /** Whether it answers this call; it counts the calls that it takes. */
  readonly takes: (call: AskedCall) => boolean;
  readonly answer: (call: AskedCall) => CallResult;
}

function compileMock(mock: MockValues, options: RecorderOptions): CompiledMock {
  const { label, operation, target, times, error, status, file, result } = mock;
  const when = mock.when && options.expression(mock.when);
  const declaration = options.project.connectors.get(label);
  let left = times ?? Number.POSITIVE_INFINITY;
  return {
    takes: (call) => {
      if (call.connector !== label || left === 0) return false;
      if (operation !== undefined && !asksFor(call, operation, declaration)) return false;
      if (target !== undefined && call.target !== target) return false;
      if (when !== undefined && !holds(when, call)) return false;
      left--;
      return true;
    },
    answer: (call) => {
      if (error !== undefined) throw failureOf(error, label, status);
      const scope = scopeOf(call);
      const value =
        file === undefined
          ? result && evaluateMarked(result, (cel) => options.expression(cel).evaluate(scope))
          : options.readJson(file);
      return answerOf(value, call);
    },
  };
}

/** What expressions of a mock read of a call. */
function scopeOf({ input, operation, target, query }: AskedCall): object {
  return { input: withIntegers(toJson(input)), operation, target, query };
}

/** A condition that cannot be evaluated for a call is about other calls. */
function holds(when: Expression, call: AskedCall): boolean {
  try {
    return when.isTrue(scopeOf(call));
  } catch {
    return false;
  }
}

/** Whether a call is of the operation that a word means: what it says, what it does, or a named operation. */
export function asksFor(call: AskedCall, word: string, declaration: ConnectorDeclaration | undefined): boolean {
  const declarations = declaration ? [declaration, ...declaration.profiles.values()] : [];
  for (const each of declarations) {
    const named = resolveOperation(each, word);
    if (named === undefined) continue;
    if (named.query !== undefined) return call.query === named.query;
    const sameTarget = named.target === undefined || named.target === call.target;
    return sameTarget && (named.operation === undefined || isSame(named.operation, call.operation));
  }
  if (isSame(word, call.operation)) return true;
  return call.verb !== 'call' && verbOfWord(word) === call.verb;
}

function isSame(one: string, other: string): boolean {
  return one.trim().toLowerCase() === other.trim().toLowerCase();
}
