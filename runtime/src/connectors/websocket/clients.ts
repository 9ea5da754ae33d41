import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { WebSocketServer } from 'ws';
import type { AdmittedUpgrade } from '../../foundation/contracts/http.ts';
import type { Codec } from '../../platform/formats/registry.ts';
import type { Broadcaster } from '../../platform/http/live/broadcaster.ts';
import { Connections, type ConnectionsOptions } from '../../platform/http/websocket/connections.ts';
import type { SocketFrame } from '../../platform/http/websocket/link.ts';
import type { ClientDriver } from '../intake/clients/client-driver.ts';
import { Client, type ClientContext } from './client.ts';

/** The connected clients of one connector. */
export class Clients {
  readonly #production: boolean;
  readonly #driver: ClientDriver;
  readonly #broadcaster: Broadcaster<SocketFrame, Client>;
  readonly #connections: Connections;
  #context: ClientContext | undefined;

  constructor(
    options: Omit<ConnectionsOptions, 'endedCode'>,
    driver: ClientDriver,
    broadcaster: Broadcaster<SocketFrame, Client>,
  ) {
    const { rooms } = broadcaster;
    this.#broadcaster = broadcaster;
    this.#production = options.production;
    this.#driver = driver;
    this.#connections = new Connections({ ...options, endedCode: 1008 }, ({ peer, link, session }) => {
      const client = new Client(peer, link, this.#context as ClientContext);
      broadcaster.joined(client);
      return {
        handle: (happening) => {
          const handle = () => client.handle(happening);
          return happening.kind === 'frame' ? session.within(handle) : handle();
        },
        closed: () => rooms.remove(client),
      };
    });
  }

  open(server: WebSocketServer, json: Codec): void {
    this.#context = { rooms: this.#broadcaster.rooms, driver: this.#driver, json, production: this.#production };
    this.#connections.open(server);
  }

  get isOpen(): boolean {
    return this.#connections.isOpen;
  }

  /** Answers the handshake; the connection is that of a client from then on. */
  take(request: IncomingMessage, socket: Duplex, head: Buffer, admitted: AdmittedUpgrade): void {
    this.#connections.take(request, socket, head, admitted);
  }

  /** Says goodbye to everybody; resolves when every connection is closed. */
  close(code: number, reason: string): Promise<void> {
    return this.#connections.close(code, reason);
  }
}
