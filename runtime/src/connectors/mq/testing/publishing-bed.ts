import { connect } from 'amqplib';
import { configured } from '../../../../../test/support/configured.ts';
import { faultProxy } from '../../../../../test/support/proxy.ts';
import type { PublisherBed, Received } from '../../testing/publisher-conformance.ts';
import type { StuckCall, TargetBed, TargetConnector } from '../../testing/target-conformance.ts';
import { create } from '../amqp/connector.ts';
import { amqp } from '../amqp/spec.ts';
import { brokerUrl, TestQueue } from './broker.ts';

/** A queue of its own on the broker of the tests, and connectors that send to it through a proxy. */
export async function publishingBed(): Promise<TargetBed> {
  const queue = await TestQueue.declare();
  const { proxy, connector, secrets } = await proxied();
  const model = await connect(brokerUrl as string);
  const channel = await model.createChannel();
  const taken = new Map<string, () => void>();
  await channel.consume(
    queue.name,
    (message) => {
      if (message !== null) taken.get((JSON.parse(message.content.toString()) as { text: string }).text)?.();
    },
    { noAck: true },
  );
  const stuck: StuckCall = {
    call: { operation: 'publish', target: queue.name },
    request: { payload: { text: 'stuck' } },
    hold: async () => {
      proxy.sends = 0;
      proxy.fault = 'hold';
    },
    begun: () => proxy.sends > 0,
    release: () => {
      proxy.fault = 'pass';
    },
    isLeft: () => false,
  };
  return {
    spec: amqp,
    connector,
    call: { operation: 'publish', target: queue.name },
    echo: async (execute, text) => {
      const came = new Promise<string>((resolve) => taken.set(text, () => resolve(text)));
      await execute({ payload: { text } });
      return came;
    },
    stuck,
    proxy,
    malformed: ['order.created', 'peek'],
    secrets,
    close: async () => {
      await model.close();
      await proxy.close();
      await queue.end();
    },
  };
}

/** The same, for what everything that sends messages promises. */
export async function publisherBed(): Promise<PublisherBed> {
  const queue = await TestQueue.declare();
  const { proxy, connector } = await proxied();
  const model = await connect(brokerUrl as string);
  const channel = await model.createChannel();
  const received: Received[] = [];
  await channel.consume(
    queue.name,
    (message) => {
      if (message !== null) received.push({ content: message.content, headers: message.properties.headers ?? {} });
    },
    { noAck: true },
  );
  return {
    connector,
    call: { target: queue.name },
    headers: (headers) => ({ headers }),
    unroutable: { target: `${queue.name}.missing` },
    received,
    proxy,
    close: async () => {
      await model.close();
      await proxy.close();
      await queue.end();
    },
  };
}

/** The same, with requests that are answered with the text that they have. */
export async function requestingBed(): Promise<TargetBed> {
  const queue = await TestQueue.declare();
  const { proxy, connector, secrets } = await proxied();
  const model = await connect(brokerUrl as string);
  const channel = await model.createChannel();
  const held: (() => void)[] = [];
  let holds = false;
  await channel.consume(
    queue.name,
    (message) => {
      if (message === null) return;
      const { replyTo, correlationId } = message.properties as { replyTo: string; correlationId: string };
      const answer = () => void channel.sendToQueue(replyTo, message.content, { correlationId });
      if (holds) held.push(answer);
      else answer();
    },
    { noAck: true },
  );
  return {
    spec: amqp,
    connector,
    call: { operation: 'request', target: queue.name },
    echo: async (execute, text) => ((await execute({ payload: { text } })).value as { text: string }).text,
    stuck: {
      call: { operation: 'request', target: queue.name },
      request: { payload: { text: 'stuck' } },
      hold: async () => {
        holds = true;
      },
      begun: () => held.length > 0,
      release: () => {
        holds = false;
        for (const answer of held.splice(0)) answer();
      },
      isLeft: () => false,
    },
    proxy,
    malformed: ['ask'],
    secrets,
    close: async () => {
      await model.close();
      await proxy.close();
      await queue.end();
    },
  };
}

async function proxied() {
  const { hostname, port, password } = new URL(brokerUrl as string);
  const proxy = await faultProxy({ host: hostname, port: Number(port || 5672) });
  const url = (brokerUrl as string).replace(/@.*?(?=\/|$)/, `@127.0.0.1:${proxy.port}`);
  const secret = decodeURIComponent(password) === 'guest' ? [] : [decodeURIComponent(password)];
  return {
    proxy,
    secrets: [...secret, url],
    connector: (services: Parameters<TargetBed['connector']>[0]): TargetConnector =>
      create(
        'orders',
        configured(amqp.config, { url, reconnect_delay: 100, max_reconnects: 1000, publisher: { timeout: 20_000 } }),
        services,
      ) as TargetConnector,
  };
}
