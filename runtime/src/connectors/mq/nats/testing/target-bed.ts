import { connect, type Msg } from '@nats-io/transport-node';
import { configured } from '../../../../../../test/support/configured.ts';
import { faultProxy } from '../../../../../../test/support/proxy.ts';
import { startNats } from '../../../../../../test/support/servers/nats.ts';
import type { Execute } from '../../../../foundation/contracts/target.ts';
import type { PublisherBed, Received } from '../../../testing/publisher-conformance.ts';
import type { TargetBed, TargetConnector } from '../../../testing/target-conformance.ts';
import { create } from '../connector.ts';
import { fieldsOf } from '../headers.ts';
import { nats } from '../spec.ts';
import { NatsBed } from './bed.ts';

/** A server of its own behind a proxy, and a program that answers requests, or keeps them. */
export async function requestBed(): Promise<TargetBed> {
  const password = 'pass:word';
  const server = await startNats(`authorization { user: "app", password: "${password}" }`);
  const program = await connect({ servers: `127.0.0.1:${server.port}`, user: 'app', pass: password });
  program.subscribe('echo', { callback: (_, message) => void message.respond(message.data) });
  let kept: Msg[] | undefined;
  let asked = 0;
  program.subscribe('stuck', {
    callback: (_, message) => {
      asked++;
      if (kept === undefined) message.respond('{}');
      else kept.push(message);
    },
  });
  await program.flush();
  const proxy = await faultProxy({ port: server.port });
  const url = `nats://app:${encodeURIComponent(password)}@127.0.0.1:${proxy.port}`;
  const config = { url, timeout: 10_000, connect_timeout: 1_000, reconnect_delay: 20, max_reconnects: 1_000 };
  const call = { verb: 'call', operation: 'REQUEST' } as const;
  return {
    spec: nats,
    connector: (services) => create('bus', configured(nats.config, config), services) as TargetConnector,
    call,
    echo: async (execute: Execute, text: string) => {
      const { value } = await execute({ target: 'echo', payload: { text } });
      return (value as { readonly text: string }).text;
    },
    stuck: {
      call,
      request: { target: 'stuck', payload: {} },
      hold: async () => {
        kept = [];
        asked = 0;
      },
      begun: () => asked > 0,
      release: () => {
        for (const message of kept ?? []) message.respond('{}');
        kept = undefined;
      },
      isLeft: () => false,
    },
    proxy,
    malformed: ['SELECT', 'GET /x', 'requst'],
    secrets: [password, encodeURIComponent(password)],
    close: async () => {
      await program.close();
      await proxy.close();
      await server.stop();
    },
  };
}

/** A stream of its own behind a proxy, and everything that comes to it. */
export async function publisherBed(): Promise<PublisherBed> {
  const bed = await NatsBed.ofStream();
  const received: Received[] = [];
  bed.client.subscribe(`${bed.name}.>`, {
    callback: (_, { data, headers }) => void received.push({ content: Buffer.from(data), headers: fieldsOf(headers) }),
  });
  await bed.client.flush();
  return {
    connector: (services) => {
      const url = `nats://127.0.0.1:${bed.proxy.port}`;
      const written = { url, publisher: { confirms: true }, reconnect_delay: 20, max_reconnects: 1_000 };
      return create('bus', configured(nats.config, written), services) as TargetConnector;
    },
    call: { operation: 'PUBLISH', target: bed.subject },
    headers: (headers) => ({ headers }),
    unroutable: { operation: 'PUBLISH', target: `svc_unheard.${bed.name}` },
    received,
    proxy: bed.proxy,
    close: () => bed.close(),
  };
}
