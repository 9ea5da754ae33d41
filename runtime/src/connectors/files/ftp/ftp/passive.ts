import { connect as connectPlain, type Socket } from 'node:net';
import { connect as connectTls, TLSSocket } from 'node:tls';
import type { FTPContext, FTPResponse } from 'basic-ftp';
import { Failure } from '../../../../foundation/errors/failure.ts';
import { replyOf } from './failure.ts';

/** Servers that answered EPSV with an error, by their control connections. */
const withoutEpsv = new WeakSet<FTPContext>();

/**
 * Makes the connection that a file passes over: to the host of the control connection at a port that the server says
 * (RFC 2428, RFC 959). The address that a server answers to PASV is not used, so that no server can have this process
 * connect to another machine.
 */
export async function enterPassive(ftp: FTPContext): Promise<FTPResponse> {
  if (!withoutEpsv.has(ftp))
    try {
      const response = await ftp.request('EPSV');
      // 229 Entering Extended Passive Mode (|||6446|)
      await connectData(ftp, /\(([|!])\1\1(\d{1,5})\1\)/.exec(response.message)?.[2]);
      return response;
    } catch (error) {
      if (replyOf(error) === undefined) throw error;
      withoutEpsv.add(ftp);
    }
  const response = await ftp.request('PASV');
  // 227 Entering Passive Mode (192,168,1,100,10,229)
  const [, high, low] = /(?<!\d)(?:\d{1,3},){4}(\d{1,3}),(\d{1,3})(?!\d)/.exec(response.message) ?? [];
  await connectData(ftp, high === undefined ? undefined : String(Number(high) * 256 + Number(low)));
  return response;
}

async function connectData(ftp: FTPContext, written: string | undefined): Promise<void> {
  const port = Number(written);
  const host = ftp.socket.remoteAddress;
  if (host === undefined) throw new Error('the control connection was lost');
  if (!(port > 0 && port < 65_536))
    throw new Failure('connector_failed', 'the server does not say where files pass', { retriable: false });
  const plain = await connected(connectPlain({ host, port }), 'connect', ftp.timeout);
  if (ftp.closed) {
    plain.destroy();
    throw new Error('the control connection was lost');
  }
  if (!(ftp.socket instanceof TLSSocket)) {
    ftp.dataSocket = plain;
    return;
  }
  // The session of the control connection shows the server that the same client is there. The handshake is a part of the
  // transfer: some servers begin it only when the command for the file has come.
  const session = ftp.tlsSessionStore ?? ftp.socket.getSession();
  const secure = connectTls({ ...ftp.tlsOptions, socket: plain, ...(session && { session }) });
  // A ticket of TLS 1.3 serves once: the next connection shows the one that comes with this.
  secure.on('session', (next) => {
    ftp.tlsSessionStore = next;
  });
  ftp.dataSocket = secure;
}

function connected(socket: Socket, event: string, timeout: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error) => {
      socket.destroy();
      reject(new Error(`the connection for files was not made: ${error.message}`));
    };
    const late = () => fail(new Error(`Timeout after ${timeout / 1000} s`));
    socket.setTimeout(timeout, late);
    socket.once('error', fail);
    socket.once(event, () => {
      socket.setTimeout(0);
      socket.off('error', fail);
      resolve(socket);
    });
  });
}
