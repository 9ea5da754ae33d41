import { Fields } from '@svc/protocol/cel';
import { bodyOf } from '../../../runtime/src/connectors/intake/body.ts';
import type { PatternGrammar } from '../../../runtime/src/connectors/intake/dispatch/routes.ts';
import type { Delivery, Driver } from '../../../runtime/src/connectors/intake/driver.ts';
import { anonymous } from '../../../runtime/src/foundation/contracts/message.ts';
import type { Outcome } from '../../../runtime/src/foundation/contracts/outcome.ts';
import { Failure } from '../../../runtime/src/foundation/errors/failure.ts';
import type { Codec } from '../../../runtime/src/platform/formats/registry.ts';

/** What became of a line. */
export type End = Outcome | Failure;

/** Every line goes to every flow: operations are not written. */
const everyLine: PatternGrammar = { separator: undefined, one: undefined, many: undefined, everyMatch: true };

/** One line of a client, for the intake. */
class Line implements Delivery {
  readonly key = 'line';
  readonly id = undefined;
  readonly tries = 0;
  readonly returnable = false;
  /** Lines of one client are handled in order. */
  readonly order: string;
  readonly #bytes: Buffer;
  readonly #settled: (end: End) => void;
  #end: End = new Failure('cancelled', 'the line was not handled');

  constructor(bytes: Buffer, client: string, settled: (end: End) => void) {
    this.#bytes = bytes;
    this.order = client;
    this.#settled = settled;
  }

  identity(): string {
    return '';
  }

  async message(codec: Codec | undefined) {
    const input = new Fields() as Record<string, unknown>;
    const body = await bodyOf(this.#bytes, codec);
    const isObject = typeof body === 'object' && body !== null && !Array.isArray(body) && !(body instanceof Uint8Array);
    if (isObject) Object.assign(input, body);
    else input['_raw'] = body;
    return { input, auth: anonymous, addressed: [] };
  }

  answer(end: End): void {
    this.#end = end;
  }

  settle(): void {
    this.#settled(this.#end);
  }
}

/** Delivers lines: of each client one at a time, of all clients as many as the window holds. */
export class LineDriver implements Driver {
  readonly type = 'lines_server';
  readonly patterns = everyLine;
  readonly name: string;
  readonly window: number;
  readonly workers: number;
  #waiting: Line[] = [];
  #deliver: ((delivery: Delivery) => void) | undefined;
  #window = 0;
  #delivered = 0;

  /** @param name where lines come from, for people: `127.0.0.1:7001` */
  constructor(name: string, workers: number) {
    this.name = name;
    this.window = workers;
    this.workers = workers;
  }

  /** Hands over a line when its turn comes. Resolves with what became of it. */
  offer(bytes: Buffer, client: string): Promise<End> {
    const { promise, resolve } = Promise.withResolvers<End>();
    const settled = (end: End) => {
      this.#delivered--;
      resolve(end);
      this.#next();
    };
    this.#waiting.push(new Line(bytes, client, settled));
    this.#next();
    return promise;
  }

  /** Forgets lines whose clients have gone. */
  clear(): void {
    this.#waiting = [];
    this.#delivered = 0;
  }

  async subscribe(window: number, deliver: (delivery: Delivery) => void): Promise<void> {
    this.#window = window;
    this.#deliver = deliver;
    this.#next();
  }

  async unsubscribe(): Promise<void> {
    this.#deliver = undefined;
  }

  #next(): void {
    while (this.#deliver !== undefined && this.#delivered < this.#window) {
      const line = this.#waiting.shift();
      if (line === undefined) return;
      this.#delivered++;
      this.#deliver(line);
    }
  }
}
