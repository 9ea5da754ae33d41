import { connect } from 'node:http2';
import { expect, test } from 'vitest';
import { SseBed } from './testing/bed.ts';

test('events are sent over HTTP/2 where the port speaks it, and a client that leaves is forgotten', async () => {
  const bed = new SseBed();
  const connector = bed.connector();
  const bound = bed.bind(connector, {});
  await bound.prepare();
  await connector.open(new AbortController().signal);
  bound.use();
  const { http } = bound;
  if (http === undefined) throw new Error('it serves nothing');
  await bed.serve({ ...bound, http: { ...http, http2: true } });
  await connector.source.start();
  const session = connect(`http://127.0.0.1:${bed.port}`);
  const stream = session.request({ ':path': '/events' });
  let text = '';
  stream.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  await expect.poll(() => text).toContain('retry: ');
  await bed.push(connector, { target: 'broadcast' }, { payload: { n: 1 } } as never);
  await expect.poll(() => text).toContain('data: {"n":1}');
  stream.close(8);
  await expect.poll(() => stream.closed).toBe(true);
  // A stop ends those that are open, and does not wait for their clients.
  const open = session.request({ ':path': '/events' });
  await new Promise((resolve) => open.once('response', resolve));
  open.resume();
  const ended = new Promise((resolve) => open.once('close', () => resolve(open.rstCode)));
  await connector.close();
  expect(await ended).toBe(0);
  session.destroy();
  await bed.close();
});
