import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { until } from '../../../../../test/support/until.ts';
import { binding, reply, served } from '../../../connectors/rest/testing/served.ts';

/** Opens connections of another thread, which has a heap of its own, eight at a time, each with one request. */
const callers = `const { connect } = require('node:net');
const { parentPort, workerData: { port } } = require('node:worker_threads');
parentPort.on('message', (count) => {
  let begun = 0;
  let ended = 0;
  const next = () => {
    if (begun++ >= count) return;
    const socket = connect(port, '127.0.0.1', () =>
      socket.write('GET /a HTTP/1.1\\r\\nHost: x\\r\\nConnection: close\\r\\n\\r\\n'),
    );
    socket.resume();
    socket.on('close', () => (++ended === count ? parentPort.postMessage('ended') : next()));
  };
  for (let at = 0; at < 8; at++) next();
});`;

/** Collects the whole heap, or its young space alone. */
function collector(): (options?: { readonly type: 'minor' }) => void {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc');
}

/** Bytes in use of the old space. */
function oldSpace(): number {
  return getHeapSpaceStatistics().find(({ space_name }) => space_name === 'old_space')?.space_used_size ?? 0;
}

test('P-18: of a connection that has ended, collections of the young space keep next to nothing', async () => {
  const collect = collector();
  await using server = await served([binding('GET /a', () => reply(1))]);
  const worker = new Worker(callers, { eval: true, workerData: { port: server.port } });
  const pass = async (count: number) => {
    const ended = new Promise((resolve) => worker.once('message', resolve));
    worker.postMessage(count);
    await ended;
    await until(() => server.listener.connections === 0);
  };
  try {
    await pass(500);
    collect();
    collect();
    const before = oldSpace();
    await pass(1_000);
    for (let round = 0; round < 3; round++) collect({ type: 'minor' });
    // Node alone leaves 1,800 bytes of each.
    expect((oldSpace() - before) / 1_000).toBeLessThan(600);
  } finally {
    await worker.terminate();
  }
});
