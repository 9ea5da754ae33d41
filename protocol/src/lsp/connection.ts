import { Cancelled } from '../language/index.ts';

/** What carries messages to the other side. */
export interface MessageSink {
  send(message: object): void;
}

/** An error with a code that the other side understands (JSON-RPC 2.0, LSP "ErrorCodes"). */
export class ResponseError extends Error {
  override readonly name = 'ResponseError';
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

export const errorCodes = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  serverNotInitialized: -32002,
  requestCancelled: -32800,
  requestFailed: -32803,
} as const;

/**
 * Answers a request, or takes a notification. `cancellation` turns true when no client waits for the answer any more.
 */
export type Handler = (params: unknown, cancellation: { readonly aborted: boolean }) => unknown;

type Id = string | number;

interface Message {
  readonly id?: Id | null;
  readonly method?: string;
  readonly params?: unknown;
}

/**
 * JSON-RPC 2.0 as language servers speak it. Messages are handled in the order in which they came, requests after what
 * has already arrived behind them was looked at, so that a cancellation overtakes its request.
 */
export class Connection {
  readonly #sink: MessageSink;
  readonly #handlers: ReadonlyMap<string, Handler>;
  readonly #pending = new Map<Id, { aborted: boolean }>();
  readonly #queue: Message[] = [];
  readonly #later: (work: () => void) => void;
  #working = false;
  #lastId = 0;

  /** `later` calls back when what has arrived was received. */
  constructor(sink: MessageSink, handlers: ReadonlyMap<string, Handler>, later: (work: () => void) => void) {
    this.#sink = sink;
    this.#handlers = handlers;
    this.#later = later;
  }

  /** Takes one message as text. */
  receive(text: string): void {
    let message: Message;
    try {
      message = JSON.parse(text) as Message;
    } catch {
      this.#fail(null, errorCodes.parseError, 'the message is not JSON');
      return;
    }
    if (typeof message !== 'object' || message === null || Array.isArray(message)) {
      this.#fail(null, errorCodes.invalidRequest, 'the message is not an object');
      return;
    }
    if (message.method === '$/cancelRequest') {
      const pending = this.#pending.get((message.params as { id?: Id } | undefined)?.id ?? '');
      if (pending) pending.aborted = true;
      return;
    }
    // Answers of the client are of no interest: nothing is asked that needs one.
    if (typeof message.method !== 'string') return;
    if (message.id !== undefined && message.id !== null) this.#pending.set(message.id, { aborted: false });
    this.#queue.push(message);
    if (this.#working) return;
    this.#working = true;
    this.#later(() => void this.#work());
  }

  /** Whether messages wait that were received. */
  get isBusy(): boolean {
    return this.#working;
  }

  notify(method: string, params: unknown): void {
    this.#sink.send({ jsonrpc: '2.0', method, params });
  }

  request(method: string, params: unknown): void {
    this.#sink.send({ jsonrpc: '2.0', id: `svc-${++this.#lastId}`, method, params });
  }

  /** Handles one message; what arrived meanwhile is received before the next one. */
  async #work(): Promise<void> {
    const message = this.#queue.shift();
    if (message) await this.#handle(message);
    if (this.#queue.length > 0) this.#later(() => void this.#work());
    else this.#working = false;
  }

  async #handle({ id, method = '', params }: Message): Promise<void> {
    const handler = this.#handlers.get(method);
    const wanted = id !== undefined && id !== null;
    const cancellation = (wanted ? this.#pending.get(id) : undefined) ?? { aborted: false };
    try {
      if (handler === undefined) {
        if (wanted) this.#fail(id, errorCodes.methodNotFound, `there is no method ${method}`);
        return;
      }
      if (cancellation.aborted) throw new Cancelled();
      const result = await handler(params, cancellation);
      if (wanted) this.#sink.send({ jsonrpc: '2.0', id, result: result ?? null });
    } catch (error) {
      if (wanted) this.#refuse(id, error);
    } finally {
      if (wanted) this.#pending.delete(id);
    }
  }

  #refuse(id: Id, error: unknown): void {
    if (error instanceof Cancelled) this.#fail(id, errorCodes.requestCancelled, error.message);
    else if (error instanceof ResponseError) this.#fail(id, error.code, error.message);
    else this.#fail(id, errorCodes.internalError, error instanceof Error ? error.message : String(error));
  }

  #fail(id: Id | null, code: number, message: string): void {
    this.#sink.send({ jsonrpc: '2.0', id, error: { code, message } });
  }
}
