import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { TLSSocket } from 'node:tls';

interface ProxyOptions {
  readonly host: string;
  readonly port: number;
  /** Speaks TLS to the client, as a server with `ssl = on` does. */
  readonly tls?: { readonly key: string; readonly cert: string };
  /** Asked for each chunk of the client; true cuts the connection instead of passing the chunk on. */
  readonly cut?: (chunk: Buffer) => boolean;
  /** Asked for each chunk of the server; true cuts the connection, so that the answer is lost. */
  readonly lose?: (chunk: Buffer) => boolean;
}

/** A proxy between a client and a server: keeps what the client sends, and breaks connections on request. */
export class TestProxy {
  readonly sent: Buffer[] = [];
  /** Connections that were made so far. */
  connections = 0;
  private readonly options: ProxyOptions;
  private readonly server: Server;
  private readonly sockets = new Set<Socket>();

  constructor(options: ProxyOptions) {
    this.options = options;
    this.server = createServer((socket) => this.accept(socket));
  }

  async listen(host = '127.0.0.1'): Promise<number> {
    this.server.listen(0, host);
    await once(this.server, 'listening');
    return (this.server.address() as AddressInfo).port;
  }

  get text(): string {
    return Buffer.concat(this.sent).toString('latin1');
  }

  cutAll(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  async close(): Promise<void> {
    this.cutAll();
    this.server.close();
    await once(this.server, 'close');
  }

  private accept(socket: Socket): void {
    this.connections++;
    this.track(socket);
    const { tls } = this.options;
    if (tls === undefined) this.join(socket);
    else {
      socket.once('data', () => {
        socket.write('S');
        const secure = new TLSSocket(socket, { isServer: true, ...tls });
        secure.on('error', () => socket.destroy());
        this.join(secure);
      });
    }
  }

  private join(client: Socket): void {
    const server = connect(this.options.port, this.options.host);
    this.track(server);
    const end = () => {
      client.destroy();
      server.destroy();
    };
    client.on('close', end);
    server.on('close', end);
    client.on('data', (chunk) => {
      this.sent.push(chunk);
      if (this.options.cut?.(chunk)) end();
      else server.write(chunk);
    });
    server.on('data', (chunk) => {
      if (this.options.lose?.(chunk)) end();
      else client.write(chunk);
    });
  }

  private track(socket: Socket): void {
    this.sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => this.sockets.delete(socket));
  }
}
