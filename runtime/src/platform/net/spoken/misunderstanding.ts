import { isIP } from 'node:net';
import { connect } from 'node:tls';
import type { SpokenForm } from '@svc/protocol/schema';
import { hostAndPort } from '../server-url.ts';

/** Milliseconds for the first answer of a server. */
const longestAnswer = 2_000;

/** What clients say of a server that refuses to begin TLS within a connection. */
const hasNoTls = /does not support (?:SSL|secure|'tls')|AUTH TLS is refused|with STARTTLS/i;

/**
 * Why a server and a connector do not understand each other, and what its author writes; undefined where they do, as far as
 * can be seen. `said` is what was said when they failed.
 */
export async function misunderstanding(
  { host, port, tls, otherwise, without }: SpokenForm,
  said: string,
): Promise<string | undefined> {
  const at = hostAndPort(host, port);
  if (tls === 'later' && without !== undefined && hasNoTls.test(said)) return `${at} has no TLS: ${without}`;
  const found = await firstAnswer(host, port);
  if (tls !== 'first') return found === 'tls' ? `${at} speaks TLS from the first byte: ${otherwise}` : undefined;
  if (found === 'clear') return `${at} does not speak TLS from the first byte: ${otherwise}`;
  return found === 'silence' ? `${at} does not answer TLS; where it speaks in clear, ${otherwise}` : undefined;
}

/**
 * What a server answers to the first bytes of TLS: TLS, which a refusal is too; something else, or the end of the connection;
 * nothing. Undefined where there is no connection.
 */
function firstAnswer(host: string, port: number): Promise<'tls' | 'clear' | 'silence' | undefined> {
  return new Promise((resolve) => {
    // Nothing is sent over it, so that it does not matter whose certificate comes.
    const socket = connect({ host, port, rejectUnauthorized: false, ...(isIP(host) === 0 && { servername: host }) });
    let isConnected = false;
    const end = (found: Parameters<typeof resolve>[0]) => {
      clearTimeout(timer);
      socket.destroy();
      resolve(found);
    };
    const timer = setTimeout(() => end(isConnected ? 'silence' : undefined), longestAnswer);
    socket.on('connect', () => {
      isConnected = true;
    });
    socket.on('secureConnect', () => end('tls'));
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (!isConnected) return end(undefined);
      end(error.code?.includes('_ALERT_') ? 'tls' : 'clear');
    });
    socket.on('close', () => end(isConnected ? 'clear' : undefined));
  });
}
