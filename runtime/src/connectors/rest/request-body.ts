import type { ContentLabel } from '../../foundation/contracts/content.ts';
import type { HttpExchange } from '../../foundation/contracts/http.ts';
import { Failure } from '../../foundation/errors/failure.ts';
import type { Spool } from '../../platform/content/spool.ts';
import { decodeBody } from '../../platform/formats/decode.ts';
import { type Codec, codecOf, type FormatName, formatOf, isFormat } from '../../platform/formats/registry.ts';
import { hasBody } from '../../platform/http/body/announced.ts';
import { keepBody, readBody } from '../../platform/http/body/body.ts';
import { forwardBody } from '../../platform/http/body/forwarded-body.ts';
import { type MediaType, parseMediaType } from '../../platform/http/body/media-type.ts';
import { type MultipartForm, readMultipart } from '../../platform/http/body/multipart.ts';

/** What a request carries besides path, query and headers. */
export interface RequestBody {
  readonly fields: Readonly<Record<string, unknown>> | undefined;
  readonly files: MultipartForm['files'] | undefined;
  /** What the files are kept in, which the code that takes the body closes. */
  readonly kept: Pick<Spool, 'close'> | undefined;
}

export const noBody: RequestBody = { fields: undefined, files: undefined, kept: undefined };

/** Decodes the body of a request and calls back once, synchronously without one. */
export type BodyReader = (exchange: HttpExchange, done: (body: RequestBody | Failure) => void) => void;

/** In what formats one flow takes bodies, and how large they may be. */
export interface BodyRules {
  /** The flow's own format, in which its bodies are read whatever their Content-Type. */
  readonly format: FormatName | undefined;
  /** The connector's format, for bodies without a Content-Type that decides. */
  readonly assumed: FormatName;
  /** Formats that a Content-Type may name, `assumed` beside them. */
  readonly named: readonly FormatName[];
  readonly method: string;
  /** Bytes. */
  readonly limit: number;
  /** Bytes of a form with files, and of a body that stays bytes. */
  readonly uploadLimit: number;
  /** Whether bytes are forwarded as they come: asked for each request. */
  readonly forwards: () => boolean;
}

/** Decodes the bodies of one flow: forms with files apart, the others by the rules in written order. */
export function bodyReader({ format, assumed, named, method, limit, uploadLimit, forwards }: BodyRules): BodyReader {
  const accepted: ReadonlySet<FormatName> = new Set([assumed, ...named]);
  const loaded = new Map<FormatName, Codec>();
  return (exchange, done) => {
    const { headers } = exchange.request;
    const isAnnounced = format === 'binary' && headers['content-length'] !== undefined;
    if (!isAnnounced && !hasBody(exchange.request)) return done(noBody);
    const encoding = headers['content-encoding'];
    if (encoding !== undefined && encoding.toLowerCase() !== 'identity')
      return done(unsupported(`a body with Content-Encoding ${encoding} is not accepted`));
    const written = headers['content-type'];
    if (written === undefined && method === 'QUERY') return done(unsupported('QUERY requires a Content-Type header'));
    const mediaType = written === undefined ? undefined : parseMediaType(written);
    if (written !== undefined && mediaType === undefined)
      return done(unsupported('the Content-Type of the body is malformed'));
    if (format === 'binary') {
      const read = forwards() ? forwardBytes : keepBytes;
      read(exchange, uploadLimit, { filename: '', contentType: mediaType?.type ?? '' }).then(done, done);
      return;
    }
    if (mediaType?.type === 'multipart/form-data' && (format !== undefined || accepted.has('form'))) {
      readMultipart(exchange, uploadLimit).then(done, done);
      return;
    }
    const name = format ?? (mediaType === undefined ? assumed : formatOf(mediaType.type));
    if (name === undefined || (format === undefined && !accepted.has(name)))
      return done(unsupported(refusalOf(mediaType?.type, name)));
    const codec = loaded.get(name) ?? codecOf(name);
    readBody(exchange, limit, (bytes) => {
      if (bytes instanceof Failure) return done(bytes);
      if (!(codec instanceof Promise)) return decode(bytes, codec, mediaType, done);
      codec.then((late) => {
        loaded.set(name, late);
        decode(bytes, late, mediaType, done);
      }, done);
    });
  };
}

/** Field of the message in which a body is that stays bytes. */
export const bytesField = 'body';

/** The bytes as a file, in `input.body`; a body of no bytes is an empty file. */
async function keepBytes(exchange: HttpExchange, limit: number, label: ContentLabel): Promise<RequestBody> {
  const kept = await keepBody(exchange, limit);
  const body = await kept.content(0, label);
  return { fields: { [bytesField]: body }, files: undefined, kept };
}

/** The same for the one place that takes them, while they come. */
async function forwardBytes(exchange: HttpExchange, limit: number, label: ContentLabel): Promise<RequestBody> {
  const passage = forwardBody(exchange, limit);
  return { fields: { [bytesField]: passage.content(label) }, files: undefined, kept: passage };
}

/** What is not accepted, and how the service would accept it. */
function refusalOf(type: string | undefined, format: FormatName | undefined): string {
  const refused = `a body of type ${type} is not accepted`;
  if (format === undefined) return refused;
  const flow = isFormat(format) ? `format = "${format}" in the \`from\` block of the flow, or ` : '';
  return `${refused}; to accept it, write ${flow}"${format}" in body_formats of the connector`;
}

function decode(
  bytes: Buffer,
  codec: Codec,
  mediaType: MediaType | undefined,
  done: (body: RequestBody | Failure) => void,
): void {
  if (bytes.length === 0) return done(noBody);
  const failed = (error: unknown) =>
    done(
      error instanceof Failure
        ? error
        : new Failure('body_undecodable', `the body is not valid ${codec.name}`, { cause: error }),
    );
  let value: unknown;
  try {
    value = decodeBody(codec, bytes, { charset: mediaType?.parameters.get('charset') });
  } catch (error) {
    return failed(error);
  }
  if (value instanceof Promise) value.then((late) => done(bodyOf(late)), failed);
  else done(bodyOf(value));
}

function bodyOf(value: unknown): RequestBody {
  return { fields: fieldsOf(value), files: undefined, kept: undefined };
}

/** A list is in `items`, a scalar in `value`. */
function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  if (Array.isArray(value)) return { items: value };
  if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
  return { value };
}

function unsupported(message: string): Failure {
  return new Failure('media_type_unsupported', message);
}
