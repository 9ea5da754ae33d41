import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** Who may open the debug endpoint (docs/specification/debugging.md#access). */
export interface AccessRules {
  /** False: it does not exist. */
  readonly enabled: boolean;
  /** Whether loopback peers may come without the token. */
  readonly trustsLoopback: boolean;
  readonly token: string;
  /** The one value of `Origin` that is accepted; undefined when no value is. */
  readonly origin: string | undefined;
}

/** No client may connect over a socket. */
export const notServed: AccessRules = { enabled: false, trustsLoopback: false, token: '', origin: undefined };

/** A refusal; undefined lets the request in. */
export interface Refusal {
  readonly status: 401 | 403 | 404 | 421;
  readonly reason: string;
}

const protocolPrefix = 'svc.token.';

/** Decides about one upgrade before anything of it is read. */
export function refusalOf(request: IncomingMessage, rules: AccessRules): Refusal | undefined {
  if (!rules.enabled) return { status: 404, reason: 'not found' };
  const { origin } = request.headers;
  if (origin !== undefined && origin !== rules.origin)
    return { status: 403, reason: 'web pages may not open the debug endpoint' };
  const given = tokenOf(request);
  if (given !== undefined)
    return isEqual(given, rules.token) ? undefined : { status: 401, reason: 'the debug token is wrong' };
  const needsToken: Refusal = { status: 401, reason: 'the debug token is needed' };
  if (!rules.trustsLoopback || origin !== undefined || !isLoopback(request.socket.remoteAddress ?? ''))
    return needsToken;
  if (isForwarded(request)) return needsToken;
  return namesLoopback(request) ? undefined : { status: 421, reason: 'the Host does not name this machine' };
}

/** The subprotocol that answers what a client offered: a name that is not a secret, where it offered one. */
export function subprotocolOf(offered: ReadonlySet<string>): string | false {
  const names = [...offered];
  return names.find((name) => !name.startsWith(protocolPrefix)) ?? names[0] ?? false;
}

function tokenOf({ headers }: IncomingMessage): string | undefined {
  const bearer = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1];
  if (bearer !== undefined) return bearer;
  const offered = (headers['sec-websocket-protocol'] ?? '').split(',').map((name) => name.trim());
  return offered.find((name) => name.startsWith(protocolPrefix))?.slice(protocolPrefix.length);
}

function isEqual(given: string, token: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(token));
}

function isLoopback(address: string): boolean {
  const plain = address.replace(/^::ffff:/i, '');
  return plain === '::1' || /^127(?:\.\d{1,3}){3}$/.test(plain);
}

function isForwarded({ headers }: IncomingMessage): boolean {
  return Object.keys(headers).some((name) => name === 'forwarded' || name.startsWith('x-forwarded-'));
}

/** Exactly one `Host`, of the loopback interface, with any port. */
function namesLoopback({ rawHeaders }: IncomingMessage): boolean {
  const hosts = rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === 'host');
  return hosts.length === 1 && /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i.test(hosts[0] as string);
}
