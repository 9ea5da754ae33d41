import { Failure } from '../../../foundation/errors/failure.ts';
import type { Log } from '../../../foundation/observe/log.ts';
import type { Topology } from '../../intake/broker/topology.ts';
import type { LogConnection } from './connection.ts';
import { refused } from './connection.ts';
import { typeOf } from './failure.ts';

/** What is created is as large as the broker says. */
const standard = -1;
/** What a broker is asked about, by its number in the protocol. */
const topics = 2;
const policyName = 'cleanup.policy';

/** Topics, and those that take their dead letters. */
export class TopicTopology implements Topology<LogConnection> {
  readonly place = 'the cluster';
  readonly createIfMissing: boolean;
  readonly #deadLetterTopic: ((topic: string) => string) | undefined;
  readonly #log: Log;
  readonly #warned = new Set<string>();

  constructor(createIfMissing: boolean, deadLetterTopic: ((topic: string) => string) | undefined, log: Log) {
    this.createIfMissing = createIfMissing;
    this.#deadLetterTopic = deadLetterTopic;
    this.#log = log;
  }

  async exists({ cluster }: LogConnection, topic: string): Promise<boolean> {
    try {
      await cluster.metadata({ topics: [topic] });
      return true;
    } catch (error) {
      if (typeOf(error) === 'UNKNOWN_TOPIC_OR_PARTITION') return false;
      throw refused(error);
    }
  }

  /** A topic for dead letters that is missing may be created by the broker when the first one is sent. */
  async declare(connection: LogConnection, topic: string, exists: boolean): Promise<boolean> {
    const deadLetters = this.#deadLetterTopic?.(topic);
    const missing = exists ? [] : [topic];
    if (deadLetters !== undefined) {
      if (await this.exists(connection, deadLetters)) await checkKept(connection, deadLetters);
      else if (this.createIfMissing || !exists) missing.push(deadLetters);
      else this.#warn(deadLetters);
    }
    if (missing.length > 0) await create(connection, missing);
    return true;
  }

  #warn(topic: string): void {
    if (this.#warned.has(topic)) return;
    this.#warned.add(topic);
    this.#log.warn(
      'the topic for dead letters does not exist: where the broker does not create it, messages that are given up stop their partition; write create_if_missing = true in the consumer block to have it created',
      { topic },
    );
  }
}

/** Throws where a topic would keep the last dead letter of each key alone. Not everybody may ask for that. */
async function checkKept({ client }: LogConnection, topic: string): Promise<void> {
  const admin = client.admin();
  const resources = [{ type: topics, name: topic, configNames: [policyName] }];
  const policy = await admin
    .connect()
    .then(() => admin.describeConfigs({ includeSynonyms: false, resources }))
    .then((found) => found.resources[0]?.configEntries.find(({ configName }) => configName === policyName)?.configValue)
    .catch(() => undefined);
  await admin.disconnect().catch(() => undefined);
  if (policy?.includes('compact') === true)
    throw new Failure(
      'connector_failed',
      `the topic "${topic}" of dead letters keeps the last one of each key alone: take "compact" out of its ${policyName}, or write another \`topic\` in the dlq block`,
      { retriable: false },
    );
}

async function create({ client }: LogConnection, missing: readonly string[]): Promise<void> {
  const admin = client.admin();
  try {
    await admin.connect();
    await admin.createTopics({
      waitForLeaders: true,
      topics: missing.map((topic) => ({ topic, numPartitions: standard, replicationFactor: standard })),
    });
  } catch (error) {
    throw refused(error);
  } finally {
    await admin.disconnect().catch(() => undefined);
  }
}
