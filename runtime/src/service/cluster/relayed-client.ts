import {
  type Channel,
  encodeError,
  encodeResult,
  type Incoming,
  readMessage,
  type WireError,
  wireError,
} from '@svc/protocol/wire';
import type { DebugMessage, SendDebug } from './debug-messages.ts';
import { mergedAnswer } from './merged-answers.ts';
import { RelayMemory } from './relay-memory.ts';
import { type Answer, RelayedPulls } from './relayed-pulls.ts';

type Done = (answer: Answer) => void;

interface Link {
  readonly worker: number;
  readonly send: SendDebug;
  /** Requests that the worker has not answered. */
  readonly asked: Map<number, Done>;
}

/** Characters that are on their way to a client at most; one that reads nothing until then is disconnected. */
const mostOnTheWay = 67_108_864;

/**
 * Methods that one worker answers for all: they run the same configuration and have the same stores, and what is done
 * once is done in one. What modules, schedules and flows did differs, and so does what each keeps.
 */
const answeredByOne =
  /^inspect\.(?!(?:modules|schedules|metrics)$|cache)|^debug\.(?:signalWorkflow|cancelWorkflow|runSchedule)$/;
/** How answers begin; everything else that a worker says is an event. */
const answerStart = '{"jsonrpc":"2.0","id":';

/** The connector that a request is about. */
function connectorOf(params: unknown): string | undefined {
  const { connector } = (params ?? {}) as { readonly connector?: unknown };
  return typeof connector === 'string' ? connector : undefined;
}

/**
 * One client and its connection to every worker. Requests about a thread go to the worker that the thread's id names,
 * others to all of them, whose answers become one; what a client has set is set again in workers that join.
 */
export class RelayedClient {
  readonly #id: number;
  readonly #channel: Channel;
  readonly #links = new Map<number, Link>();
  readonly #placed: ReadonlyMap<string, number>;
  readonly #memory = new RelayMemory();
  readonly #pulls = new RelayedPulls();
  #lastAsked = 0;
  #onTheWay = 0;

