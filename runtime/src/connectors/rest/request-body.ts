import { Failure } from '../../errors/failure.ts';
import { type Codec, codecOf, type FormatName, formatOf } from '../../formats/registry.ts';
import { textOf } from '../../formats/text.ts';
import { readBody } from '../../http/body.ts';
import { type Exchange, hasBody } from '../../http/exchange.ts';
import { type MediaType, parseMediaType } from '../../http/media-type.ts';
import { type MultipartForm, readMultipart } from '../../http/multipart.ts';

/** What a request brought along besides path, query and headers. */
export interface RequestBody {
  readonly fields: Readonly<Record<string, unknown>> | undefined;
  readonly files: MultipartForm['files'] | undefined;
}

const nothing: RequestBody = { fields: undefined, files: undefined };

/** Decodes the body of a request and calls back once, at once when there is none. */
export type BodyReader = (exchange: Exchange, done: (body: RequestBody | Failure) => void) => void;

/**
 * How bodies of one flow are decoded: forms with files by themselves, else by the flow's format, the Content-Type,
 * the connector's format, in this order (supplement-flows 3.22).
 */
export function bodyReader(
  format: FormatName | undefined,
  connectorFormat: FormatName,
  method: string,
  limit: number,
): BodyReader {
  const loaded = new Map<FormatName, Codec>();
  return (exchange, done) => {
    if (!hasBody(exchange.request)) return done(nothing);
    const { headers } = exchange.request;
    const encoding = headers['content-encoding'];
    if (encoding !== undefined && encoding.toLowerCase() !== 'identity')
      return done(unsupported(`a body with Content-Encoding ${encoding} is not accepted`));
    const written = headers['content-type'];
    if (written === undefined && method === 'QUERY') return done(unsupported('QUERY requires a Content-Type header'));
    const mediaType = written === undefined ? undefined : parseMediaType(written);
    if (written !== undefined && mediaType === undefined)
      return done(unsupported('the Content-Type of the body is malformed'));
    if (mediaType?.type === 'multipart/form-data') {
      readMultipart(exchange).then(done, done);
      return;
    }
    const name = format ?? formatIn(mediaType, connectorFormat);
    if (name === undefined) return done(unsupported(`a body of type ${mediaType?.type} is not accepted`));
    const codec = loaded.get(name) ?? codecOf(name);
    readBody(exchange, limit, (bytes) => {
      if (bytes instanceof Failure) return done(bytes);
      if (!(codec instanceof Promise)) return done(decoded(bytes, codec, mediaType));
      codec
        .then((late) => {
          loaded.set(name, late);
          return decoded(bytes, late, mediaType);
        })
        .then(done, done);
    });
  };
}

function formatIn(mediaType: MediaType | undefined, fallback: FormatName): FormatName | undefined {
  return mediaType === undefined ? fallback : formatOf(mediaType.type);
}

function decoded(bytes: Buffer, codec: Codec, mediaType: MediaType | undefined): RequestBody | Failure {
  if (bytes.length === 0) return nothing;
  try {
    const value = codec.decode(textOf(bytes, mediaType?.parameters.get('charset')));
    return { fields: fieldsOf(value), files: undefined };
  } catch (error) {
    if (error instanceof Failure) return error;
    return new Failure('body_undecodable', `the body is not valid ${codec.name}`, { cause: error });
  }
}

/** A list stands in `items`, a scalar in `value` (supplement-flows 3.22). */
function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  if (Array.isArray(value)) return { items: value };
  if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
  return { value };
}

function unsupported(message: string): Failure {
  return new Failure('media_type_unsupported', message);
}
