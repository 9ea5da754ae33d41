import type { SpokenForm } from '@svc/protocol/schema';

/** What OpenSSL says of bytes that are not a record of TLS. */
const noRecord =
  /^(?:ERR_SSL_)?(?:WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|RECORD_LAYER_FAILURE|UNEXPECTED_MESSAGE)$/;

/** Whether an error says that a server answered TLS with something else. */
export function isAnsweredInClear(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code } = error as Error & { readonly code?: unknown };
  if (typeof code === 'string' && noRecord.test(code)) return true;
  return /SSL routines:[^:]*:(?:wrong version number|packet length too long)/.test(error.message);
}

export const answeredInClear = 'the server does not speak TLS at this port, or not from the first byte';

/** How a server is spoken to whose address is a text that begins with `http`. */
export function httpForm(attribute: string, address: unknown): SpokenForm | undefined {
  const url = typeof address === 'string' ? URL.parse(address) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) return undefined;
  const isSecure = url.protocol === 'https:';
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: Number(url.port) || (isSecure ? 443 : 80),
    tls: isSecure ? 'first' : 'never',
    otherwise: `write ${isSecure ? 'http' : 'https'}:// in ${attribute}`,
  };
}
