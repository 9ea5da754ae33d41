import { toJson } from '@svc/protocol/cel';
import { addressRow, plainKeys } from '../../../connectors/core/row-address.ts';
import type { CallResult } from '../../../foundation/contracts/call-result.ts';
import type { Connector } from '../../../foundation/contracts/connector.ts';
import type { RunningModule } from '../../../foundation/contracts/modules.ts';
import type { CallDescription, CallRequest, Execute, Target } from '../../../foundation/contracts/target.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import { withIntegers } from '../../flow/compile/whole-numbers.ts';
import type { ModuleHost } from '../host/module-host.ts';

type Fields = Readonly<Record<string, unknown>>;
type Entry = 'read' | 'write' | 'call';

const written = { create: 'INSERT', update: 'UPDATE', delete: 'DELETE' } as const;

/** A connector whose work a module does, with the exports `read`, `write` and `call`. */
export class PluginConnector implements Connector, Target {
  readonly name: string;
  readonly target: Target = this;
  readonly #host: ModuleHost;
  /** What flows ask for, with the place of the first one that does. */
  readonly #asked = new Map<Entry, string>();
  #isOpen = false;

  constructor(name: string, host: ModuleHost) {
    this.name = name;
    this.#host = host;
  }

  get modules(): readonly RunningModule[] {
    return [this.#host.running({ kind: 'connector', serves: [this.name] })];
  }

  /** Starts the module, calls its `init`, and refuses flows that ask for what it does not export. */
  async open(): Promise<void> {
    await this.#host.open();
    for (const [entry, place] of this.#asked) this.#demand(entry, place);
    this.#isOpen = true;
  }

  async close(cut?: AbortSignal): Promise<void> {
    this.#isOpen = false;
    await this.#host.close(cut);
  }

  /** Asks the module where it exports `health`: `{"error": "…"}`, false or `{"healthy": false}` is the reason against it. */
  async check(): Promise<void> {
    this.#demandOpen();
    if (!this.#host.has('health')) return;
    const answer = await this.#host.call('health', 'json', '{}');
    const isHealthy = isFields(answer) ? answer['healthy'] !== false : answer !== false;
    if (!isHealthy)
      throw new Failure('connector_failed', `connector "${this.name}": its module says that it is not healthy`);
  }

  prepare(call: CallDescription): Execute {
    const entry: Entry = call.verb === 'read' ? 'read' : call.verb === 'call' ? 'call' : 'write';
    const place = `flow "${call.flow}", ${call.label}`;
    if (!this.#asked.has(entry)) this.#asked.set(entry, place);
    if (this.#isOpen) this.#demand(entry, place);
    return (request) => this.#ask(entry, call, request);
  }

  async #ask(entry: Entry, call: CallDescription, request: CallRequest): Promise<CallResult> {
    this.#demandOpen();
    if (request.within !== undefined)
      throw new Failure('connector_refused', `connector "${this.name}" has no transactions`, { retriable: false });
    const input = JSON.stringify(toJson(inputOf(entry, call, request)));
    const answer = await this.#within(this.#host.call(entry, 'json', input), call.timeout, request.signal);
    const exact = <T>(value: T): T => (call.exact ? (withIntegers(value) as T) : value);
    if (entry === 'call') return { value: exact(calledValue(answer)) };
    const result = rowsOf(answer, entry);
    return result.rows === undefined ? result : { ...result, rows: exact(result.rows) };
  }

  /** The module ends a call at its own limit; the flow continues earlier where it says so. */
  async #within<T>(work: Promise<T>, timeout: number | undefined, signal: AbortSignal | undefined): Promise<T> {
    if (timeout === undefined && signal === undefined) return work;
    signal?.throwIfAborted();
    const stop = Promise.withResolvers<never>();
    const abort = () => stop.reject(signal?.reason);
    signal?.addEventListener('abort', abort, { once: true });
    const late = () =>
      stop.reject(new Failure('connector_timeout', `connector "${this.name}" did not answer within ${timeout} ms`));
    const timer = timeout === undefined ? undefined : setTimeout(late, timeout);
    try {
      return await Promise.race([work, stop.promise]);
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    }
  }

  #demand(entry: Entry, place: string): void {
    if (this.#host.has(entry)) return;
    throw new Failure(
      'connector_refused',
      `connector "${this.name}" cannot do what ${place} asks for: its module does not export ${entry}`,
      { retriable: false },
    );
  }

  #demandOpen(): void {
    if (!this.#isOpen)
      throw new Failure('connector_refused', `connector "${this.name}" is not open`, { at: { connector: this.name } });
  }
}

function inputOf(entry: Entry, call: CallDescription, request: CallRequest): Fields {
  const target = call.target ?? request.target ?? null;
  const { params = {}, headers, columns } = request;
  const { filters = {}, payload } = entry === 'write' ? addressRow(request, plainKeys) : request;
  const operation = call.operation ?? null;
  if (entry === 'read') {
    const fields = columns ?? call.fields ?? [];
    return { target, operation, query: call.query ?? null, filters, fields, params };
  }
  if (entry === 'write') {
    const word = operation ?? written[call.verb as keyof typeof written];
    return { target, operation: word, query: call.query ?? null, payload: payload ?? {}, filters, params };
  }
  return { target, operation, params, payload: payload ?? null, headers: headers ?? {} };
}

/** `{data}` or `{rows}`, an object or a list of them; how many were written, and the key of a new one. */
function rowsOf(answer: unknown, entry: 'read' | 'write'): CallResult {
  if (!isFields(answer)) return { rows: listOf(answer) };
  const { rows, data, affected, metadata } = answer;
  const about = isFields(metadata) ? metadata : {};
  const found = rows ?? data;
  const count = typeof affected === 'number' ? affected : about['affected'];
  const result = found === undefined ? {} : { rows: listOf(found) };
  if (entry === 'read') return { rows: result.rows ?? [] };
  return {
    ...result,
    affected: typeof count === 'number' ? count : (result.rows?.length ?? 0),
    id: answer['id'] ?? about['id'],
  };
}

function listOf(value: unknown): readonly Fields[] {
  const items = Array.isArray(value) ? value : value === null || value === undefined ? [] : [value];
  return items.map((item) => (isFields(item) ? item : { value: item }));
}

/** `{data}` or `{result}`, else the whole; another value than an object is the `result` of one. */
function calledValue(answer: unknown): unknown {
  if (!isFields(answer)) return { result: answer };
  if (Object.hasOwn(answer, 'data')) return answer['data'];
  return Object.hasOwn(answer, 'result') ? answer['result'] : answer;
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
