import type { IncomingMessage } from 'node:http';

const prefix = 'bearer.';
const protocols = 'sec-websocket-protocol';

/**
 * Takes the token that a page sends as the sub-protocol `bearer.<token>`, since it cannot set headers: the request carries it
 * in `Authorization` from then on, unless it has that header already. The sub-protocol itself is not seen again, so that it is
 * neither chosen nor answered.
 */
export function takeProtocolToken({ headers, rawHeaders }: Pick<IncomingMessage, 'headers' | 'rawHeaders'>): void {
  const offered = headers[protocols];
  if (offered === undefined || !offered.toLowerCase().includes(prefix)) return;
  const words = offered.split(',').map((word) => word.trim());
  const tokens = words.filter(isToken);
  const others = words.filter((word) => !isToken(word)).join(', ');
  for (let at = rawHeaders.length - 2; at >= 0; at -= 2)
    if (rawHeaders[at]?.toLowerCase() === protocols) rawHeaders.splice(at, 2);
  delete headers[protocols];
  if (others !== '') {
    headers[protocols] = others;
    rawHeaders.push('Sec-WebSocket-Protocol', others);
  }
  // Two of them leave open who calls: together they are a credential that no one accepts.
  const credential = tokens.map((word) => decoded(word.slice(prefix.length))).join(' ');
  if (headers.authorization === undefined && tokens.length > 0) headers.authorization = `Bearer ${credential}`;
}

function isToken(word: string): boolean {
  return word.slice(0, prefix.length).toLowerCase() === prefix;
}

/** A token with dots, such as a JWT, is written as it is; any other one in base64url. */
function decoded(word: string): string {
  if (word.includes('.')) return word;
  const bytes = Buffer.from(word, 'base64url');
  const text = bytes.toString('latin1');
  return bytes.toString('base64url') === word && /^[\x21-\x7e]+$/.test(text) ? text : word;
}
