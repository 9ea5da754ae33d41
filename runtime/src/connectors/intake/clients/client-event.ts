import type { Message } from '../../../foundation/contracts/message.ts';
import type { Outcome } from '../../../foundation/contracts/outcome.ts';
import type { Failure } from '../../../foundation/errors/failure.ts';
import { copyOf } from '../../../platform/formats/copy.ts';
import { decodeBody } from '../../../platform/formats/decode.ts';
import type { Codec } from '../../../platform/formats/registry.ts';
import type { Peer } from '../../../platform/http/live/peer.ts';
import type { Delivery } from '../driver.ts';

/** Fields of `input` that no client can set. */
const reserved: ReadonlySet<string> = new Set(['event', 'user_id', 'remote_addr', 'headers', 'files']);

export interface EventParts {
  /** What operations of flows are matched against. */
  readonly key: string;
  readonly client: Peer;
  /** What the client sent. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** What the connector says of it: no client can. */
  readonly said?: Readonly<Record<string, unknown>> | undefined;
  /** May send something to the client. */
  readonly answer: (end: Outcome | Failure) => string | undefined;
  /** Called once, at the end. */
  readonly settled: () => void;
}

/** Something that a client did, for the flows that take it. */
export class ClientEvent implements Delivery {
  readonly id = undefined;
  readonly tries = 0;
  readonly returnable = false;
  readonly #parts: EventParts;

  constructor(parts: EventParts) {
    this.#parts = parts;
  }

  get key(): string {
    return this.#parts.key;
  }

  get order(): string {
    return this.#parts.client.id;
  }

  identity(): string {
    return '';
  }

  /** Who sends is never what the sender says: `user_id` is the verified identity, or absent. */
  async message(codec: Codec | undefined): Promise<Pick<Message, 'input' | 'auth' | 'addressed' | 'queried'>> {
    const { key, client, fields, said } = this.#parts;
    const { auth, params, remoteAddress } = client;
    // Every flow changes an input of its own.
    const input = copyOf(fields) as Record<string, unknown>;
    for (const name of reserved) delete input[name];
    const { data } = input;
    if (codec !== undefined && typeof data === 'string') input['data'] = await decodeBody(codec, Buffer.from(data));
    const queried: string[] = [];
    for (const [name, value] of Object.entries(params)) {
      if (reserved.has(name) || Object.hasOwn(input, name)) continue;
      input[name] = value;
      queried.push(name);
    }
    input['event'] = key;
    if (key === 'connect') input['remote_addr'] = remoteAddress;
    if (auth.user_id !== '') input['user_id'] = auth.user_id;
    Object.assign(input, said);
    return { input, auth, addressed: [], queried };
  }

  answer(end: Outcome | Failure): string | undefined {
    return this.#parts.answer(end);
  }

  settle(): void {
    this.#parts.settled();
  }
}
