import { randomBytes } from 'node:crypto';
import { connectAsync, ErrorWithReasonCode, type IClientOptions, type MqttClient } from 'mqtt';
import { configured } from '../../../../../test/support/configured.ts';
import { connectorServices, type LogLine, recordingLog } from '../../../../../test/support/connector-services.ts';
import { type FaultProxy, faultProxy } from '../../../../../test/support/proxy.ts';
import { systemClock } from '../../../foundation/observe/clock.ts';
import type { EventConnector, SourceBed } from '../../intake/testing/conformance.ts';
import { create } from '../connector.ts';
import { mqtt } from '../spec.ts';

/** The MQTT broker of the tests; tests that need it are skipped without it. */
export const mqttUrl = process.env['TEST_MQTT_URL'];

/** A client of the broker of the tests that goes through no proxy. */
export function brokerClient(options: IClientOptions = {}): Promise<MqttClient> {
  return connectAsync((mqttUrl as string).replace(/^tcp/, 'mqtt'), options);
}

/** The same with the newest version that the broker speaks, which says most of a message. */
export async function newestClient(): Promise<MqttClient> {
  try {
    return await brokerClient({ protocolVersion: 5, reconnectPeriod: 0 });
  } catch (error) {
    if (!(error instanceof ErrorWithReasonCode)) throw error;
    return brokerClient();
  }
}

/** A topic and a client id of their own on the broker of the tests, behind a proxy. */
export class MqttBed implements SourceBed {
  readonly spec = mqtt;
  readonly config: Readonly<Record<string, unknown>>;
  readonly topic: string;
  readonly clientId: string;
  readonly lines: LogLine[] = [];
  readonly binding;
  readonly proxy: FaultProxy;
  readonly #publisher: MqttClient;
  readonly #connectors: EventConnector[] = [];

  private constructor(name: string, proxy: FaultProxy, publisher: MqttClient, settings: Record<string, unknown>) {
    this.config = { qos: 1, clean_session: false, ...settings };
    this.topic = `${name}/readings`;
    this.clientId = name;
    this.proxy = proxy;
    this.#publisher = publisher;
    this.binding = { flow: 'reading', operation: this.topic, words: {} };
  }

  /** `settings` are those of every connector of the bed. */
  static async make(settings: Record<string, unknown> = {}): Promise<MqttBed> {
    const { hostname, port } = new URL(mqttUrl as string);
    const proxy = await faultProxy({ host: hostname, port: Number(port || 1883) });
    const publisher = await brokerClient();
    return new MqttBed(`svc-test-${randomBytes(6).toString('hex')}`, proxy, publisher, settings);
  }

  connector(settings: { workers?: number } & Record<string, unknown> = {}): EventConnector {
    const config = configured(mqtt.config, {
      broker: `tcp://127.0.0.1:${this.proxy.port}`,
      client_id: this.clientId,
      ...this.config,
      max_reconnect_interval: 20,
      ...settings,
    });
    const log = recordingLog(this.lines);
    const made = create('sensors', config, connectorServices({ log, clock: hundredfold })) as EventConnector;
    this.#connectors.push(made);
    return made;
  }

  async publish(bodies: readonly (string | Buffer)[], topic = this.topic, options: object = {}): Promise<void> {
    const qos = this.config['qos'] as 1 | 2;
    for (const body of bodies) await this.#publisher.publishAsync(topic, body, { qos, ...options });
  }

  textOf(input: Readonly<Record<string, unknown>>): unknown {
    return input['_raw'];
  }

  cut(): void {
    this.proxy.reset();
  }

  async close(): Promise<void> {
    await Promise.all(this.#connectors.map((connector) => connector.close()));
    // A clean session ends the one that the broker keeps.
    const forget = await brokerClient({ clientId: this.clientId, clean: true });
    await forget.endAsync();
    await this.#publisher.endAsync();
    await this.proxy.close();
  }
}

/** Pauses of failed messages take a hundredth of their time. */
const hundredfold = {
  ...systemClock,
  sleep: (milliseconds: number, signal?: AbortSignal) =>
    systemClock.sleep(milliseconds > 500 ? milliseconds / 100 : milliseconds, signal),
};
