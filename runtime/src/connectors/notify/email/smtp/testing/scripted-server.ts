import { type AddressInfo, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** What a server says to a line; undefined: nothing. `close` ends the connection behind it. */
export type Reply = string | { readonly says: string; readonly close: true } | undefined;

/** What a server has seen. */
export interface ScriptedServer {
  readonly port: number;
  readonly lines: string[];
}

/** A server that says to each line what the test says, in clear. It ends with the test. */
export async function scriptedServer(
  reply: (line: string, lines: readonly string[]) => Reply,
  { greeting = '220 here\r\n', host = '127.0.0.1' }: { readonly greeting?: string; readonly host?: string } = {},
): Promise<ScriptedServer> {
  const lines: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.write(greeting);
    let rest = '';
    socket.on('data', (piece: Buffer) => {
      const [last = '', ...whole] = (rest + piece.toString('latin1')).split('\r\n').reverse();
      rest = last;
      for (const line of whole.reverse()) {
        lines.push(line);
        const said = reply(line, lines);
        if (said === undefined) continue;
        socket.write(typeof said === 'string' ? said : said.says);
        if (typeof said === 'object') socket.end();
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return { port: (server.address() as AddressInfo).port, lines };
}

/** What every server says that does as it is asked, without TLS. */
export function obliging(line: string): Reply {
  if (line.startsWith('EHLO')) return '250 here\r\n';
  if (line === 'DATA') return '354 continue\r\n';
  if (line === '.') return '250 queued as 1\r\n';
  if (/^(?:MAIL|RCPT|RSET|NOOP|QUIT)/.test(line)) return '250 fine\r\n';
  return undefined;
}
