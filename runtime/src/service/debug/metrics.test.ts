import { joinedChannels, WireClient } from '@svc/protocol/wire';
import { afterEach, expect, test } from 'vitest';
import { systemClock } from '../../foundation/observe/clock.ts';
import { memoryLog } from '../running/testing/fakes.ts';
import { startText, type TextService } from '../running/testing/text-service.ts';
import { notServed } from './connection/access.ts';
import { DebugEntryPoint } from './connection/entry-point.ts';

let service: TextService | undefined;
afterEach(() => service?.stop());

const flow = (name: string, lines: string) => `flow "${name}" {
  from {
    connector = "api"
    operation = "GET /${name}"
  }
${lines}
}
`;
const configuration = `connector "api" {
  type = "rest"
  port = env("PORT")
}
${flow('good', '  response {\n    a = "1"\n  }')}
${flow('bad', '  transform {\n    a = "1 / int(input.missing)"\n  }')}
${flow('gated', '  accept {\n    when = "false"\n  }\n  response {\n    a = "1"\n  }')}
${flow('idle', '  response {\n    a = "1"\n  }')}
`;

test('flows tell what they have done, by what they counted and how long it took', async () => {
  const debug = new DebugEntryPoint({
    access: notServed,
    clock: systemClock,
    log: memoryLog().log,
    variables: {},
    masksNames: false,
    maxPause: 60_000,
  });
  service = await startText(configuration, {}, { debug });
  const [ours, theirs] = joinedChannels();
  const client = new WireClient(ours);
  await debug.connect(theirs);
  const { capabilities } = await client.call('debug.attach', { capabilities: [] });
  expect(capabilities).toEqual(expect.arrayContaining(['caches', 'metrics']));
  for (const path of ['/good', '/good', '/bad', '/gated']) await fetch(`${service.address}${path}`);
  await client.call('debug.setBreakpoints', { flow: 'idle', breakpoints: [{ stage: 'input', ruleIndex: -1 }] });
  const stopped = new Promise<{ threadId: string }>((resolve) => client.on('event.stopped', resolve));
  const held = fetch(`${service.address}/idle`);
  const { threadId } = await stopped;
  const { bounds, flows, sources, process } = await client.call('inspect.metrics', {});
  await client.call('debug.continue', { threadId });
  await held;
  expect(bounds).toEqual([0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]);
  const counts = flows.map(({ durations, seconds, ...counted }) => ({
    ...counted,
    timed: durations.reduce((sum, each) => sum + each, 0),
    isTimed: durations.length === bounds.length + 1 && seconds > 0,
  }));
  const nothing = { succeeded: 0, failed: 0, dropped: 0, inFlight: 0 };
  expect(counts).toEqual([
    { ...nothing, flow: 'good', succeeded: 2, timed: 2, isTimed: true },
    { ...nothing, flow: 'bad', failed: 1, timed: 1, isTimed: true },
    { ...nothing, flow: 'gated', dropped: 1, timed: 1, isTimed: true },
    { ...nothing, flow: 'idle', inFlight: 1, timed: 0, isTimed: false },
  ]);
  expect(sources).toEqual([]);
  expect(process).toEqual({
    processes: 1,
    uptimeSeconds: expect.any(Number),
    memoryBytes: expect.any(Number),
    heapBytes: expect.any(Number),
    cpuSeconds: expect.any(Number),
    lagSeconds: expect.any(Number),
    requestsInFlight: 1,
    tasks: expect.any(Number),
  });
  expect(process.memoryBytes).toBeGreaterThan(process.heapBytes);
  // Looking makes no series that a scrape would then show.
  expect(service.service.metrics.text()).not.toMatch(/svc_flow_errors_total\{flow="good"/);
});
