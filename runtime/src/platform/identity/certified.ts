import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { Auth } from '../../foundation/contracts/message.ts';
import { subject } from './subject.ts';

/**
 * The caller of a connection whose server asks for certificates, by the common name in the one that it has verified;
 * undefined: none was presented, or it has no such name.
 */
export function certified(socket: Socket | Pick<TLSSocket, 'getPeerCertificate'>): Auth | undefined {
  if (!('getPeerCertificate' in socket)) return undefined;
  const name: unknown = socket.getPeerCertificate()?.subject?.CN;
  return typeof name === 'string' && name !== '' ? subject(name, {}) : undefined;
}
