import { type FaultProxy, faultProxy } from '../../../../../test/support/proxy.ts';

/** Method frames on a channel that are counted (AMQP 0-9-1, class 60, methods 20 and 80). */
const methods = { consume: Buffer.from([0, 60, 0, 20]), ack: Buffer.from([0, 60, 0, 80]) } as const;

/** A proxy in front of a broker that counts how often a client declares a consumer and acknowledges. */
export interface CountingBroker {
  /** The broker's address with the proxy's in its place. */
  readonly url: string;
  readonly proxy: FaultProxy;
  /** Times that basic.consume was sent. */
  readonly consumes: number;
  /** Times that basic.ack was sent. */
  readonly acks: number;
  close(): Promise<void>;
}

/** @param url address of the broker, as `TEST_RABBITMQ_URL` has it */
export async function countingBroker(url: string): Promise<CountingBroker> {
  const { hostname, port } = new URL(url);
  const sent = { consume: 0, ack: 0 };
  const proxy = await faultProxy({ host: hostname, port: Number(port || 5672) }, (piece) => {
    for (const method of ['consume', 'ack'] as const) {
      const frame = methods[method];
      for (let at = piece.indexOf(frame); at >= 0; at = piece.indexOf(frame, at + 1)) sent[method]++;
    }
  });
  return {
    url: url.replace(/@[^/]*/, `@127.0.0.1:${proxy.port}`),
    proxy,
    get consumes() {
      return sent.consume;
    },
    get acks() {
      return sent.ack;
    },
    close: () => proxy.close(),
  };
}
