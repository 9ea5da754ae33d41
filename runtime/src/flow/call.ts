import type { CallDescription, CallRequest, CallResult, Execute } from '../connectors/contract.ts';
import { asFailure } from '../errors/classify.ts';
import { Failure } from '../errors/failure.ts';
import type { Frame } from './frame.ts';
import type { CallWords, ConnectorUse, FlowTools } from './tools.ts';

type Fields = Readonly<Record<string, unknown>>;

/** What one message asks of a call. Signal and trace context are taken from the message only when somebody reads them. */
export class FlowRequest implements CallRequest {
  readonly #frame: Frame;
  target: string | undefined;
  filters: Fields | undefined;
  payload: Fields | undefined;
  params: Fields | readonly unknown[] | undefined;
  headers: Readonly<Record<string, string>> | undefined;

  constructor(frame: Frame) {
    this.#frame = frame;
    this.target = undefined;
    this.filters = undefined;
    this.payload = undefined;
    this.params = undefined;
    this.headers = undefined;
  }

  get signal(): AbortSignal | undefined {
    return this.#frame.message.signal();
  }

  get input(): Fields {
    return this.#frame.input;
  }

  get traceparent(): string | undefined {
    return this.#frame.message.traceparent;
  }

  get tracestate(): string | undefined {
    return this.#frame.message.tracestate;
  }
}

/** Completes what a stage says about a call. */
export function describe(words: CallWords): CallDescription {
  return {
    operation: undefined,
    target: undefined,
    query: undefined,
    format: undefined,
    envelope: undefined,
    timeout: undefined,
    exact: false,
    attributes: {},
    ...words,
  };
}

/** Prepares a call: counted and timed, its failures carry the connector's name. */
export function prepareCall(use: ConnectorUse, words: CallWords, { services }: FlowTools): Execute {
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
  const settle = (ok: boolean, began: number) =>
    observer.connectorCall(connector, type, kind, ok, (clock.elapsed() - began) / 1000);
  const wait = async (result: Promise<CallResult>, began: number) => {
    try {
      const settled = await result;
      settle(true, began);
      return settled;
    } catch (error) {
      settle(false, began);
      throw asFailure(error, place);
    }
  };
  return (request) => {
    const began = clock.elapsed();
    try {
      const result = execute(request);
      if (result instanceof Promise) return wait(result, began);
      settle(true, began);
      return result;
    } catch (error) {
      settle(false, began);
      throw asFailure(error, place);
    }
  };
}
