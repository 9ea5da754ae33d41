import { Failure } from '../../../../foundation/errors/failure.ts';
import type { Log } from '../../../../foundation/observe/log.ts';
import { typeOf } from '../failure.ts';
import type { GroupBroker } from '../library.ts';
import type { LogConfig } from '../spec.ts';

/** Whether brokers must keep each batch once; `wanted`: where they give this client an id for it. */
export type Idempotence = 'required' | 'wanted' | 'none';

/** Of a configuration; one that is not written is as the brokers allow. */
export function idempotenceOf({ producer }: Pick<LogConfig, 'producer'>): Idempotence {
  if (producer?.idempotent === undefined) return 'wanted';
  return producer.idempotent ? 'required' : 'none';
}

/** Largest number of a message; the one after it is 0. */
const largest = 2 ** 31 - 1;

/**
 * What brokers know a producer by. They keep a batch once, however often it comes, by the number of its first message:
 * messages of each partition are numbered from 0 on, without a gap.
 */
export class ProducerIdentity {
  readonly id: string;
  readonly epoch: number;
  /** It is not known any more which number a partition expects. */
  isOver = false;
  readonly #next = new Map<string, number>();

  constructor(id: string, epoch: number) {
    this.id = id;
    this.epoch = epoch;
  }

  /** The number that the next message of a partition has. */
  next(topic: string, partition: number): number {
    return this.#next.get(`${topic}/${partition}`) ?? 0;
  }

  /** A partition has these messages. */
  confirmed(topic: string, partition: number, count: number): void {
    const next = this.next(topic, partition) + count;
    this.#next.set(`${topic}/${partition}`, next > largest ? next - largest - 1 : next);
  }
}

/** Asks brokers for the identity of a producer when it is without one, or has one that is over. */
export class Identities {
  readonly #log: Log;
  #idempotence: Idempotence;
  #current: Promise<ProducerIdentity> | undefined;

  constructor(idempotence: Idempotence, log: Log) {
    this.#idempotence = idempotence;
    this.#log = log;
  }

  /** The identity of the producer; undefined where it is without one. */
  async current(broker: GroupBroker): Promise<ProducerIdentity | undefined> {
    if (this.#idempotence === 'none') return undefined;
    if (this.#current !== undefined && (await this.#current).isOver) this.#current = undefined;
    const asked = (this.#current ??= this.#ask(broker));
    try {
      return await asked;
    } catch (error) {
      if (this.#current === asked) this.#current = undefined;
      if (!isRefusal(error)) throw error;
      if (this.#idempotence === 'required') throw refused(error);
      this.#warn();
      return undefined;
    }
  }

  async #ask(broker: GroupBroker): Promise<ProducerIdentity> {
    const { producerId, producerEpoch } = await broker.initProducerId({ transactionTimeout: 0 });
    return new ProducerIdentity(producerId, producerEpoch);
  }

  #warn(): void {
    if (this.#idempotence === 'none') return;
    this.#idempotence = 'none';
    this.#log.warn(
      'the brokers give this user no producer id: a message that is sent again since no answer came may be there twice; allow IdempotentWrite at the cluster, or write idempotent = false in the producer block',
    );
  }
}

/** Whether a broker has no producer ids, or none for this user. */
function isRefusal(error: unknown): boolean {
  const { name } = error as { readonly name?: string };
  return typeOf(error) === 'CLUSTER_AUTHORIZATION_FAILED' || name === 'KafkaJSServerDoesNotSupportApiKey';
}

function refused(cause: unknown): Failure {
  return new Failure(
    'connector_failed',
    'the brokers give this user no producer id, which `idempotent = true` needs: allow IdempotentWrite at the cluster, or write idempotent = false in the producer block',
    { cause },
  );
}
