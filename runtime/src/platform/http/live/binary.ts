import { Content } from '../../../foundation/contracts/content.ts';
import { Failure } from '../../../foundation/errors/failure.ts';

/** The bytes of a payload whose field `_binary` is what is sent: a file, bytes, or base64. Throws a Failure. */
export function bytesOf({ _binary: content }: Readonly<Record<string, unknown>>): Buffer {
  if (content instanceof Content) return content.bytes.read();
  if (content instanceof Uint8Array) return Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  if (typeof content === 'string') return Buffer.from(content, 'base64');
  throw new Failure('value_refused', '_binary is neither a file, nor bytes, nor base64');
}
