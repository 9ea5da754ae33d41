import { rabbitmq } from '../../support/servers/rabbitmq.ts';
import type { Benchmark, Conditions, Row } from '../benchmark.ts';
import { compare } from '../compare.ts';
import { measure, median } from '../load.ts';
import { queueFiles } from '../queues/files.ts';
import { openQueue } from '../queues/rabbitmq.ts';
import { withServer } from '../queues/source.ts';
import { handWritten, type Side, service, startSide } from '../side.ts';

const folder = import.meta.dirname;
const ready = '/health/ready';
const requests = [
  {
    method: 'POST',
    path: '/orders',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ id: 7, name: ' Grace Hopper ' }),
  },
] as const;
/** Least rate of fifty requests at a time, by that of one at a time; it is about one where confirmations are serialised. */
const leastGain = 4;

export const publishRest: Benchmark = {
  name: 'publish-rest',
  title: 'P-09 from REST to a queue of RabbitMQ with confirms, beside Fastify and amqplib',
  run: (conditions) =>
    withServer(rabbitmq, async (url) => {
      const { env, close } = await openQueue(url, { arguments: { 'x-max-length': 1000 } });
      try {
        const ours = service(folder, { env, files: queueFiles('service') });
        const theirs = handWritten(folder, { env });
        const row = await compare(
          { name: 'P-09 fifty at a time', ours, theirs, requests, ready, floor: { rps: 0.7 } },
          conditions,
        );
        return [row, await inFlight(ours, theirs, conditions)];
      } finally {
        await close();
      }
    }),
};

/** A program that waits for one confirmation before the next message is as fast with fifty requests at a time as with one. */
async function inFlight(ours: Side, theirs: Side, conditions: Conditions): Promise<Row> {
  const gainOf = async (side: Side) => {
    const started = await startSide(side, ready);
    try {
      const { rps: alone } = await measure(started, requests, conditions, 1);
      const { rps: many } = await measure(started, requests, conditions, 50);
      return many / alone;
    } finally {
      await started.stop();
    }
  };
  const gains: { readonly theirs: number; readonly ours: number }[] = [];
  for (let round = 0; round < conditions.rounds; round++)
    gains.push({ theirs: await gainOf(theirs), ours: await gainOf(ours) });
  const gain = median(gains.map(({ ours: own }) => own));
  return {
    name: 'P-09 confirms in flight',
    ours: 'fifty at a time, beside one',
    beside: `${theirs.title} ${median(gains.map((each) => each.theirs)).toFixed(1)} times`,
    ratio: `${gain.toFixed(1)} times`,
    floor: `${leastGain} times`,
    holds: gain >= leastGain,
  };
}
