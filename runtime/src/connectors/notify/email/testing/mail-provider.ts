import { type Answer, headersIn, MailServer, type ReceivedLetter } from '../../../../../../test/support/mail-server.ts';
import type { Asked, Given, Misbehaviour, ProviderOfTests } from '../../testing/provider.ts';

/** A server of mail as the suite of all channels uses its providers: a letter is a request, whose texts of the moment are left out. */
export class MailProvider implements ProviderOfTests {
  readonly #server: MailServer;
  readonly #asked: Asked[] = [];

  private constructor(server: MailServer) {
    this.#server = server;
  }

  static async start(
    answer: (asked: Asked) => Given | Misbehaviour,
    credentials: { readonly user: string; readonly pass: string },
  ): Promise<MailProvider> {
    const provider = new MailProvider(await MailServer.start(undefined, { credentials }));
    provider.answers(answer);
    return provider;
  }

  get asked(): readonly Asked[] {
    return this.#asked;
  }

  get sends(): readonly Asked[] {
    return this.#asked;
  }

  get port(): number {
    return this.#server.port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get accepted(): number {
    return this.#server.accepted;
  }

  get connections(): number {
    return this.#server.connections;
  }

  get held(): number {
    return this.#server.held;
  }

  cut(): void {
    this.#server.cut();
  }

  answers(answer: (asked: Asked) => Given | Misbehaviour): void {
    this.#server.answers((letter) => {
      const asked = askedOf(letter);
      this.#asked.push(asked);
      return answerOf(answer(asked));
    });
  }

  release(given: Given): void {
    this.#server.release(answerOf(given));
  }

  close(): Promise<void> {
    return this.#server.close();
  }
}

function askedOf({ from, to, raw }: ReceivedLetter): Asked {
  const constant = raw.replace(/^(?:Message-ID|Date):.*\r\n/gim, '').replace(/_NmP-[\w-]+?-Part_/g, 'Part_');
  return { method: 'DATA', url: `${from},${to.join(',')}`, headers: headersIn(constant), body: constant };
}

function answerOf(given: Given | Misbehaviour): Answer {
  if (given === 'endless') return { bytes: '2' };
  if (given === 'short') return { bytes: '25', ends: true };
  if (typeof given === 'string') return given;
  const { status = 250, body = '' } = given;
  if (status >= 400) return { refuse: status };
  return String(body).startsWith('<') ? { bytes: `${body}\r\n` } : { id: String(body) };
}
