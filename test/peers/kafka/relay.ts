import { join } from 'node:path';
import { startService } from '../../support/service.ts';
import { startReceiver } from '../receiver.ts';

/** A message as clients of every language write and read it. */
export interface KafkaMessage {
  readonly key: string | null;
  readonly value: string | null;
  readonly headers: readonly (readonly [string, string])[];
}

/** The built program between a topic and HTTP. */
export interface Relay {
  /** What its flow was given of each message so far. */
  readonly taken: readonly unknown[];
  send(message: object): Promise<void>;
  /** Sends a message without a value. */
  erase(key: string): Promise<void>;
  stop(): Promise<void>;
}

export interface RelayOptions {
  readonly broker: string;
  readonly group: string;
  /** Topics that it takes messages from and sends them to. */
  readonly from: string;
  readonly to: string;
  readonly compression: string;
}

export async function startRelay({ broker, group, from, to, compression }: RelayOptions): Promise<Relay> {
  const receiver = await startReceiver();
  const env = {
    BROKER: broker,
    GROUP: group,
    TAKEN: from,
    SENT: to,
    COMPRESSION: compression,
    RECEIVER: receiver.url,
  };
  const service = await startService({
    directory: join(import.meta.dirname, 'service'),
    env,
    args: ['--log-level', 'warn', '--no-hot-reload'],
  });
  const ask = async (method: string, path: string, body?: object) => {
    const answer = await fetch(`${service.address}${path}`, {
      method,
      ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}\n${service.log}`);
  };
  return {
    taken: receiver.taken,
    send: (message) => ask('POST', '/messages', message),
    erase: (key) => ask('DELETE', `/messages/${key}`),
    async stop() {
      await service.stop();
      await receiver.close();
    },
  };
}
