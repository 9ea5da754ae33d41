import type { Readable } from 'node:stream';
import type { Content, ContentLabel } from '../../../foundation/contracts/content.ts';
import type { HttpExchange } from '../../../foundation/contracts/http.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import { Spool } from '../../content/spool.ts';
import { addField } from '../../formats/form.ts';
import { gone, takeChunks, tooLarge } from './body.ts';

/** Most parts of one form. */
const partLimit = 1000;
/** Bytes of the fields of a form that are not files, all together: they are held in memory. */
const fieldBytes = 1024 * 1024;
/** Characters of the name of a file. */
const nameLimit = 255;

export interface MultipartForm {
  /** A field that occurs several times is a list. */
  readonly fields: Record<string, string | string[]>;
  readonly files: Record<string, Content | Content[]>;
  /** Keeps the files. The caller that takes the form closes it. */
  readonly kept: Spool;
}

/**
 * Reads `multipart/form-data` (RFC 7578) of at most `limit` bytes, files and all. Files are kept as they come, and the
 * caller sends no faster than they are. Rejects with `body_undecodable`, `body_too_large` or `cancelled`, and keeps
 * nothing then.
 */
export async function readMultipart(exchange: HttpExchange, limit: number): Promise<MultipartForm> {
  const { request } = exchange;
  if (Number(request.headers['content-length']) > limit) throw tooLarge(limit);
  const { default: busboy } = await import('busboy');
  // A caller that left meanwhile sends nothing any more.
  if (request.destroyed) throw gone();
  const fields = Object.create(null) as MultipartForm['fields'];
  const files = Object.create(null) as MultipartForm['files'];
  const kept = new Spool();
  let parser: ReturnType<typeof busboy>;
  try {
    parser = busboy({
      headers: request.headers,
      defParamCharset: 'utf8',
      limits: { fieldNameSize: 256, fieldSize: fieldBytes, fileSize: limit, parts: partLimit, headerPairs: 50 },
    });
  } catch (cause) {
    throw undecodable(cause);
  }
  const { promise: parsed, resolve, reject } = Promise.withResolvers<void>();
  parsed.catch(() => undefined);
  let inFields = 0;
  let failed = false;
  /** What is written of the chunk that is taken. */
  let writing: (void | Promise<void>)[] = [];
  /** Files that have not come to their end. */
  const open = new Set<Readable>();
  const parts: { readonly name: string; readonly label: ContentLabel; start: number; end: number }[] = [];
  const fail = (failure: unknown) => {
    if (failed) return;
    failed = true;
    parser.destroy();
    reject(failure);
  };
  const keep = (name: string, stream: Readable, label: ContentLabel) => {
    const part = { name, label, start: 0, end: 0 };
    parts.push(part);
    open.add(stream);
    stream.on('data', (piece: Buffer) => {
      // Files hand over what they hold one after another, maybe in a later turn than they began.
      if (part.end === 0) part.start = part.end = kept.size;
      part.end += piece.length;
      try {
        writing.push(kept.append(piece));
      } catch (error) {
        fail(error);
      }
    });
    stream.on('end', () => open.delete(stream));
  };
  parser.on('field', (name, value, { nameTruncated, valueTruncated }) => {
    inFields += Buffer.byteLength(value);
    if (nameTruncated) fail(new Failure('body_undecodable', 'the name of a field is too long'));
    else if (valueTruncated || inFields > fieldBytes)
      fail(new Failure('body_too_large', `the fields of the form are larger than ${fieldBytes} bytes`));
    else addField(fields, name, value);
  });
  parser.on('file', (name: string | undefined, stream, { filename = '', mimeType }) => {
    stream.on('error', () => undefined);
    if (name === undefined) fail(new Failure('body_undecodable', 'a file of the form has no name'));
    else if (name.length > nameLimit || filename.length > nameLimit)
      fail(new Failure('body_undecodable', 'the name of a file is too long'));
    if (failed || name === undefined) return void stream.resume();
    keep(name, stream, { filename, contentType: mimeType });
  });
  parser.on('partsLimit', () => fail(new Failure('body_too_large', `the form has more than ${partLimit} parts`)));
  parser.on('error', (cause) => fail(undecodable(cause)));
  parser.on('close', () => resolve());
  const take = async (chunk: Buffer) => {
    await Promise.race([new Promise<void>((taken) => parser.write(chunk, () => taken())), parsed]);
    // A file that has only begun hands over what waits in it in a later turn.
    while (!failed && [...open].some(({ readableLength }) => readableLength > 0))
      await new Promise((later) => setImmediate(later));
    await Promise.all(writing);
    writing = [];
    // A field that has not come to its end is kept as parts of the chunks.
    return open.size > 0;
  };
  try {
    await takeChunks(exchange, limit, take);
    parser.end();
    await parsed;
    await Promise.all(writing);
    for (const { name, start, end, label } of parts) addField(files, name, await kept.content(start, label, end));
  } catch (error) {
    fail(error);
    kept.close();
    throw error;
  }
  return { fields, files, kept };
}

function undecodable(cause: unknown): Failure {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new Failure('body_undecodable', `the form cannot be read: ${reason}`, { cause });
}
