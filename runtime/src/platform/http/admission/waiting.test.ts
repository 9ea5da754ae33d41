import { describe, expect, test } from 'vitest';
import { until } from '../../../../../test/support/until.ts';
import { binding, reply, served } from '../../../connectors/rest/testing/served.ts';
import type { Outcome } from '../../../foundation/contracts/outcome.ts';
import { clockBy } from '../../../service/running/testing/manual-clock.ts';

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;
const statuses = (text: string) => [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status));
const some = (count: number, status: number): number[] => new Array(count).fill(status);

/**
 * At most eight requests under way. Each takes longer than a turn by default: the first is served as it comes,
 * and the others wait. `burst` sends many together on one connection and gives the status of each.
 */
async function busy(milliseconds = 2) {
  let time = 1_000;
  const held: ((outcome: Outcome) => void)[] = [];
  const work = binding('GET /work', () => {
    time += milliseconds;
    return reply(1);
  });
  const hold = binding('GET /hold', () => new Promise<Outcome>((resolve) => held.push(resolve)));
  const server = await served([work, hold], {
    config: { max_in_flight: 8 },
    services: { clock: clockBy(() => time) },
  });
  const burst = async (count: number) =>
    statuses(await server.raw(get('/work').repeat(count), (text) => statuses(text).length === count));
  const pass = (more: number) => {
    time += more;
  };
  return { server, burst, held, pass };
}

describe('P-18: while requests are refused', () => {
  test('few wait for the processor, and all of them again a moment after the last refusal', async () => {
    const { server, burst, pass } = await busy();
    await using _ = server;
    const whole = [...some(9, 200), ...some(11, 503)];
    const short = [...some(3, 200), ...some(17, 503)];
    expect(await burst(20)).toEqual(whole);
    expect(await burst(20)).toEqual(short);
    // Every refusal starts the moment again.
    pass(90);
    expect(await burst(20)).toEqual(short);
    pass(90);
    expect(await burst(3)).toEqual(some(3, 200));
    pass(100);
    expect(await burst(20)).toEqual(whole);
  });

  test('a burst that is not too much is served as a whole', async () => {
    const { server, burst } = await busy();
    await using _ = server;
    for (let round = 0; round < 3; round++) expect(await burst(9)).toEqual(some(9, 200));
  });

  test('those that wait for something else may be as many as ever', async () => {
    const { server, burst, held } = await busy();
    await using _ = server;
    const ask = () => server.ask('/hold').then(({ status }) => status);
    const first = Array.from({ length: 8 }, ask);
    await until(() => held.length === 8);
    expect(await burst(3)).toEqual(some(3, 503));
    held.shift()?.(reply(1));
    expect(await Promise.race(first)).toBe(200);
    // Requests are refused at this moment; the place that has become free is taken all the same.
    const next = ask();
    await until(() => held.length === 8);
    expect(await burst(3)).toEqual(some(3, 503));
    for (const answer of held) answer(reply(1));
    expect(await Promise.all([...first, next])).toEqual(some(9, 200));
  });

  test('those of which the callers went away while they waited are counted no longer', async () => {
    const { server, burst, pass } = await busy();
    await using _ = server;
    await burst(20);
    // Two that wait are left by their caller, who has read the answers before them.
    await server.raw(get('/work').repeat(4), (text) => statuses(text).length > 0);
    await server.idle();
    expect(await burst(20)).toEqual([...some(3, 200), ...some(17, 503)]);
    pass(100);
    expect(await burst(20)).toEqual([...some(9, 200), ...some(11, 503)]);
  });
});
