import { Content } from '../../foundation/contracts/content.ts';
import { Failure } from '../../foundation/errors/failure.ts';

type Payload = Readonly<Record<string, unknown>>;

/** A body of bytes, with the headers that say what they are. */
export interface BytesBody {
  readonly body: Uint8Array | Content;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * The body that a payload with `_binary` is: a file as it is kept, bytes, or base64. Its type is `_content_type`, else that
 * of the file. Throws `value_refused` for anything else.
 */
export function bytesOf({ _binary: content, _content_type: written }: Payload): BytesBody {
  const body = typeof content === 'string' ? Buffer.from(content, 'base64') : content;
  if (!(body instanceof Uint8Array) && !(body instanceof Content))
    throw new Failure('value_refused', '_binary is neither a file, nor bytes, nor base64');
  const own = body instanceof Content ? body.content_type : '';
  const type = typeof written === 'string' && written !== '' ? written : own;
  return { body, headers: { 'content-type': type || 'application/octet-stream' } };
}
