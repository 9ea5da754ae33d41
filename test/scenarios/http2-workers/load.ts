import { type ClientHttp2Session, connect, constants } from 'node:http2';

/** What became of one request. */
type Outcome = 'answered' | 'refused' | 'untaken' | 'unknown';

export interface LoadReport {
  /** Requests that were answered as they should be. */
  readonly answered: number;
  /** Requests that were refused unprocessed, which their callers sent again (RFC 9113, 8.7). */
  readonly repeated: number;
  /** Requests over connections that ended before the service had said a word, which their callers sent again. */
  readonly untaken: number;
  /** Requests of which the caller does not know whether they were served, and answers that are not what they should be. */
  readonly lost: readonly string[];
  /** Connections that were made. */
  readonly connections: number;
}

export interface Load {
  readonly answered: number;
  /** Ends when what is under way is answered. */
  stop(): Promise<LoadReport>;
}

/**
 * Callers with one connection each, which ask for several things at a time, number their requests, and send again what was
 * refused unprocessed. A caller that cannot connect any more is done.
 */
export function http2Load(address: string, callers: number, streams = 5): Load {
  let isLoading = true;
  let [answered, repeated, untaken, connections, number] = [0, 0, 0, 0, 0];
  const lost: string[] = [];
  const caller = async () => {
    let session: ClientHttp2Session | undefined;
    let isGone = false;
    /** Connections over which the service has said something. */
    const taken = new WeakSet<ClientHttp2Session>();
    const ends = new WeakMap<ClientHttp2Session, Promise<unknown>>();
    const current = () => {
      if (session !== undefined && !session.closed && !session.destroyed) return session;
      const made = connect(address);
      connections++;
      made.on('error', ({ code }: NodeJS.ErrnoException) => {
        if (code === 'ECONNREFUSED') isGone = true;
      });
      made.once('remoteSettings', () => taken.add(made));
      ends.set(made, new Promise((resolve) => made.once('close', () => resolve(undefined))));
      session = made;
      return made;
    };
    const one = async () => {
      while (isLoading && !isGone) {
        const id = number++;
        for (let outcome: Outcome = 'refused'; (outcome === 'refused' || outcome === 'untaken') && !isGone; ) {
          const made = current();
          outcome = await ask(
            made,
            id,
            (why) => lost.push(why),
            () => !taken.has(made),
          );
          if (outcome === 'answered') answered++;
          if (outcome === 'refused') repeated++;
          // Then it is known whether the connection was refused.
          if (outcome === 'untaken') await ends.get(made);
          if (outcome === 'untaken' && !isGone) untaken++;
        }
        await new Promise((resolve) => setTimeout(resolve, 2));
      }
    };
    await Promise.all(Array.from({ length: streams }, one));
    session?.close();
  };
  const all = Promise.all(Array.from({ length: callers }, caller));
  return {
    get answered() {
      return answered;
    },
    async stop() {
      isLoading = false;
      await all;
      return { answered, repeated, untaken, lost, connections };
    },
  };
}

function ask(
  session: ClientHttp2Session,
  id: number,
  lose: (why: string) => void,
  wasNeverTaken: () => boolean,
): Promise<Outcome> {
  return new Promise((resolve) => {
    const stream = session.request({ ':method': 'POST', ':path': '/count', 'content-type': 'application/json' });
    let text = '';
    let status = 0;
    let failure = '';
    stream.on('response', ({ ':status': given }) => {
      status = given ?? 0;
    });
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    stream.on('error', ({ message }) => {
      failure = message;
    });
    stream.on('close', () => {
      if (status === 200 && text === `{"id":${id}}`) return resolve('answered');
      if (status === 0 && stream.rstCode === constants.NGHTTP2_REFUSED_STREAM) return resolve('refused');
      if (status === 0 && wasNeverTaken()) return resolve('untaken');
      lose(`${id}: status ${status}, code ${stream.rstCode}, ${text} ${failure}`);
      resolve('unknown');
    });
    stream.end(JSON.stringify({ id }));
  });
}
