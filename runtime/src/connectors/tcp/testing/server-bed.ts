import { configured } from '../../../../../test/support/configured.ts';
import { connectorServices, type LogLine, recordingLog } from '../../../../../test/support/connector-services.ts';
import type { ConnectorServices } from '../../../foundation/contracts/connector.ts';
import type { Message } from '../../../foundation/contracts/message.ts';
import type { Outcome } from '../../../foundation/contracts/outcome.ts';
import type { EventConnector, SourceBed } from '../../intake/testing/conformance.ts';
import { create, type TcpServer } from '../server/connector.ts';
import { tcpServer } from '../server/spec.ts';
import { Talker } from './talker.ts';

const never = new AbortController().signal;
export type Flows = Readonly<Record<string, (message: Message) => Outcome | Promise<Outcome>>>;

/** Servers on free ports, and clients of them. */
export class TcpBed {
  readonly lines: LogLine[] = [];
  readonly cuts: string[] = [];
  readonly #servers: TcpServer[] = [];
  readonly #talkers: Talker[] = [];

  server(settings: Record<string, unknown> = {}, services: Partial<ConnectorServices> = {}): TcpServer {
    const config = configured(tcpServer.config, { host: '127.0.0.1', port: 0, ...settings });
    const made = create('devices', config, {
      ...connectorServices({ log: recordingLog(this.lines) }),
      connectionCut: (_, reason) => void this.cuts.push(reason),
      ...services,
    }) as TcpServer;
    this.#servers.push(made);
    return made;
  }

  async open(flows: Flows, settings?: Record<string, unknown>, services?: Partial<ConnectorServices>) {
    const server = this.server(settings, services);
    const bound = server.source.bind(
      Object.entries(flows).map(([operation, deliver]) => ({ flow: operation, operation, words: {}, deliver })),
    );
    await bound.prepare();
    await server.open(never);
    bound.use();
    await server.source.start();
    return server;
  }

  async connect(server: TcpServer, tls?: object): Promise<Talker> {
    const talker = await Talker.connect(server.port as number, tls);
    this.#talkers.push(talker);
    return talker;
  }

  drop(): void {
    for (const { socket } of this.#talkers) socket.destroy();
  }

  async close(): Promise<void> {
    this.drop();
    await Promise.all(this.#servers.map((server) => server.close(AbortSignal.abort())));
  }
}

/** A server to which each call of `publish` sends over a connection of its own. */
export async function sourceBed(): Promise<SourceBed> {
  const bed = new TcpBed();
  let open: TcpServer | undefined;
  return {
    spec: tcpServer,
    config: {},
    connector: ({ workers }) => {
      open = bed.server({ workers, max_waiting: 1000 });
      return open as unknown as EventConnector;
    },
    binding: { flow: 'weigh', operation: 'weigh', words: {} },
    publish: async (bodies) => {
      const talker = await bed.connect(open as TcpServer);
      talker.send(...bodies.map((text, id) => ({ type: 'weigh', id: String(id), data: { text } })));
    },
    textOf: ({ text }) => text,
    cut: () => bed.drop(),
    close: () => bed.close(),
  };
}
