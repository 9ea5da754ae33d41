import { hash } from 'node:crypto';
import type { GraphQLError } from 'graphql';
import type { Auth } from '../../../../foundation/contracts/message.ts';
import type { SubscriptionCounts } from '../../../../foundation/contracts/observer.ts';
import type { Asker } from '../execution/field-message.ts';
import type { Prepared } from '../execution/prepared.ts';
import type { GraphqlRequest } from '../http/request.ts';

/** Events of one subscription that its caller has not taken yet; further ones are dropped. */
const mostWaiting = 10;

/** Who subscribes, as filters see it. */
export interface Subscriber {
  readonly auth: Auth;
  /** What the caller said when it connected, credentials aside. */
  readonly connectionParams: Readonly<Record<string, unknown>>;
  /** Parameters of the query string of the connection. */
  readonly params: Readonly<Record<string, unknown>>;
  /** What flows are asked for with; `signal` fires when the subscription is over. */
  asker(signal: () => AbortSignal): Asker;
}

/** Where the results of one subscription go. */
export interface Receiver {
  /** Whether what was sent before has been taken. */
  readonly isReady: boolean;
  /** Calls once when it is ready; never when the caller has gone. */
  whenReady(act: () => void): void;
  /** Whether so many more bytes may wait for it. */
  mayHold(bytes: number): boolean;
  held(by: number): void;
  /** A result: an object with `data` and `errors`, in JSON. */
  next(result: Buffer): void;
  /** No more results come: it is complete, or these errors ended it. */
  end(errors: readonly GraphQLError[] | undefined): void;
}

/** A field, and what it is asked. */
export interface AskedField {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** A document made ready, and what is asked with it. */
export interface Asked {
  readonly prepared: Prepared;
  readonly field: AskedField;
}

interface Waiting {
  result: Buffer | undefined;
}

/** One subscription: its results in order, as fast as its caller takes them. */
export class Subscription {
  readonly request: GraphqlRequest;
  readonly subscriber: Subscriber;
  /** What distinguishes its variables from those of others with the same document. */
  readonly key: string;
  /** What the configuration in use makes of the request. */
  asked: Asked;
  /** The configuration that `asked` is of. */
  version: number;
  readonly #receiver: Receiver;
  readonly #counts: SubscriptionCounts;
  #waiting: Waiting[] = [];
  #controller: AbortController | undefined;
  #isAwaited = false;
  #isOver = false;

  constructor(
    request: GraphqlRequest,
    asked: Asked,
    version: number,
    subscriber: Subscriber,
    receiver: Receiver,
    counts: SubscriptionCounts,
  ) {
    this.request = request;
    this.asked = asked;
    this.version = version;
    this.subscriber = subscriber;
    this.key = keyOf(request.variables);
    this.#receiver = receiver;
    this.#counts = counts;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  asker(): Asker {
    return this.subscriber.asker(() => {
      this.#controller ??= new AbortController();
      if (this.#isOver) this.#controller.abort();
      return this.#controller.signal;
    });
  }

  /** Sends what is made for it, after everything before it; `make` is not called when too much waits already. */
  deliver(make: () => Buffer | Promise<Buffer>): void {
    if (this.#isOver) return;
    if (this.#waiting.length >= mostWaiting) return this.#counts.dropped();
    const made = make();
    if (!(made instanceof Promise)) return this.#take({ result: undefined }, made);
    const waiting: Waiting = { result: undefined };
    this.#waiting.push(waiting);
    void made.then((result) => this.#take(waiting, result));
  }

  /** It is over: nothing more is sent, and what its caller has not taken is dropped. */
  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    for (const { result } of this.#waiting) {
      this.#counts.dropped();
      if (result !== undefined) this.#receiver.held(-result.length);
    }
    this.#waiting = [];
    this.#controller?.abort();
  }

  /** Ends it with errors that its caller reads, or as complete. */
  finish(errors: readonly GraphQLError[] | undefined): void {
    if (this.#isOver) return;
    this.end();
    this.#receiver.end(errors);
  }

  #take(waiting: Waiting, result: Buffer): void {
    if (this.#isOver) return;
    const isNew = !this.#waiting.includes(waiting);
    if (isNew && this.#waiting.length === 0 && this.#receiver.isReady) return this.#send(result);
    if (!this.#receiver.mayHold(result.length)) {
      if (!isNew) this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
      this.#counts.dropped();
    } else {
      waiting.result = result;
      if (isNew) this.#waiting.push(waiting);
      this.#receiver.held(result.length);
    }
    this.#flush();
  }

  #flush(): void {
    for (let first = this.#waiting[0]; first?.result !== undefined; first = this.#waiting[0]) {
      if (!this.#receiver.isReady) return this.#await();
      this.#waiting.shift();
      this.#receiver.held(-first.result.length);
      this.#send(first.result);
    }
  }

  #await(): void {
    if (this.#isAwaited) return;
    this.#isAwaited = true;
    this.#receiver.whenReady(() => {
      this.#isAwaited = false;
      if (!this.#isOver) this.#flush();
    });
  }

  #send(result: Buffer): void {
    this.#receiver.next(result);
    this.#counts.delivered();
  }
}

/** Texts longer than this are compared by their digest. */
const longKey = 256;

function keyOf(variables: Readonly<Record<string, unknown>>): string {
  const text = JSON.stringify(variables, (_, value: unknown) =>
    typeof value === 'bigint' ? { bigint: String(value) } : value,
  );
  return text.length <= longKey ? text : hash('sha256', text);
}
