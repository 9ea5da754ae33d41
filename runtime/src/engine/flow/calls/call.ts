import type { CallResult } from '../../../foundation/contracts/call-result.ts';
import type { ContentOwner } from '../../../foundation/contracts/content.ts';
import type { CallEnd } from '../../../foundation/contracts/observer.ts';
import type { StatementRunner } from '../../../foundation/contracts/sql.ts';
import type { CallDescription, CallRequest, Execute, Naming } from '../../../foundation/contracts/target.ts';
import { asFailure } from '../../../foundation/errors/classify.ts';
import { Failure, type FieldProblem } from '../../../foundation/errors/failure.ts';
import type { Reading } from '../../../foundation/observe/clock.ts';
import type { MessageTarget } from '../compile/target.ts';
import type { Frame } from '../message/frame.ts';
import { whenDone } from '../message/when-done.ts';
import { type Checker, mismatch, problemsIn, problemsOfEach } from '../stages/validate/checker.ts';
import type { CallWords, ConnectorUse, FlowTools, NamedOperation } from '../tools.ts';
import { type DeclaredParameters, settleRequest } from './operation-parameters.ts';

type Fields = Readonly<Record<string, unknown>>;

/** What one message asks of a call. Signal and trace context are taken from the message only when they are read. */
export class FlowRequest implements CallRequest {
  readonly #frame: Frame;
  target: string | undefined;
  /** What gave the target, where the message names it. */
  targetOf: MessageTarget | undefined;
  filters: Fields | undefined;
  payload: Fields | undefined;
  naming: Naming | undefined;
  address: Fields | undefined;
  params: Fields | readonly unknown[] | undefined;
  after: Fields | undefined;
  columns: readonly string[] | undefined;
  headers: Readonly<Record<string, string>> | undefined;
  words: Readonly<Record<string, unknown>> | undefined;

  constructor(frame: Frame) {
    this.#frame = frame;
    this.target = undefined;
    this.targetOf = undefined;
    this.filters = undefined;
    this.payload = undefined;
    this.naming = undefined;
    this.address = undefined;
    this.params = undefined;
    this.after = undefined;
    this.columns = undefined;
    this.headers = undefined;
    this.words = undefined;
  }

  /** The caller of the message. */
  get frame(): Frame {
    return this.#frame;
  }

  get signal(): AbortSignal | undefined {
    return this.#frame.message.signal();
  }

  get cancelled(): boolean {
    const { message } = this.#frame;
    return message.cancelled?.() ?? message.signal()?.aborted ?? false;
  }

  get input(): Fields {
    return this.#frame.input;
  }

  get record(): boolean | undefined {
    return this.#frame.message.record;
  }

  get contents(): ContentOwner {
    return this.#frame.contents;
  }

