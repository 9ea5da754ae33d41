import { Fields } from '@svc/protocol/cel';
import type { Answered, Drop } from '../../../foundation/contracts/outcome.ts';
import type { Failure } from '../../../foundation/errors/failure.ts';
import type { Clock } from '../../../foundation/observe/clock.ts';
import type { Expression } from '../compile/expression.ts';
import type { Frame } from '../message/frame.ts';
import type { FlowModel } from '../model.ts';
import { errorVariable } from '../stages/error-handling/error-variable.ts';
import { ownVariables } from './spec.ts';

type Variables = Readonly<Record<string, unknown>>;

/** The ending of the flow; empty before it has ended. */
export interface Ending {
  readonly reply?: Answered;
  readonly failure?: Failure;
  readonly drop?: Drop;
}

/** The properties of its flow that an aspect reads, independent of the message. */
export interface FlowWords {
  readonly flow: string;
  readonly operation: string;
  readonly target: string;
}

export function wordsOf({ name, values }: FlowModel): FlowWords {
  const target = values.to[0]?.target;
  return {
    flow: name,
    operation: values.from?.operation ?? '',
    target: target?.kind === 'constant' && target.value !== null ? String(target.value) : '',
  };
}

/**
 * What the expressions of one aspect read for one message: the flow's input, its ending, and its name. Everything is
 * computed when it is read.
 */
export class AspectScope {
  readonly #frame: Frame;
  readonly #words: FlowWords;
  readonly #ending: Ending;
  readonly #clock: Clock;
  readonly #extendsInput: boolean;
  #timestamp: bigint | undefined;
  #input: Variables | undefined;
  #result: Variables | undefined;
  #error: Variables | undefined;
  /** Fields of the payload so far. */
  output: Record<string, unknown> | undefined;

  constructor(frame: Frame, words: FlowWords, ending: Ending, clock: Clock, extendsInput: boolean) {
    this.#frame = frame;
    this.#words = words;
    this.#ending = ending;
    this.#clock = clock;
    this.#extendsInput = extendsInput;
    this.output = undefined;
  }

  /** The flow's input; with the variables of the aspect as fields when its expressions read them there. */
  get input(): Variables {
    const { input } = this.#frame.message;
    if (!this.#extendsInput) return input;
    if (this.#input === undefined) {
      const own = Object.fromEntries(ownVariables.map((name) => [name, this[name]]));
      this.#input = Object.assign(new Fields(), input, own);
    }
    return this.#input;
  }

  get result(): Variables {
    const { reply } = this.#ending;
    if (reply === undefined) return nothing;
    this.#result ??= resultOf(reply.value, this.#frame.affected);
    return this.#result;
  }

  get error(): Variables {
    const { failure } = this.#ending;
    if (failure === undefined) return nothing;
    this.#error ??= errorVariable(failure);
    return this.#error;
  }

  get drop(): Variables {
    const { drop } = this.#ending;
    if (drop === undefined) return nothing;
    const { reason, policy, messageId } = drop;
    return Object.assign(new Fields(), { reason, policy, message_id: messageId });
  }

  get _flow(): string {
    return this.#words.flow;
  }

  get _operation(): string {
    return this.#words.operation;
  }

  get _target(): string {
    return this.#words.target;
  }

  get _timestamp(): bigint {
    this.#timestamp ??= BigInt(Math.floor(this.#clock.now() / 1000));
    return this.#timestamp;
  }

  get auth(): unknown {
    return this.#frame.auth;
  }

  get constants(): Variables {
    return this.#frame.constants;
  }

  /** Whether the path reads the same when the message comes again. */
  isSame([variable = '']: readonly string[]): boolean {
    return variable === 'input' ? !this.#extendsInput : ofMessage.has(variable);
  }

  get ctx(): Variables {
    return this.#frame.ctx;
  }

  /** Steps and enrichments are not in scope; a debugger that asks for them sees none. */
  get step(): Variables {
    return nothing;
  }

  get enriched(): Variables {
    return nothing;
  }

  /** The thread under which rules are announced to a debugger. */
  get thread(): unknown {
    return this.#frame.thread;
  }
}

const ofMessage: ReadonlySet<string> = new Set(['_flow', '_operation', '_target', 'auth', 'constants', 'ctx']);

const nothing: Variables = Object.freeze(new Fields());

/** `{data, affected}`: an object is a list of one row, no answer is an empty list. */
function resultOf(value: unknown, affected: number): Variables {
  const data = Array.isArray(value) ? value : value === null || value === undefined ? [] : [value];
  return Object.assign(new Fields(), { data, affected: BigInt(affected) });
}

/** Whether an expression reads a variable of the aspect as a field of `input`. */
export function readsThroughInput({ program }: Expression): boolean {
  return program.references.some(
    ({ path: [root, name] }) => root === 'input' && ownVariables.some((variable) => variable === name),
  );
}
