import type { HttpExchange } from '../contracts/http.ts';
import { Failure } from '../errors/failure.ts';
import { addField } from '../formats/form.ts';
import { gone, tooLarge } from './body.ts';

/** Largest upload, all parts together (document 1, Limits). */
export const uploadLimit = 32 * 1024 * 1024;
/** Most parts of one form. */
const partLimit = 1000;

/** An uploaded file as flows see it. */
export interface UploadedFile {
  readonly filename: string;
  readonly content_type: string;
  /** Bytes, an integer. */
  readonly size: bigint;
  /** Base64. */
  readonly data: string;
}

export interface MultipartForm {
  /** A field that occurs several times is a list. */
  readonly fields: Record<string, string | string[]>;
  readonly files: Record<string, UploadedFile | UploadedFile[]>;
}

/** Reads `multipart/form-data` (RFC 7578). Rejects with `body_undecodable`, `body_too_large` or `cancelled`. */
export async function readMultipart(exchange: HttpExchange): Promise<MultipartForm> {
  const { request } = exchange;
  if (Number(request.headers['content-length']) > uploadLimit) throw tooLarge(uploadLimit);
  const { default: busboy } = await import('busboy');
  // A caller that left meanwhile says nothing any more.
  if (request.destroyed) throw gone();
  const fields = Object.create(null) as MultipartForm['fields'];
  const files = Object.create(null) as MultipartForm['files'];
  let parser: ReturnType<typeof busboy>;
  try {
    parser = busboy({
      headers: request.headers,
      defParamCharset: 'utf8',
      limits: { fieldNameSize: 256, fieldSize: uploadLimit, fileSize: uploadLimit, parts: partLimit, headerPairs: 50 },
    });
  } catch (cause) {
    throw new Failure('body_undecodable', `the form cannot be read: ${messageOf(cause)}`, { cause });
  }
  exchange.takeBody();
  return new Promise((resolve, reject) => {
    let received = 0;
    let failed = false;
    const fail = (failure: Failure) => {
      if (failed) return;
      failed = true;
      request.unpipe(parser);
      parser.destroy();
      exchange.leaveBody();
      reject(failure);
    };
    parser.on('field', (name, value, { nameTruncated }) => {
      if (nameTruncated) fail(new Failure('body_undecodable', 'the name of a field is too long'));
      else addField(fields, name, value);
    });
    parser.on('file', (name, stream, { filename, mimeType }) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('error', (cause) => fail(new Failure('body_undecodable', messageOf(cause), { cause })));
      stream.on('end', () => {
        const bytes = Buffer.concat(chunks);
        const data = bytes.toString('base64');
        addField(files, name, { filename, content_type: mimeType, size: BigInt(bytes.length), data });
      });
    });
    parser.on('partsLimit', () => fail(new Failure('body_too_large', `the form has more than ${partLimit} parts`)));
    parser.on('error', (cause) =>
      fail(new Failure('body_undecodable', `the form cannot be read: ${messageOf(cause)}`, { cause })),
    );
    parser.on('close', () => resolve({ fields, files }));
    request.on('data', (chunk: Buffer) => {
      received += chunk.length;
      if (received > uploadLimit) fail(tooLarge(uploadLimit));
    });
    request.on('error', () => fail(gone()));
    request.on('close', () => {
      if (!request.complete) fail(gone());
    });
    request.pipe(parser);
  });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
