import { expect, test } from 'vitest';
import type { RequestMessage } from './request-message.ts';
import { ServerTiming } from './server-timing.ts';
import { binding, reply, served } from './testing/served.ts';

const durations = (header: string | undefined) => header?.replace(/dur=[\d.]+/g, 'dur=…');

test('stages are named in their order, behind the whole, and nothing of a name ends an entry', () => {
  const timing = new ServerTiming();
  timing.add('step', 'price', 1.23456);
  timing.add('write', 'a", b;c\r\n\\é', 2);
  timing.add('validate input', '', -1);
  expect(timing.header().replace(/^total;dur=[\d.]+/, 'total;dur=…')).toBe(
    'total;dur=…, step;desc="price";dur=1.235, write;desc="a_, b;c____";dur=2, validate_input;dur=0',
  );
});

test('A-06: very many stages and very long names are cut', () => {
  const timing = new ServerTiming();
  for (let at = 0; at < 1000; at++) timing.add('step', 'x'.repeat(1000), 1);
  expect(timing.header().split(', ')).toHaveLength(33);
  expect(timing.header().length).toBeLessThan(4_000);
});

test('answers and failures say it where it is written, outside production alone', async () => {
  const flows = [
    binding('GET /a', (message) => {
      (message as RequestMessage).stages?.add('read', 'orders', 2);
      return reply({ a: 1 });
    }),
    binding('GET /failed', () => Promise.reject(new Error('broken'))),
  ];
  const timing = async (config: Record<string, unknown>, production: boolean, path: string) => {
    await using server = await served(flows, { config, services: { production } });
    return durations((await server.ask(path)).headers['server-timing']);
  };
  expect(await timing({ server_timing: true }, false, '/a')).toBe('total;dur=…, read;desc="orders";dur=…');
  expect(await timing({ server_timing: true }, false, '/failed')).toBe('total;dur=…');
  expect(await timing({ server_timing: true }, true, '/a')).toBeUndefined();
  expect(await timing({}, false, '/a')).toBeUndefined();
});
