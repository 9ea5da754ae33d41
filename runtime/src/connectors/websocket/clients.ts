import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { WebSocketServer } from 'ws';
import type { AdmittedUpgrade } from '../../contracts/http.ts';
import type { Codec } from '../../formats/registry.ts';
import { Connections, type ConnectionsOptions } from '../../http/websocket/connections.ts';
import { Outbox } from '../../http/websocket/outbox.ts';
import { Client, type ClientContext } from './client.ts';
import type { ClientDriver } from './driver.ts';
import { Rooms } from './rooms.ts';

/** The connected clients of one connector. */
export class Clients {
  readonly rooms = new Rooms<Client>();
  /** What is sent to many goes out through it. */
  readonly outbox = new Outbox();
  readonly #production: boolean;
  readonly #driver: ClientDriver;
  readonly #connections: Connections;
  #context: ClientContext | undefined;

  constructor(options: Omit<ConnectionsOptions, 'endedCode'>, driver: ClientDriver) {
    this.#production = options.production;
    this.#driver = driver;
    this.#connections = new Connections({ ...options, endedCode: 1008 }, ({ peer, link }) => {
      const client = new Client(peer, link, this.#context as ClientContext);
      this.rooms.add(client);
      return { handle: (happening) => client.handle(happening), closed: () => this.rooms.remove(client) };
    });
  }

  open(server: WebSocketServer, json: Codec): void {
    this.#context = { rooms: this.rooms, driver: this.#driver, json, production: this.#production };
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
