import { configured } from '../../../../../../test/support/configured.ts';
import { connectorServices, type LogLine, recordingLog } from '../../../../../../test/support/connector-services.ts';
import { GraphqlServer } from '../../../../../../test/support/graphql-server.ts';
import { type FaultProxy, faultProxy } from '../../../../../../test/support/proxy.ts';
import { until } from '../../../../../../test/support/until.ts';
import type { ConnectorServices } from '../../../../foundation/contracts/connector.ts';
import type { EventConnector, SourceBed } from '../../../intake/testing/conformance.ts';
import type { TargetBed, TargetConnector } from '../../../testing/target-conformance.ts';
import { create } from '../connector.ts';
import { graphqlClient } from '../spec.ts';

/** A connector of these settings. Its maker closes it. */
export function made(
  written: Record<string, unknown>,
  services: ConnectorServices = connectorServices(),
): EventConnector & TargetConnector {
  return create('shop', configured(graphqlClient.config, written), services) as EventConnector & TargetConnector;
}

/** A server behind a proxy, whose field `stuck` is not answered before it is released. */
export async function targetBed(): Promise<TargetBed> {
  const server = await GraphqlServer.start();
  const proxy = await faultProxy({ port: server.port });
  return {
    spec: graphqlClient,
    connector: (services) =>
      made(
        {
          endpoint: `http://127.0.0.1:${proxy.port}/graphql`,
          timeout: 10_000,
          auth: { type: 'bearer', token: 'kept-secret' },
          headers: { 'x-api-key': 'kept-secret-too' },
        },
        services,
      ),
    call: { operation: 'query($text: String) { echo(text: $text) }' },
    echo: async (execute, text) => ((await execute({ params: { text } })).value as { echo?: unknown }).echo,
    stuck: {
      call: { operation: '{ stuck }' },
      request: {},
      begun: () => server.held.size > 0,
      release: () => server.release(),
      isLeft: () => server.held.size > 0,
    },
    proxy,
    malformed: ['loans', 'GET /a', 'query {', 'subscription { tick }', 'query { a } query B { b }'],
    secrets: ['kept-secret', 'kept-secret-too'],
    close: async () => {
      await proxy.close();
      await server.close();
    },
  };
}

/** A subscription at a server of its own, behind a proxy. */
export class EventBed implements SourceBed {
  readonly spec = graphqlClient;
  readonly config = {};
  readonly lines: LogLine[] = [];
  readonly binding = { flow: 'take', operation: 'subscription { event { text } }', words: {} };
  readonly server: GraphqlServer;
  readonly proxy: FaultProxy;
  readonly #connectors: EventConnector[] = [];
  readonly #isBound: boolean;

  private constructor(server: GraphqlServer, proxy: FaultProxy, isBound: boolean) {
    this.server = server;
    this.proxy = proxy;
    this.#isBound = isBound;
  }

  /** `isBound`: its connectors have a flow before they open, as in a service; without one they do not connect. */
  static async make({ isBound = false } = {}): Promise<EventBed> {
    const server = await GraphqlServer.start();
    return new EventBed(server, await faultProxy({ port: server.port }), isBound);
  }

  connector({ workers = 1, ...settings }: { readonly workers?: number } & Record<string, unknown> = {}) {
    const connector = made(
      {
        endpoint: `http://127.0.0.1:${this.proxy.port}/graphql`,
        timeout: 1_000,
        subscriptions: { workers, connect_timeout: 1_000, max_reconnect_interval: 20 },
        ...settings,
      },
      connectorServices({ log: recordingLog(this.lines) }),
    );
    this.#connectors.push(connector);
    const deliver = () => ({ kind: 'reply', value: null }) as const;
    if (this.#isBound) connector.source.bind([{ ...this.binding, deliver }]);
    return connector;
  }

  async publish(bodies: readonly string[]): Promise<void> {
    if (this.proxy.fault === 'pass') await until(() => this.server.active.includes('event'));
    for (const text of bodies) this.server.publish('event', { text });
  }

  textOf(input: Readonly<Record<string, unknown>>): unknown {
    return input['text'];
  }

  cut(): void {
    this.server.cut();
  }

  async close(): Promise<void> {
    await Promise.all(this.#connectors.map((connector) => connector.close(AbortSignal.abort())));
    await this.proxy.close();
    await this.server.close();
  }
}
