import type { Readable } from 'node:stream';
import { Spool } from '../content/spool.ts';
import type { Content } from '../contracts/content.ts';
import type { HttpExchange } from '../contracts/http.ts';
import { Failure } from '../errors/failure.ts';
import { addField } from '../formats/form.ts';
import { gone, tooLarge } from './body.ts';

/** Most parts of one form. */
const partLimit = 1000;
/** Bytes of the fields of a form that are no files, all together: they are held in memory. */
const fieldBytes = 1024 * 1024;
/** Characters of the name of a file. */
const nameLimit = 255;

export interface MultipartForm {
  /** A field that occurs several times is a list. */
  readonly fields: Record<string, string | string[]>;
  readonly files: Record<string, Content | Content[]>;
  /** Keeps the files. Whoever takes the form closes it. */
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
  // A caller that left meanwhile says nothing any more.
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
  exchange.takeBody();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let [received, inFields] = [0, 0];
  let failed = false;
  /** Files are written one after another, in the order of the form. */
  let writing = Promise.resolve();
  const fail = (failure: unknown) => {
    if (failed) return;
    failed = true;
    request.unpipe(parser);
    parser.destroy();
    exchange.leaveBody();
    reject(failure);
  };
  const keep = async (name: string, stream: Readable, filename: string, contentType: string) => {
    const start = kept.size;
    for await (const chunk of stream as AsyncIterable<Buffer>) await kept.append(chunk);
    addField(files, name, await kept.content(start, { filename, contentType }));
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
    writing = writing.then(() => (failed ? undefined : keep(name, stream, filename, mimeType)));
    writing.catch((cause: unknown) => fail(cause instanceof Failure ? cause : undecodable(cause)));
  });
  parser.on('partsLimit', () => fail(new Failure('body_too_large', `the form has more than ${partLimit} parts`)));
  parser.on('error', (cause) => fail(undecodable(cause)));
  parser.on('close', () => resolve());
  request.on('data', (chunk: Buffer) => {
    received += chunk.length;
    if (received > limit) fail(tooLarge(limit));
  });
  request.on('error', () => fail(gone()));
  request.on('close', () => {
    if (!request.complete) fail(gone());
  });
  request.pipe(parser);
  try {
    await promise;
    await writing;
  } catch (error) {
    kept.close();
    throw error;
  }
  return { fields, files, kept };
}

function undecodable(cause: unknown): Failure {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new Failure('body_undecodable', `the form cannot be read: ${reason}`, { cause });
}
