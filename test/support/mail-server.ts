import type { AddressInfo, Socket } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

/** A letter as it reached a server. */
export interface ReceivedLetter {
  readonly from: string;
  readonly to: readonly string[];
  /** The text of the message, one character for each byte. */
  readonly raw: string;
  /** Whether it came over TLS. */
  readonly secure: boolean;
  readonly user: string | undefined;
}

/**
 * What a server does with a letter that it has read: takes it under a name, refuses it, says nothing, or ends the connection;
 * or it writes these bytes as they are, with the connection ended behind them where `ends` says so.
 */
export type Answer =
  | { readonly id: string }
  | { readonly refuse: number; readonly says?: string }
  | { readonly bytes: string; readonly ends?: boolean }
  | 'silent'
  | 'cut';

/** What a test says of its server. */
export interface MailServerOptions extends SMTPServerOptions {
  /** Who may sign in. Absent: it asks for no credentials. */
  readonly credentials?: { readonly user: string; readonly pass: string };
  /** The code and text with which a recipient is refused; undefined: it is taken. `nth` counts those of one letter from 1. */
  readonly refuses?: (recipient: string, nth: number) => { readonly code: number; readonly says: string } | undefined;
}

/** A server of mail on loopback. It keeps the letters that it was brought, and answers what the test says. */
export class MailServer {
  readonly letters: ReceivedLetter[] = [];
  /** Connections so far. */
  accepted = 0;
  readonly #server: SMTPServer;
  readonly #sockets = new Set<Socket>();
  readonly #held = new Map<(answer: Answer) => void, Socket>();
  #answer: (letter: ReceivedLetter, nth: number) => Answer;

  private constructor(answer: (letter: ReceivedLetter, nth: number) => Answer, options: MailServerOptions) {
    this.#answer = answer;
    const { credentials, refuses, ...others } = options;
    this.#server = new SMTPServer({
      banner: 'a server of tests',
      authOptional: credentials === undefined,
      allowInsecureAuth: true,
      disableReverseLookup: true,
      disabledCommands: others.secure || others.key !== undefined ? [] : ['STARTTLS'],
      closeTimeout: 1,
      onAuth: ({ username, password }, _session, done) => {
        const isKnown = username === credentials?.user && password === credentials?.pass;
        done(isKnown ? null : refusal(535, 'wrong credentials'), isKnown ? { user: username as string } : undefined);
      },
      onRcptTo: ({ address }, { envelope }, done) => {
        const refused = refuses?.(address, envelope.rcptTo.length + 1);
        done(refused && refusal(refused.code, refused.says));
      },
      onData: (stream, session, done) => {
        const pieces: Buffer[] = [];
        stream.on('data', (piece: Buffer) => pieces.push(piece));
        stream.on('end', () => {
          const { mailFrom, rcptTo } = session.envelope;
          const letter: ReceivedLetter = {
            from: mailFrom === false ? '' : mailFrom.address,
            to: rcptTo.map(({ address }) => address),
            raw: Buffer.concat(pieces).toString('latin1'),
            secure: session.secure,
            user: session.user as string | undefined,
          };
          this.letters.push(letter);
          this.#give(this.#answer(letter, this.letters.length), this.#socketOf(session.remotePort), done);
        });
      },
      ...others,
    });
    this.#server.on('error', () => undefined);
    this.#server.server.on('connection', (socket: Socket) => {
      this.accepted++;
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket)).on('error', () => undefined);
    });
  }

  /** Takes every letter, under a number, unless `answer` says something else. */
  static async start(
    answer: (letter: ReceivedLetter, nth: number) => Answer = (_, nth) => ({ id: String(nth) }),
    options: MailServerOptions = {},
    port = 0,
  ): Promise<MailServer> {
    const server = new MailServer(answer, options);
    await new Promise<void>((resolve, reject) => {
      server.#server.server.once('error', reject);
      server.#server.listen(port, '127.0.0.1', () => resolve());
    });
    return server;
  }

  get port(): number {
    return (this.#server.server.address() as AddressInfo).port;
  }

  get connections(): number {
    return this.#sockets.size;
  }

  /** Letters that wait for an answer, and whose client is there. */
  get held(): number {
    return [...this.#held.values()].filter((socket) => !socket.destroyed).length;
  }

  /** From now on letters are answered so. */
  answers(answer: (letter: ReceivedLetter, nth: number) => Answer): void {
    this.#answer = answer;
  }

  /** Answers what waits. */
  release(answer: Answer): void {
    for (const give of this.#held.keys()) give(answer);
    this.#held.clear();
  }

  /** Ends every connection. What is below one of TLS is left to that: Node does not survive that it is destroyed alone. */
  cut(): void {
    for (const { _socket: socket } of this.#server.connections) socket.destroy();
    for (const socket of this.#server._pendingSockets.values()) socket.destroy();
  }

  async close(): Promise<void> {
    this.cut();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  #give(answer: Answer, socket: Socket, done: (error?: Error | null, says?: string) => void): void {
    if (answer === 'silent') return void this.#held.set((later) => this.#give(later, socket, done), socket);
    if (answer === 'cut') return void socket.destroy();
    if ('bytes' in answer) {
      socket.write(answer.bytes);
      if (answer.ends) socket.end();
    } else if ('refuse' in answer) done(refusal(answer.refuse, answer.says ?? 'it was refused'));
    else done(null, `queued as ${answer.id}`);
  }

  #socketOf(port: number): Socket {
    return [...this.#sockets].find((socket) => socket.remotePort === port) as Socket;
  }
}

function refusal(responseCode: number, says: string): Error {
  return Object.assign(new Error(says), { responseCode });
}

/** The headers of a message by their names in lower case, those of several lines in one. */
export function headersIn(raw: string): Readonly<Record<string, string>> {
  const [head = ''] = raw.split('\r\n\r\n', 1);
  const lines = head.replace(/\r\n[ \t]+/g, ' ').split('\r\n');
  return Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  );
}

/** The text of a message, or of a part, that has no parts itself. */
export function textIn(raw: string): string {
  const { 'content-transfer-encoding': encoding = '7bit' } = headersIn(raw);
  const body = raw.slice(raw.indexOf('\r\n\r\n') + 4);
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString();
  const plain = encoding === 'quoted-printable' ? body.replace(/=\r\n/g, '') : body;
  const bytes =
    encoding === 'quoted-printable'
      ? plain.replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
      : plain;
  return Buffer.from(bytes, 'latin1').toString().replace(/\r\n$/, '');
}

/** The parts of a message that has some, those of parts among them. */
export function partsIn(raw: string): readonly string[] {
  const boundary = /boundary="?([^";]+)"?/i.exec(headersIn(raw)['content-type'] ?? '')?.[1];
  if (boundary === undefined) return [raw];
  const [, ...parts] = raw.split(`--${boundary}`);
  return parts.slice(0, -1).flatMap((part) => partsIn(part.replace(/^\r\n/, '').replace(/\r\n$/, '')));
}
