import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { until } from '../../../../../test/support/until.ts';
import { prefixed } from '../frames.ts';

type Json = Readonly<Record<string, unknown>>;

/** The frame of a JSON message, made without the code under test. */
export function jsonFrame(message: unknown): Buffer {
  const body = Buffer.from(typeof message === 'string' ? message : JSON.stringify(message));
  const head = Buffer.alloc(4);
  head.writeUInt32BE(body.length);
  return Buffer.concat([head, body]);
}

/** A client of the json protocol, and what it was answered. */
export class Talker {
  readonly answers: Json[] = [];
  readonly socket: Socket;
  isOver = false;
  readonly #reader = prefixed.reader(1 << 26);

  constructor(socket: Socket) {
    this.socket = socket;
    socket.on('error', () => undefined);
    socket.on('close', () => (this.isOver = true));
    socket.on('data', (piece: Buffer) => {
      for (const message of this.#reader.take(piece)) this.answers.push(JSON.parse(String(message)) as Json);
    });
  }

  static async connect(port: number, tls?: object): Promise<Talker> {
    const socket = tls === undefined ? connect(port, '127.0.0.1') : connectTls({ port, host: '127.0.0.1', ...tls });
    const talker = new Talker(socket);
    await once(socket, tls === undefined ? 'connect' : 'secureConnect');
    return talker;
  }

  send(...messages: readonly unknown[]): void {
    for (const message of messages) this.socket.write(jsonFrame(message));
  }

  /** Waits for so many answers, by their ids. */
  async answered(count: number): Promise<ReadonlyMap<unknown, Json>> {
    await until(() => this.answers.length >= count || this.isOver);
    return new Map(this.answers.map((answer) => [answer['id'], answer]));
  }

  async over(): Promise<void> {
    await until(() => this.isOver);
  }
}
