import type { JetStreamManager } from '@nats-io/jetstream';
import type { QueueCounts } from '../../../foundation/contracts/queue.ts';

/** What a server says of a consumer. Those that pull are not counted: only their requests are, while they wait. */
export async function consumerCounts(
  { consumers, streams }: JetStreamManager,
  stream: string,
  durable: string,
): Promise<QueueCounts> {
  const { num_pending, num_ack_pending, ack_floor, config } = await consumers.info(stream, durable);
  const counts = { ready: num_pending, unacknowledged: num_ack_pending, done: ack_floor.consumer_seq };
  // A sequence counts messages of every subject.
  const takesAll = config.filter_subject === undefined && config.filter_subjects === undefined;
  if (!takesAll) return counts;
  const { state } = await streams.info(stream);
  return { ...counts, arrived: state.last_seq };
}

/** What a stream has of one subject. */
export async function subjectCounts(
  { streams }: JetStreamManager,
  stream: string,
  subject: string,
): Promise<QueueCounts> {
  const { state } = await streams.info(stream, { subjects_filter: subject });
  const of = state.subjects ?? {};
  return { ready: Object.values(of).reduce((sum, count) => sum + count, 0) };
}
