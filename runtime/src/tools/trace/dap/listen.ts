import { createServer, type Socket } from 'node:net';
import { FrameReader, FramingError, frameHeader } from '@svc/protocol/lsp';
import { withinTime } from '../../../platform/net/within-time.ts';
import type { DapSession } from './session.ts';

/** The beginning of the first message of a client; pages of browsers, which may reach any port, begin with a method. */
const opening = 'content-length:';

/** Milliseconds. */
const goodByeTime = 2_000;

export interface Listening {
  readonly port: number;
  /** The exit status of the one session; rejects when the port cannot be used. */
  readonly over: Promise<number>;
}

/** Waits on a port of this machine for one client. `begin` makes its session. */
export function listenForClient(
  port: number,
  begin: (send: (message: object) => void) => DapSession,
  complain: (why: string) => void,
): Promise<Listening> {
  const over = Promise.withResolvers<number>();
  let isTaken = false;
  const server = createServer((socket) => {
    socket.once('data', (first: Buffer) => {
      if (isTaken || !first.toString('latin1').toLowerCase().startsWith(opening.slice(0, first.length))) {
        socket.destroy();
        return;
      }
      isTaken = true;
      server.close();
      over.resolve(serve(socket, first, begin, complain));
    });
    socket.on('error', () => socket.destroy());
  });
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      const address = server.address();
      resolve({ port: typeof address === 'object' && address !== null ? address.port : port, over: over.promise });
    });
  });
}

async function serve(
  socket: Socket,
  first: Buffer,
  begin: (send: (message: object) => void) => DapSession,
  complain: (why: string) => void,
): Promise<number> {
  const session = begin((message) => {
    const body = Buffer.from(JSON.stringify(message), 'utf8');
    socket.write(Buffer.concat([Buffer.from(frameHeader(body.length), 'latin1'), body]));
  });
  const reader = new FrameReader((bytes) => Buffer.from(bytes).toString('utf8'));
  let answering = Promise.resolve();
  const take = (chunk: Buffer) => {
    try {
      for (const text of reader.push(chunk)) {
        const message = parsed(text);
        answering = answering.then(() => session.receive(message));
      }
    } catch (error) {
      if (!(error instanceof FramingError)) throw error;
      complain(error.message);
      socket.destroy();
    }
  };
  socket.on('data', take);
  socket.on('close', () => session.leave());
  take(first);
  const status = await session.over;
  // A client sends `disconnect` after it has received that the flow has ended.
  await withinTime(goodByeTime, () => session.left).catch(() => undefined);
  await answering;
  socket.end();
  return status;
}

/** A message that is not JSON is not a request, and is answered with an error. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
