import type { ConnectorServices } from '../../../../foundation/contracts/connector.ts';
import { Failure } from '../../../../foundation/errors/failure.ts';
import { ReconnectingConnection } from '../../../../platform/net/connection.ts';
import { Intake } from '../../../intake/intake.ts';
import type { MongodbConfig } from '../address.ts';
import type { DatabaseClient } from '../client.ts';
import type { ChangeConnection } from './connection.ts';
import { ChangeDriver } from './driver.ts';

/** Between two attempts to take changes again; milliseconds. */
const backoff = { kind: 'exponential', delay: 500, maxDelay: 10_000, jitter: true } as const;

/** Flows take the changes of collections over the client of the connector. */
export class ChangeSource {
  readonly source: Intake;
  readonly #driver: ChangeDriver;
  readonly #connection: ReconnectingConnection<ChangeConnection>;

  constructor(name: string, config: MongodbConfig, client: DatabaseClient, services: ConnectorServices) {
    const driver = new ChangeDriver(services.service, name, config, client);
    const renew = (reason: string) => this.#connection.renew(reason);
    const source = new Intake(driver, { connector: name, services, renew });
    this.#driver = driver;
    this.source = source;
    this.#connection = new ReconnectingConnection<ChangeConnection>(
      {
        address: client.address.text,
        connect: async (lost) => driver.connect(lost),
        probe: () => driver.probe(),
        attach: async (connection) => {
          driver.use(connection);
          await source.connected();
        },
        detach: () => {
          driver.use(undefined);
          source.disconnected();
        },
      },
      {
        backoff,
        mostAttempts: Number.POSITIVE_INFINITY,
        ...services,
        lost: () => services.connectionLost?.(name),
      },
    );
  }

  /** Over the open client; nothing is asked before a flow takes changes. */
  open(signal: AbortSignal): Promise<void> {
    return this.#connection.open(signal);
  }

  async close(cut?: AbortSignal): Promise<void> {
    await this.source.stop(cut);
    await this.#connection.close(cut);
  }

  /** Rejects where changes should be taken and are not; gives the reason of a pause. */
  async check(signal: AbortSignal): Promise<string | undefined> {
    if (!this.#driver.isUsed) return undefined;
    const problem = this.#connection.problem ?? this.source.problem;
    if (problem !== undefined) throw new Failure('connector_refused', problem);
    await this.#connection.check(signal);
    return this.source.pause;
  }
}
