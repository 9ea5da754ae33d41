import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { until } from '../../support/until.ts';
import { startScenario } from '../scenario.ts';
import { startUpstream } from '../upstream.ts';
import { type PulledPlace, prefetch, pulledSources } from './pulled-sources.ts';

/** A connector, and a flow of its name that takes its messages. */
const configuration = ({ type, connector }: PulledPlace) => `
${connector.replace('connector "orders"', `connector "${type}"`)}
flow "keep_${type}" {
  from {
    connector = "${type}"
  }
  to {
    connector = "sink"
    operation = "POST /kept"
  }
}
`;

/** How many messages are sent to each. */
const sent = 8;

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

test('of every source that can be pulled, metrics say what waits, what is held and what was not begun', async () => {
  const answers: (() => void)[] = [];
  const sink = await startUpstream(() => (response) => void answers.push(() => void response.end('{}')));
  cleanups.push(() => sink.close());
  const places: PulledPlace[] = [];
  for (const { isHere, place: makePlace } of pulledSources) {
    if (!isHere) continue;
    const place = await makePlace();
    places.push(place);
    cleanups.push(() => place.close());
  }
  const service = await startScenario(import.meta.dirname, {
    env: { SINK_URL: sink.address },
    prepare: (directory) => writeFileSync(join(directory, 'orders.hcl'), places.map(configuration).join('')),
  });
  cleanups.push(() => service.end());
  const numbers = Array.from({ length: sent }, (_, n) => n);
  for (const place of places) await place.publish(numbers);
  const names = ['svc_messages_backlog', 'svc_messages_held', 'svc_messages_waiting'];
  const found = async (): Promise<Record<string, readonly (number | undefined)[]>> => {
    const series = places.map(({ type }) =>
      Promise.all(names.map((name) => service.metric(`${name}{connector="${type}",driver="${type}"}`))),
    );
    return Object.fromEntries((await Promise.all(series)).map((values, at) => [places[at]?.type ?? '', values]));
  };
  // The lag of a log is what is not committed, and so has what is held in it.
  const full = Object.fromEntries(
    places.map(({ type }) => [type, [type === 'partitioned_log' ? sent : sent - prefetch, prefetch, prefetch - 1]]),
  );
  await until(async () => answers.length === places.length && JSON.stringify(await found()) === JSON.stringify(full));
  const empty = await until(async () => {
    for (const answer of answers.splice(0)) answer();
    const now = await found();
    return Object.values(now).every((values) => values.every((value) => value === 0)) && now;
  });
  expect(empty).toEqual(Object.fromEntries(places.map(({ type }) => [type, [0, 0, 0]])));
  expect(await Promise.all(places.map((place) => place.acknowledged()))).toEqual(places.map(() => sent));
});