  /** `placed`: the workers of connectors that run in one alone. */
  constructor(id: number, channel: Channel, placed: ReadonlyMap<string, number>) {
    this.#id = id;
    this.#placed = placed;
    this.#channel = channel;
    channel.receive((text) => this.#take(text));
  }

  joined(worker: number, send: SendDebug): void {
    const link: Link = { worker, send, asked: new Map() };
    this.#links.set(worker, link);
    send({ debug: this.#id, open: true });
    for (const [method, params] of this.#memory.requests()) this.#ask(link, method, params, () => undefined);
  }

  /** A connector runs in this worker from now on: what was set for it is set there. */
  placed(connector: string, worker: number): void {
    const link = this.#links.get(worker);
    if (link === undefined) return;
    for (const [method, params] of this.#memory.requests())
      if (connectorOf(params) === connector) this.#ask(link, method, params, () => undefined);
  }

  left(worker: number): void {
    const link = this.#links.get(worker);
    if (link === undefined) return;
    this.#links.delete(worker);
    for (const done of link.asked.values()) done({ error: wireError('internalError', 'the worker is gone') });
  }

  said(worker: number, message: DebugMessage): void {
    const link = this.#links.get(worker);
    if (link === undefined) return;
    if ('close' in message) {
      // A worker that stops does not end the client: another one takes its place.
      this.left(worker);
      if (message.close !== 1001) this.close(message.close, message.reason);
      return;
    }
    if (!('text' in message)) return;
    const { text } = message;
    const sent = () => link.send({ debug: this.#id, sent: true });
    if (!text.startsWith(answerStart)) return void this.#deliver(text).then(sent, sent);
    sent();
    const answer = readMessage(text);
    if (answer.kind !== 'result' && answer.kind !== 'error') return;
    const done = link.asked.get(answer.id as number);
    link.asked.delete(answer.id as number);
    done?.(answer);
  }

  close(code: number, reason: string): void {
    this.#channel.close(code, reason);
  }

  /** The client is gone: every worker releases what it held. */
  end(): void {
    for (const { send } of this.#links.values()) send({ debug: this.#id, close: 1000, reason: '' });
    this.#links.clear();
  }

  #take(text: string): void {
    const message = readMessage(text);
    if (message.kind === 'wrong') this.#reply(message.id, { error: message.error });
    else if (message.kind === 'request') this.#request(message);
  }

  #request({ id, method, params }: Extract<Incoming, { kind: 'request' }>): void {
    const links = this.#linksFor(method, params);
    if ('error' in links) return this.#reply(id, links);
    if (method === 'debug.consume' && links.length > 1) return void this.#pull(id, params);
    const pulls = method === 'debug.cancelConsume' ? this.#pulls.cancel(connectorOf(params)) : [];
    const answers: Answer[] = [];
    let open = links.length;
    for (const [at, link] of links.entries())
      this.#ask(link, method, params, (answer) => {
        answers[at] = answer;
        if (--open > 0) return;
        const results = answers.flatMap((each) => ('result' in each ? [each.result] : []));
        if (results.length === 0) return this.#reply(id, answers[0] as Answer);
        if (this.#memory.note(method, params)) {
          // Workers that joined meanwhile were sent what was set before.
          const late = [...this.#links.values()].filter((each) => !links.includes(each));
          for (const each of late) this.#ask(each, method, params, () => undefined);
        }
        const ended = pulls.filter(({ isEnded }) => isEnded).map(() => ({ cancelled: 1 }));
        this.#reply(id, { result: mergedAnswer(method, [...results, ...ended]) });
      });
  }

  /** A message may be where one worker alone can take it, such as a partition of a log: each is asked in turn. */
  async #pull(id: string | number | null | undefined, params: unknown): Promise<void> {
    const answer = await this.#pulls.pull(params, connectorOf(params) ?? '', (turn, method, asked) => {
      const links = [...this.#links.values()];
      const link = links[turn % links.length];
      return link && new Promise((done) => this.#ask(link, method, asked, done));
    });
    if (answer !== undefined) this.#reply(id, answer);
  }

  #linksFor(method: string, params: unknown): readonly Link[] | { readonly error: WireError } {
    if (method !== 'debug.attach' && !this.#memory.isAttached)
      return { error: wireError('sessionNotFound', 'not attached') };
    const all = [...this.#links.values()];
    const [first] = all;
    if (first === undefined) return { error: wireError('internalError', 'no worker serves yet') };
    const { threadId } = (params ?? {}) as { readonly threadId?: unknown };
    if (typeof threadId !== 'string') {
      const placed = this.#links.get(this.#placed.get(connectorOf(params) ?? '') ?? 0);
      if (placed !== undefined) return [placed];
      return answeredByOne.test(method) ? [first] : all;
    }
    const link = this.#links.get(Number(/^(\d+)\./.exec(threadId)?.[1]));
    return link === undefined ? { error: wireError('threadNotFound', `there is no thread "${threadId}"`) } : [link];
  }

  #ask({ asked, send }: Link, method: string, params: unknown, done: Done): void {
    const id = ++this.#lastAsked;
    asked.set(id, done);
    send({ debug: this.#id, text: JSON.stringify({ jsonrpc: '2.0', id, method, params }) });
  }

  #reply(id: string | number | null | undefined, answer: Answer): void {
    if (id === undefined) return;
    void this.#deliver('error' in answer ? encodeError(id, answer.error) : encodeResult(id, answer.result));
  }

  async #deliver(text: string): Promise<void> {
    this.#onTheWay += text.length;
    if (this.#onTheWay > mostOnTheWay) this.close(1013, 'the client does not read');
    await this.#channel.send(text);
    this.#onTheWay -= text.length;
  }
}
