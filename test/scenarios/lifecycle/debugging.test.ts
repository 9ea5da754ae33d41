import { type EventParams, socketChannel, WireClient } from '@svc/protocol/wire';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { childrenOf } from '../../support/children.ts';
import { until } from '../../support/until.ts';
import { ask, type Scenario, startScenario } from '../scenario.ts';
import { startUpstream, type Upstream } from '../upstream.ts';

let service: Scenario | undefined;
let remote: Upstream;
beforeAll(async () => {
  remote = await startUpstream();
});
afterAll(() => remote?.close());
const clients: WireClient[] = [];
afterEach(async () => {
  for (const client of clients.splice(0)) client.close();
  await service?.end();
  service = undefined;
});

type Stopped = EventParams<'event.stopped'>;

async function connected(admin: string): Promise<{ client: WireClient; stops: Stopped[] }> {
  const socket = new WebSocket(`${admin.replace('http', 'ws')}/debug`);
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve);
    socket.addEventListener('error', () => reject(new Error('the debug endpoint does not answer')));
  });
  const client = new WireClient(socketChannel(socket));
  clients.push(client);
  await client.call('debug.attach', { capabilities: [] });
  const stops: Stopped[] = [];
  client.on('event.stopped', (stopped) => void stops.push(stopped));
  return { client, stops };
}

const workerOf = (threadId: string) => threadId.slice(0, threadId.indexOf('.'));

describe('several processes are debugged as one', () => {
  /** Asks until requests are paused in this many workers; what they answer comes when they are resumed. */
  async function heldIn(workers: number, { address }: Scenario, stops: readonly Stopped[]) {
    const answers: Promise<string>[] = [];
    const held = () => new Set(stops.map(({ threadId }) => workerOf(threadId)));
    while (held().size < workers) {
      const before = stops.length;
      let isAnswered = false;
      const answer = ask('GET', `${address}/version`, undefined, { connection: 'close' }).then(({ text }) => {
        isAnswered = true;
        return text;
      });
      // A worker may take requests a moment before it has the breakpoints.
      await until(() => stops.length > before || isAnswered);
      if (!isAnswered) answers.push(answer);
    }
    return { answers, threads: stops.map(({ threadId }) => threadId) };
  }

  test('breakpoints hold in all, threads are listed and resumed wherever they are, and a replaced worker has them too', async () => {
    service = await startScenario(import.meta.dirname, {
      args: ['--workers', '2'],
      env: { REMOTE_URL: remote.address },
    });
    const { client, stops } = await connected(service.admin);
    const second = await connected(service.admin);
    const breakpoint = { stage: 'response', ruleIndex: 0 };
    expect(await client.call('debug.setBreakpoints', { flow: 'version', breakpoints: [breakpoint] })).toEqual({
      breakpoints: [{ ...breakpoint, verified: true, message: '' }],
    });
    await expect(client.call('debug.setBreakpoints', { flow: 'versoin', breakpoints: [] })).rejects.toMatchObject({
      code: -32002,
    });
    const { answers, threads } = await heldIn(2, service, stops);
    await until(() => second.stops.length === stops.length);
    const listed = await client.call('debug.threads', {});
    expect(listed.threads.map(({ id, paused }) => [id, paused]).sort()).toEqual(threads.map((id) => [id, true]).sort());
    for (const threadId of threads) {
      expect(await client.call('debug.reading', { threadId, expression: "'a' + 'b'" })).toMatchObject({
        result: { value: 'ab' },
      });
      await second.client.call('debug.continue', { threadId });
    }
    expect(await Promise.all(answers)).toEqual(threads.map(() => '{"version":"0"}'));
    for (const threadId of ['9.t0', 't0'])
      await expect(client.call('debug.continue', { threadId })).rejects.toMatchObject({ code: -32001 });

    const workers = new Set(threads.map(workerOf));
    const { pid } = service;
    const [first] = await childrenOf(pid);
    process.kill(first as number, 'SIGKILL');
    await until(async () => {
      const children = await childrenOf(pid);
      return children.length === 2 && !children.includes(first as number);
    });
    stops.length = 0;
    const again = await heldIn(2, service, stops);
    expect(new Set(again.threads.map(workerOf))).not.toEqual(workers);
    for (const end of [client, second.client]) end.close();
    expect(await Promise.all(again.answers)).toEqual(again.threads.map(() => '{"version":"0"}'));
    expect(await service.stop()).toEqual({ code: 0, signal: null });
  });
});
