import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, expect, test } from 'vitest';
import { until } from '../../support/until.ts';
import { startScenario } from '../scenario.ts';
import { startUpstream } from '../upstream.ts';
import { type PushedPlace, pushedSources, stopServers } from './pushed-sources.ts';

/** A connector, and a flow of its name that takes its messages. */
const configuration = ({ type, connector, operation, number }: PushedPlace) => `
${connector.replace('connector "orders"', `connector "${type}"`)}
flow "keep_${type}" {
  from {
    connector = "${type}"
    operation = "${operation}"
  }
  transform {
    n = "${number}"
  }
  to {
    connector = "sink"
    operation = "POST /${type}"
  }
}
`;

const sent = 8;
/** Of these, those that are with flows at once: by default one, or as many as the source holds, or one of each client. */
const begun: Readonly<Record<string, number>> = {
  kv_pubsub: 1,
  nats: 1,
  cdc: 1,
  file: 1,
  mongodb: 2,
  mqtt: sent,
  websocket: sent,
};
const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});
afterAll(stopServers);

test('of every source whose messages are pushed, metrics say what is held and what was not begun, and what waits where that is known', async () => {
  const answers: (() => void)[] = [];
  const sink = await startUpstream(() => (response) => void answers.push(() => void response.end('{}')));
  cleanups.push(() => sink.close());
  const places: PushedPlace[] = [];
  for (const { isHere, place: makePlace } of pushedSources) {
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
  for (const place of places) await place.publish(numbers, service.address);
  const names = ['svc_messages_backlog', 'svc_messages_held', 'svc_messages_waiting'];
  const found = async (): Promise<Record<string, readonly (number | undefined)[]>> => {
    const series = places.map(({ type }) =>
      Promise.all(names.map((name) => service.metric(`${name}{connector="${type}",driver="${type}"}`))),
    );
    return Object.fromEntries((await Promise.all(series)).map((values, at) => [places[at]?.type ?? '', values]));
  };
  // Of a folder all files are held here. The others do not know how many messages wait at their peers: that has no sample,
  // so that nothing is scaled by it.
  const backlog = (type: string) => (type === 'file' ? 0 : undefined);
  const full = Object.fromEntries(
    places.map(({ type }) => [type, [backlog(type), sent, sent - (begun[type] as number)]]),
  );
  await until(async () => JSON.stringify(await found()) === JSON.stringify(full));
  expect(await found()).toEqual(full);
  const lag = async () => {
    const metrics = await (await fetch(`${service.admin}/metrics`)).text();
    return [...metrics.matchAll(/^svc_source_lag_bytes\{connector="cdc",driver="cdc",target="\w+"\} (\d+)$/gm)].map(
      ([, bytes]) => Number(bytes),
    );
  };
  const hasChanges = places.some(({ type }) => type === 'cdc');
  // What the server keeps for the slot is counted in bytes instead.
  if (hasChanges) await until(async () => ((await lag())[0] ?? 0) > 0);
  const none = Object.fromEntries(places.map(({ type }) => [type, [backlog(type), 0, 0]]));
  await until(async () => {
    for (const answer of answers.splice(0)) answer();
    return JSON.stringify(await found()) === JSON.stringify(none);
  });
  const taken = places.map(({ type }) => sink.received.filter(({ url }) => url === `/${type}`).length);
  expect(taken).toEqual(places.map(() => sent));
});
