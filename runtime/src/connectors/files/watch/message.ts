import { Fields } from '@svc/protocol/cel';
import { anonymous } from '../../../foundation/contracts/message.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import { messageBudget } from '../../../platform/formats/budget.ts';
import type { Row } from '../../../platform/formats/files/file-format.ts';
import { isFileFormat } from '../../../platform/formats/files/names.ts';
import { fileFormatOf, formatOfFile } from '../../../platform/formats/files/registry.ts';
import type { Codec } from '../../../platform/formats/registry.ts';
import type { MessageContent } from '../../intake/driver.ts';
import { timeOf } from '../answers.ts';
import type { Engine } from '../engine.ts';
import { nameOf } from '../path.ts';
import type { Entry } from '../store.ts';
import { versionOf } from './tracked.ts';

/**
 * The message of a file: what is known of it, and its rows. A file that cannot be read as its format says is a message all
 * the same, with the reason in `_error`; one that has gone, that is written to while it is read, or that the store does not
 * give now, rejects.
 */
export async function messageOf(
  engine: Engine,
  entry: Entry,
  event: 'created' | 'modified',
  codec: Codec | undefined,
): Promise<MessageContent> {
  const { path, size, modified } = entry;
  const input = new Fields() as Record<string, unknown>;
  try {
    const rows = await rowsOf(engine, entry, codec);
    if (rows.length === 1) Object.assign(input, rows[0]);
    else input['rows'] = rows;
  } catch (error) {
    if (!(error instanceof Failure) || !unreadable.includes(error.code)) throw error;
    input['_error'] = error.message;
  }
  const known = { _path: path, _name: nameOf(path), _size: BigInt(size), _mod_time: timeOf(modified), _event: event };
  // What is known of the file wins over columns of the same names, which come from its author.
  return { input: Object.assign(input, known), auth: anonymous, addressed: [] };
}

const unreadable: readonly string[] = ['body_undecodable', 'body_too_large', 'media_type_unsupported'];

async function rowsOf(engine: Engine, entry: Entry, codec: Codec | undefined): Promise<readonly Row[]> {
  const { path, size } = entry;
  if (size > engine.maxRead)
    throw new Failure('body_too_large', `the file has ${size} bytes, and ${engine.maxRead} are read (max_read)`);
  const named = codec !== undefined && isFileFormat(codec.name) ? codec.name : undefined;
  const format = await fileFormatOf(named ?? formatOfFile(path) ?? engine.format);
  const { exchange, end } = engine.exchanges.begin(undefined);
  try {
    const store = engine.store();
    const file = await store.open(path, exchange);
    try {
      refuseOther(entry, file.entry);
      const rows: Row[] = [];
      for await (const row of format.rows(file.stream(), {
        ...engine.style,
        budget: messageBudget,
        name: nameOf(path),
        signal: exchange.signal,
      }))
        rows.push(row);
      const after = await store.stat(path, exchange);
      if (after !== undefined) refuseOther(entry, after);
      return rows;
    } finally {
      file.close();
    }
  } finally {
    end();
  }
}

/** What was read while others wrote would be half of one version and half of another. */
function refuseOther(expected: Entry, found: Entry): void {
  if (versionOf(expected) === versionOf(found)) return;
  const message = `"${expected.path}" was changed before it was read: it is taken when it has come to rest`;
  throw new Failure('connector_failed', message, { retriable: true });
}
