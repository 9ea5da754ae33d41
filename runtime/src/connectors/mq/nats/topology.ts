import type {
  DeliverPolicy,
  JetStreamManager,
  ConsumerConfig as ServerConsumer,
  StreamConfig,
} from '@nats-io/jetstream';
import { Failure } from '../../../foundation/errors/failure.ts';
import type { Log } from '../../../foundation/observe/log.ts';
import { textOf } from '../../../platform/net/connection.ts';
import { deadLetterName } from '../../intake/broker/dead-letters.ts';
import type { Topology } from '../../intake/broker/topology.ts';
import type { NatsLink } from './connection.ts';
import type { ConsumerConfig } from './spec.ts';
import { covers } from './subjects.ts';

/** Errors of the server (`err_code`). */
const codes = { noStream: 10059, noConsumer: 10014 } as const;

const starts: Readonly<Record<NonNullable<ConsumerConfig['start']>, `${DeliverPolicy}`>> = {
  all: 'all',
  new: 'new',
  last: 'last',
  last_per_subject: 'last_per_subject',
};

/** The subject for messages that were given up; undefined where they are arranged elsewhere. */
export function deadLetterSubject({ dlq, retry_count, stream }: ConsumerConfig): string | undefined {
  if (dlq === undefined) return retry_count === undefined ? undefined : deadLetterName(stream ?? '');
  return dlq.enabled && !dlq.external ? (dlq.subject ?? deadLetterName(stream ?? '')) : undefined;
}

/** The consumer of a connector, its stream, and the stream of its dead letters. What exists is left as it is. */
export class ConsumerTopology implements Topology<NatsLink> {
  readonly place: string;
  readonly createIfMissing: boolean;
  readonly #config: ConsumerConfig & { readonly stream: string };
  readonly #log: Log;
  #isWarned = false;

  constructor(config: ConsumerConfig & { readonly stream: string }, log: Log) {
    this.#log = log;
    this.place = `stream "${config.stream}"`;
    this.createIfMissing = config.create_if_missing;
    this.#config = config;
  }

  async exists(link: NatsLink, consumer: string): Promise<boolean> {
    const { stream, subjects, create_if_missing } = this.#config;
    const manager = await link.manager();
    const isThere = await found(() => manager.streams.info(stream), codes.noStream);
    if (isThere) return found(() => manager.consumers.info(stream, consumer), codes.noConsumer);
    if (create_if_missing && subjects !== undefined && subjects.length > 0) return false;
    const remedy = create_if_missing
      ? 'write the `subjects` that it has'
      : 'create it at the server first, or write create_if_missing = true and its `subjects` in the consumer block';
    throw new Failure('connector_failed', `stream "${stream}" does not exist: ${remedy}`, { retriable: false });
  }

  async declare(link: NatsLink, consumer: string, exists: boolean): Promise<boolean> {
    if (!exists) await this.#create(link, consumer);
    await this.#ensureDeadLetters(link);
    return true;
  }

  async #checkKept(link: NatsLink, stream: string): Promise<void> {
    const { config } = await (await link.manager()).streams.info(stream);
    const reason = dropsOf(config);
    if (reason === undefined || this.#isWarned) return;
    this.#isWarned = true;
    this.#log.warn('the stream of the dead letters drops some of them', { stream, reason });
  }

  async #create(link: NatsLink, consumer: string): Promise<void> {
    const { stream, subjects = [] } = this.#config;
    const manager = await link.manager();
    const isThere = await found(() => manager.streams.info(stream), codes.noStream);
    const letters = deadLetterSubject(this.#config);
    if (letters !== undefined && !isThere && subjects.some((each) => covers(each, letters))) throw this.#returning();
    if (letters !== undefined && isThere && (await keeperOf(manager, letters)) === stream) throw this.#returning();
    if (!isThere) await refusable(`stream "${stream}"`, manager.streams.add({ name: stream, subjects: [...subjects] }));
    await refusable(`consumer "${consumer}"`, manager.consumers.add(stream, this.#consumer(consumer)));
  }

  #consumer(durable: string): Partial<ServerConsumer> {
    const { ack_wait, filter_subject, start, start_sequence, start_time, priority_group, priority_policy } =
      this.#config;
    // The last of each subject is looked for below a filter alone.
    const filter = filter_subject ?? (start === 'last_per_subject' ? '>' : undefined);
    const policy =
      start_sequence !== undefined
        ? 'by_start_sequence'
        : start_time !== undefined
          ? 'by_start_time'
          : starts[start ?? 'all'];
    return {
      durable_name: durable,
      ack_policy: 'explicit',
      ack_wait: ack_wait * 1_000_000,
      deliver_policy: policy,
      ...(start_sequence !== undefined && { opt_start_seq: start_sequence }),
      ...(start_time !== undefined && { opt_start_time: new Date(start_time).toISOString() }),
      ...(filter !== undefined && { filter_subject: filter }),
      ...(priority_policy !== undefined && { priority_groups: [priority_group], priority_policy }),
    } as Partial<ServerConsumer>;
  }

  /** A stream must keep what was given up: otherwise it would be tried for ever. */
  async #ensureDeadLetters(link: NatsLink): Promise<void> {
    const subject = deadLetterSubject(this.#config);
    if (subject === undefined) return;
    const { stream, create_if_missing } = this.#config;
    const manager = await link.manager();
    const keeper = await keeperOf(manager, subject);
    if (keeper === stream) throw this.#returning();
    if (keeper !== undefined) return this.#checkKept(link, keeper);
    if (!create_if_missing)
      throw new Failure(
        'connector_failed',
        `no stream keeps the subject "${subject}" of dead letters: create one at the server first, or write create_if_missing = true`,
        { retriable: false },
      );
    const name = subject.replaceAll('.', '_');
    await refusable(`stream "${name}"`, manager.streams.add({ name, subjects: [subject] }));
  }

  #returning(): Failure {
    return new Failure(
      'connector_failed',
      `the dead letters of stream "${this.#config.stream}" would come back to it: write another \`subject\` in the dlq block`,
      { retriable: false },
    );
  }
}

/** The stream that keeps a subject, or undefined. */
function keeperOf(manager: JetStreamManager, subject: string): Promise<string | undefined> {
  return manager.streams.find(subject).catch(() => undefined);
}

/** Why a stream drops dead letters that it has taken, or undefined: all of them have one subject. */
function dropsOf({ retention, max_msgs_per_subject: most = -1 }: StreamConfig): string | undefined {
  if (retention === 'interest') return 'it keeps what a consumer wants alone (retention "interest")';
  return most > 0 ? `it keeps the last ${most} of each subject alone (max_msgs_per_subject)` : undefined;
}

async function found(ask: () => Promise<unknown>, missing: number): Promise<boolean> {
  try {
    await ask();
    return true;
  } catch (error) {
    if ((error as { readonly code?: unknown }).code === missing) return false;
    throw error;
  }
}

async function refusable(what: string, made: Promise<unknown>): Promise<void> {
  await made.catch((error: unknown) => {
    throw new Failure('connector_failed', `${what} cannot be created: ${textOf(error)}`, { cause: error });
  });
}
