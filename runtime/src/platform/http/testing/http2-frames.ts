import { connect, type Socket } from 'node:net';

export const preface = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n';
const kinds = {
  data: 0,
  headers: 1,
  priority: 2,
  reset: 3,
  settings: 4,
  ping: 6,
  goAway: 7,
  window: 8,
  continuation: 9,
};
export type FrameKind = keyof typeof kinds;
export const [endsStream, endsHeaders, padded] = [1, 4, 8];

export function frame(kind: FrameKind, flags: number, stream: number, payload: Uint8Array = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head[3] = kinds[kind];
  head[4] = flags;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

export const numbered = (value: number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};

/** A length of HPACK with seven bits in its first byte (RFC 7541, 5.1). */
function lengthOf(length: number): Buffer {
  if (length < 127) return Buffer.from([length]);
  const bytes = [127];
  let left = length - 127;
  for (; left >= 128; left >>= 7) bytes.push((left & 127) | 128);
  return Buffer.from([...bytes, left]);
}

/** A header that is not put into the table, in bytes of Latin-1. */
export function literal(name: string, value: string): Buffer {
  const parts = [name, value].flatMap((text) => [lengthOf(text.length), Buffer.from(text, 'latin1')]);
  return Buffer.concat([Buffer.from([0]), ...parts]);
}

export type Fields = readonly (readonly [name: string, value: string])[];

export const encoded = (fields: Fields) => Buffer.concat(fields.map(([name, value]) => literal(name, value)));

/** The head of a request of `x`, pseudo headers first. */
export const fieldsOf = (method: string, path: string, more: Fields = []): Fields => [
  [':method', method],
  [':scheme', 'http'],
  [':path', path],
  [':authority', 'x'],
  ...more,
];

/** A request; without a body it is a whole one. */
export const request = (stream: number, method: 'GET' | 'POST' = 'GET', path = '/a', more: Fields = []) =>
  frame('headers', endsHeaders | (method === 'GET' ? endsStream : 0), stream, encoded(fieldsOf(method, path, more)));

/** A frame that came. */
export interface ReceivedFrame {
  readonly kind: FrameKind | undefined;
  readonly flags: number;
  readonly stream: number;
  readonly payload: Buffer;
}

const names = new Map(Object.entries(kinds).map(([name, kind]) => [kind, name as FrameKind]));

/** A caller that sends what it wants, frame by frame, and keeps the frames that it is answered. */
export class RawCaller {
  readonly #socket: Socket;
  readonly closed: Promise<void>;
  readonly frames: ReceivedFrame[] = [];
  #bytes: Buffer = Buffer.alloc(0);

  constructor(port: number) {
    this.#socket = connect(port, '127.0.0.1');
    this.#socket.on('error', () => undefined);
    this.#socket.on('data', (chunk) => this.#take(chunk));
    this.closed = new Promise((resolve) => this.#socket.once('close', () => resolve()));
    this.send(preface, frame('settings', 0, 0));
  }

  get isClosed(): boolean {
    return this.#socket.destroyed;
  }

  /** What a stream was ended with: its reset code, the text of its answer, or what its connection was ended with. */
  outcomeOf(stream: number): string | undefined {
    const own = this.frames.filter((each) => each.stream === stream);
    const reset = own.find(({ kind }) => kind === 'reset');
    if (reset !== undefined) return `reset ${reset.payload.readUInt32BE(0)}`;
    if (own.some(({ kind, flags }) => (kind === 'data' || kind === 'headers') && (flags & endsStream) !== 0))
      return this.textOf(stream);
    return this.isClosed ? 'closed' : undefined;
  }

  /** The bytes of the body of an answer. */
  textOf(stream: number): string {
    const pieces = this.frames.filter((each) => each.stream === stream && each.kind === 'data');
    return Buffer.concat(pieces.map(({ payload }) => payload)).toString();
  }

  send(...parts: readonly (string | Uint8Array)[]): void {
    for (const part of parts) this.#socket.write(part);
  }

  /** Sends the same again and again, as fast as it is taken, until the connection has ended. */
  async flood(part: (round: number) => Uint8Array): Promise<void> {
    for (let round = 0; !this.isClosed; round++) {
      if (!this.#socket.write(part(round)))
        await Promise.race([new Promise((resolve) => this.#socket.once('drain', resolve)), this.closed]);
      else await new Promise((resolve) => setImmediate(resolve));
    }
  }

  end(): void {
    this.#socket.destroy();
  }

  /** Without a word: what is on its way is refused. */
  cut(): void {
    this.#socket.resetAndDestroy();
  }

  #take(chunk: Buffer): void {
    this.#bytes = this.#bytes.length === 0 ? chunk : Buffer.concat([this.#bytes, chunk]);
    for (;;) {
      const end = this.#bytes.length < 9 ? Number.POSITIVE_INFINITY : 9 + this.#bytes.readUIntBE(0, 3);
      if (this.#bytes.length < end) return;
      // A flood is answered with more than anyone asks about.
      if (this.frames.length < 10_000)
        this.frames.push({
          kind: names.get(this.#bytes[3] as number),
          flags: this.#bytes[4] as number,
          stream: this.#bytes.readUInt32BE(5),
          payload: Buffer.from(this.#bytes.subarray(9, end)),
        });
      this.#bytes = this.#bytes.subarray(end);
    }
  }
}
