/** Reads the primitive types of the Kafka protocol, before its flexible versions. */
export class Reader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  int8(): number {
    return this.#bytes.readInt8(this.#move(1));
  }

  int16(): number {
    return this.#bytes.readInt16BE(this.#move(2));
  }

  int32(): number {
    return this.#bytes.readInt32BE(this.#move(4));
  }

  int64(): bigint {
    return this.#bytes.readBigInt64BE(this.#move(8));
  }

  boolean(): boolean {
    return this.int8() !== 0;
  }

  /** Empty for null. */
  text(): string {
    const length = this.int16();
    return length < 0 ? '' : this.#take(length).toString('utf8');
  }

  /** Empty for null. */
  bytes(): Buffer {
    const length = this.int32();
    return length < 0 ? Buffer.alloc(0) : this.#take(length);
  }

  /** Undefined for null. */
  list<T>(read: () => T): T[] | undefined {
    const length = this.int32();
    return length < 0 ? undefined : Array.from({ length }, read);
  }

  #take(length: number): Buffer {
    const from = this.#move(length);
    return this.#bytes.subarray(from, from + length);
  }

  #move(length: number): number {
    const at = this.#at;
    if (at + length > this.#bytes.length) throw new RangeError('the request ends too early');
    this.#at += length;
    return at;
  }
}

/** Writes the primitive types of the Kafka protocol, before its flexible versions. */
export class Writer {
  readonly #pieces: Buffer[] = [];

  int8(value: number): this {
    return this.#add(1, (piece) => piece.writeInt8(value));
  }

  int16(value: number): this {
    return this.#add(2, (piece) => piece.writeInt16BE(value));
  }

  int32(value: number): this {
    return this.#add(4, (piece) => piece.writeInt32BE(value));
  }

  int64(value: bigint): this {
    return this.#add(8, (piece) => piece.writeBigInt64BE(value));
  }

  boolean(value: boolean): this {
    return this.int8(value ? 1 : 0);
  }

  text(value: string | undefined): this {
    if (value === undefined) return this.int16(-1);
    const bytes = Buffer.from(value);
    this.int16(bytes.length);
    this.#pieces.push(bytes);
    return this;
  }

  bytes(value: Buffer): this {
    this.int32(value.length);
    this.#pieces.push(value);
    return this;
  }

  list<T>(values: readonly T[], write: (value: T) => unknown): this {
    this.int32(values.length);
    for (const value of values) write(value);
    return this;
  }

  finish(): Buffer {
    return Buffer.concat(this.#pieces);
  }

  #add(length: number, write: (piece: Buffer) => void): this {
    const piece = Buffer.alloc(length);
    write(piece);
    this.#pieces.push(piece);
    return this;
  }
}

/** A request without its header. */
export interface Request {
  readonly api: number;
  readonly version: number;
  readonly correlation: number;
  readonly client: string;
  readonly body: Reader;
}

/** Takes the pieces of a connection, and gives the requests in them. */
export class RequestReader {
  #rest = Buffer.alloc(0);

  *push(piece: Buffer): Generator<Request> {
    this.#rest = Buffer.concat([this.#rest, piece]);
    while (this.#rest.length >= 4) {
      const length = this.#rest.readInt32BE(0);
      if (this.#rest.length < 4 + length) return;
      const body = new Reader(this.#rest.subarray(4, 4 + length));
      this.#rest = this.#rest.subarray(4 + length);
      const [api, version, correlation] = [body.int16(), body.int16(), body.int32()];
      yield { api, version, correlation, client: body.text(), body };
    }
  }
}

/** A response with its length and header. */
export function responseOf(correlation: number, body: Buffer): Buffer {
  const header = Buffer.alloc(8);
  header.writeInt32BE(body.length + 4, 0);
  header.writeInt32BE(correlation, 4);
  return Buffer.concat([header, body]);
}
