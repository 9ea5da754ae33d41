import { type Auth, anonymous } from '../../../foundation/contracts/message.ts';
import type { Outcome } from '../../../foundation/contracts/outcome.ts';
import type { Failure } from '../../../foundation/errors/failure.ts';
import { copyOf } from '../../../platform/formats/copy.ts';
import type { Delivery, MessageContent } from '../../intake/driver.ts';
import { fieldsOf } from '../../intake/fields.ts';

/** Fields of `input` that no client can set. */
const reserved: readonly string[] = ['headers', 'files'];

export interface MessageParts {
  readonly type: string;
  readonly data: unknown;
  readonly auth: Auth | undefined;
  readonly timeout: number;
  readonly answer: (end: Outcome | Failure) => string | undefined;
  /** Called once, at the end. */
  readonly settled: () => void;
}

/** One message of a client, for the flow that takes its type. Those of one client may be handled side by side. */
export class TcpMessage implements Delivery {
  readonly id = undefined;
  readonly tries = 0;
  readonly returnable = false;
  readonly #parts: MessageParts;

  constructor(parts: MessageParts) {
    this.#parts = parts;
  }

  get key(): string {
    return this.#parts.type;
  }

  get timeout(): number {
    return this.#parts.timeout;
  }

  identity(): string {
    return '';
  }

  message(): MessageContent {
    const { data, auth = anonymous } = this.#parts;
    // Every flow changes an input of its own.
    const input = fieldsOf(copyOf(data));
    for (const name of reserved) delete input[name];
    return { input, auth, addressed: [] };
  }

  answer(end: Outcome | Failure): string | undefined {
    return this.#parts.answer(end);
  }

  settle(): void {
    this.#parts.settled();
  }
}
