import { afterEach, expect, test } from 'vitest';
import { until } from '../../../../../test/support/until.ts';
import type { EventSource } from '../../../foundation/contracts/events.ts';
import { Metrics } from '../../../foundation/observe/metrics.ts';
import { ManualClock } from '../testing/manual-clock.ts';
import { countBacklogs } from './backlogs.ts';

const stop: AbortController[] = [];
afterEach(() => {
  for (const one of stop.splice(0)) one.abort();
});

function source(waiting?: EventSource['waiting']): EventSource {
  const parts = { name: 'q', prefetch: 10, unsettled: 0, admit: () => undefined };
  return { type: 'broker', ...parts, ...(waiting && { waiting }) };
}

test('what waits at the peers of sources is counted again and again, and what is not known has no sample', async () => {
  const metrics = new Metrics();
  const clock = new ManualClock();
  const ended = new AbortController();
  stop.push(ended);
  let orders: number | undefined = 7;
  const sources = new Map([
    ['orders', source(async () => orders)],
    ['events', source(async () => 3)],
    ['broken', source(() => Promise.reject(new Error('away')))],
    ['live', source()],
  ]);
  const counting = countBacklogs(() => sources, metrics, clock, ended.signal);
  const shown = () =>
    metrics
      .text()
      .split('\n')
      .filter((line) => /^svc_messages_backlog/.test(line));
  await until(() => clock.sleeping === 1);
  const events = 'svc_messages_backlog{connector="events",driver="broker"} 3';
  expect(shown()).toEqual(['svc_messages_backlog{connector="orders",driver="broker"} 7', events]);
  orders = undefined;
  await clock.pass(5_000);
  await until(() => shown().length === 1);
  expect(shown()).toEqual([events]);
  sources.delete('events');
  await until(() => clock.sleeping === 1);
  await clock.pass(5_000);
  await until(() => shown().length === 0);
  ended.abort();
  await counting;
});

test('A-04: a broker that is silent holds up neither the others nor a scrape', async () => {
  const metrics = new Metrics();
  const ended = new AbortController();
  stop.push(ended);
  const sources = new Map([
    ['silent', source(() => new Promise(() => undefined))],
    ['orders', source(async () => 1)],
  ]);
  const clock = new ManualClock();
  void countBacklogs(() => sources, metrics, clock, ended.signal);
  expect(metrics.text()).not.toContain('svc_messages_backlog{');
  await until(() => clock.sleeping === 1);
  expect(metrics.text()).toContain('svc_messages_backlog{connector="orders",driver="broker"} 1');
  expect(metrics.text()).not.toContain('silent');
});