  /** Names the target for this message. */
  aim(target: MessageTarget): void {
    this.targetOf = target;
    this.target = target(this.#frame);
  }

  /** A debugger may ask for the received payload; then it is kept. */
  get passes(): boolean {
    return this.#frame.message.passes === true && this.#frame.thread === undefined;
  }

  get traceparent(): string | undefined {
    return this.#frame.message.traceparent;
  }

  get tracestate(): string | undefined {
    return this.#frame.message.tracestate;
  }

  get within(): StatementRunner | undefined {
    return this.#frame.within;
  }
}

/** Completes the description of a call by a stage. */
export function describe(words: CallWords): CallDescription {
  return {
    operation: undefined,
    target: undefined,
    query: undefined,
    timeout: undefined,
    exact: false,
    ...words,
  };
}

/**
 * Prepares a call: counted and timed, its failures carry the connector's name. With a named operation that declares
 * types or parameters, parameters and result are checked against them.
 */
export function prepareCall(use: ConnectorUse, words: CallWords, tools: FlowTools, named?: NamedOperation): Execute {
  const parameters = named?.parameters;
  const once = words.once === true && named?.output === undefined;
  const described = {
    ...words,
    once,
    name: named?.name,
    named: named?.own,
    places: named?.places,
    ...(parameters && { parameters: parameters.names }),
  };
  const measured = held(prepareMeasured(use, described, tools), words, tools);
  return named === undefined ? measured : contracted(measured, words.label, named, tools);
}

/** Checks parameters and result of a named operation against what it declares. */
export function contracted(
  execute: Execute,
  label: string,
  { input, output, parameters }: Pick<NamedOperation, 'input' | 'output' | 'parameters'>,
  { type }: Pick<FlowTools, 'type'>,
): Execute {
  const [sent, received] = [type(input), type(output)];
  const typed = sent === undefined && received === undefined ? execute : checked(execute, label, sent, received);
  return parameters === undefined ? typed : settled(typed, parameters);
}

/** In flows that hold a lock or permit, nothing is changed once it is lost. Reads are not affected. */
function held(execute: Execute, { verb }: CallWords, { checkHeld }: FlowTools): Execute {
  if (checkHeld === undefined || verb === 'read') return execute;
  return (request) => {
    if (request instanceof FlowRequest) checkHeld(request.frame);
    return execute(request);
  };
}

function settled(execute: Execute, parameters: DeclaredParameters): Execute {
  return (request) => {
    settleRequest(parameters, request);
    return execute(request);
  };
}

function checked(execute: Execute, label: string, input: Checker | undefined, output: Checker | undefined): Execute {
  const settle = (result: CallResult) => {
    if (output === undefined || result.simulated === true) return result;
    return whenDone(problemsOfResult(output, result), (problems) => {
      if (problems.length > 0) throw mismatch('output_invalid', `${label}: what came back`, output, problems);
      return result;
    });
  };
  return (request) => {
    const sent = request.payload ?? request.params ?? request.filters ?? {};
    return whenDone(input && problemsIn(input, sent), (problems) => {
      if (input && problems) throw mismatch('output_invalid', `${label}: what goes in`, input, problems);
      return whenDone(execute(request), settle);
    });
  };
}

function problemsOfResult(checker: Checker, { rows, value }: CallResult): FieldProblem[] | Promise<FieldProblem[]> {
  const values = rows ?? (value === undefined ? [] : Array.isArray(value) ? value : [value]);
  return problemsOfEach(checker, values, values.length !== 1);
}

/** A message that names what does not exist does so in every try. */
function placed(failure: Failure, request: CallRequest): Failure {
  if (!failure.isTargetMissing || !(request instanceof FlowRequest)) return failure;
  return request.targetOf?.repeats(request.frame) === true ? failure.neverPasses() : failure;
}

function prepareMeasured(use: ConnectorUse, words: CallWords, { services }: FlowTools): Execute {
  const { name: connector, type } = use;
  const place = { connector };
  if (use.target === undefined) {
    return () => {
      throw new Failure('connector_failed', `connector "${connector}" cannot be written to or read`, {
        at: place,
        retriable: false,
      });
    };
  }
  const execute = use.target.prepare(describe(words));
  const { observer, clock } = services;
  const kind = words.verb === 'read' || words.verb === 'call' ? words.verb : 'write';
  const settle = (result: CallEnd, began: Reading) =>
    observer.connectorCall(connector, type, kind, result, clock.since(began) / 1000);
  const { verb, flow } = words;
  const succeeded = (result: CallResult, began: Reading) => {
    settle('success', began);
    if ((verb === 'update' || verb === 'delete') && result.affected === 0 && result.simulated !== true)
      observer.unmatched(flow, connector);
    return result;
  };
  const failed = (error: unknown, began: Reading, request: CallRequest) => {
    const failure = placed(asFailure(error, place), request);
    settle(failure.kind.callers ? 'refused' : 'error', began);
    return failure;
  };
  const wait = async (result: Promise<CallResult>, began: Reading, request: CallRequest) => {
    try {
      return succeeded(await result, began);
    } catch (error) {
      throw failed(error, began, request);
    }
  };
  return (request) => {
    const began = clock.reading();
    try {
      const result = execute(request);
      return result instanceof Promise ? wait(result, began, request) : succeeded(result, began);
    } catch (error) {
      throw failed(error, began, request);
    }
  };
}
