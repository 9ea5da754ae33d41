import { BSON } from 'mongodb';
import { reduced, typed } from './doubles.ts';

/** A document as it is on the wire and in a collection. */
export type Fields = Record<string, unknown>;

/** One command of a client. */
export interface Command {
  /** Identifies the request in its answer. */
  readonly request: number;
  /** The old opcode of a first greeting, which is answered by its own. */
  readonly isLegacy: boolean;
  readonly fields: Fields;
}

const opcodes = { reply: 1, query: 2004, message: 2013 } as const;
const headerBytes = 16;
const checksumFlag = 1;

/** A document of bytes, whose numbers are plain but for integers of more than 32 bits. */
export function readDocument(bytes: Uint8Array): Fields {
  return reduced(BSON.deserialize(bytes, { promoteValues: false, promoteLongs: false })) as Fields;
}

export function writeDocument(fields: Fields): Uint8Array {
  return BSON.serialize(typed(fields) as Fields, { ignoreUndefined: true });
}

/** Divides the bytes of a connection into messages; the rest waits for more. */
export class MessageReader {
  #pieces: Buffer[] = [];
  #size = 0;

  *read(piece: Buffer): Generator<Command> {
    this.#pieces.push(piece);
    this.#size += piece.length;
    for (;;) {
      const [first] = this.#pieces;
      if (this.#size < headerBytes || (first !== undefined && first.length >= 4 && this.#size < first.readInt32LE(0)))
        return;
      const bytes = Buffer.concat(this.#pieces);
      const length = bytes.readInt32LE(0);
      this.#pieces = [bytes];
      if (bytes.length < length) return;
      this.#pieces = [bytes.subarray(length)];
      this.#size = bytes.length - length;
      yield commandOf(bytes.subarray(0, length));
    }
  }
}

function commandOf(message: Buffer): Command {
  const request = message.readInt32LE(4);
  const opcode = message.readInt32LE(12);
  if (opcode === opcodes.query) {
    const name = message.indexOf(0, headerBytes + 4);
    const fields = readDocument(message.subarray(name + 9));
    return { request, isLegacy: true, fields: { ...fields, $db: 'admin' } };
  }
  if (opcode !== opcodes.message) throw new Error(`opcode ${opcode} is not known`);
  const hasChecksum = (message.readUInt32LE(headerBytes) & checksumFlag) !== 0;
  return { request, isLegacy: false, fields: sectionsOf(message, message.length - (hasChecksum ? 4 : 0)) };
}

/** The body of a message, and the sequences of documents beside it under their names. */
function sectionsOf(message: Buffer, end: number): Fields {
  const sequences: Fields = {};
  let body: Fields = {};
  for (let at = headerBytes + 4; at < end; ) {
    const kind = message[at++];
    const length = message.readInt32LE(at);
    if (kind === 0) body = readDocument(message.subarray(at, at + length));
    else {
      const nameEnd = message.indexOf(0, at + 4);
      sequences[message.toString('utf8', at + 4, nameEnd)] = documentsOf(message.subarray(nameEnd + 1, at + length));
    }
    at += length;
  }
  return { ...body, ...sequences };
}

function documentsOf(bytes: Buffer): Fields[] {
  const documents: Fields[] = [];
  for (let at = 0; at < bytes.length; at += bytes.readInt32LE(at))
    documents.push(readDocument(bytes.subarray(at, at + bytes.readInt32LE(at))));
  return documents;
}

/** The bytes that answer a command. */
export function answerTo({ request, isLegacy }: Command, fields: Fields): Buffer {
  const document = writeDocument(fields);
  // A reply has flags, a cursor, an offset and a count before its document; a message has flags and the kind of section.
  const head = Buffer.alloc(headerBytes + (isLegacy ? 20 : 5));
  head.writeInt32LE(head.length + document.length, 0);
  head.writeInt32LE(request, 8);
  head.writeInt32LE(isLegacy ? opcodes.reply : opcodes.message, 12);
  if (isLegacy) {
    head.writeInt32LE(8, headerBytes);
    head.writeInt32LE(1, headerBytes + 16);
  }
  return Buffer.concat([head, document]);
}
