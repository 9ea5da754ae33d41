import type { AbstractCursor } from 'mongodb';
import { Failure } from '../../../foundation/errors/failure.ts';
import { decodeDocument, readBytes } from './documents/decoder.ts';
import type { Types } from './documents/encoder.ts';

/** How much one read may answer. */
export interface Bounds {
  /** Documents. */
  readonly rows: number;
  /** Bytes of all documents together, as the server sends them. */
  readonly bytes: number;
}

export interface Rows extends Bounds {
  readonly types: Pick<Types, 'BSON'>;
  readonly exact: boolean;
  /** Where it is written, for messages. */
  readonly where: string;
}

/** The documents of a cursor, which ends with them. Fails when there are more than one read may answer. */
export async function readRows(
  cursor: AbstractCursor<object>,
  { rows: most, bytes: mostBytes, types, exact, where }: Rows,
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const found: Readonly<Record<string, unknown>>[] = [];
  let bytes = 0;
  try {
    for await (const document of cursor) {
      bytes += (document as Uint8Array).byteLength;
      if (found.length === most) throw tooMany(where, `found more than ${most} documents`, 'max_rows');
      if (bytes > mostBytes) throw tooMany(where, `found more than ${mostBytes} bytes of documents`, 'max_response');
      found.push(decodeDocument(readBytes(document, types), exact));
    }
    return found;
  } finally {
    await cursor.close().catch(() => undefined);
  }
}

function tooMany(where: string, problem: string, attribute: string): Failure {
  return new Failure(
    'connector_failed',
    `${where}: it ${problem}; read a part of them with \`limit\` and \`offset\`, or raise \`${attribute}\``,
    { retriable: false },
  );
}
