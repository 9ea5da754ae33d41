import { expect, test } from 'vitest';
import { send } from '../../testing/bed.ts';
import { opened } from '../../testing/opened.ts';
import { outboundBed } from '../testing/beds.ts';

const payload = { payload: { id: 5 } };

test('PUT is how it is sent', async () => {
  const { connector, messages } = await opened(outboundBed, { written: { method: 'PUT' } });
  await send(connector, { payload });
  expect(messages().map(({ method }) => method)).toEqual(['PUT']);
});

test('a try ends after its timeout, and the next one begins', async () => {
  const { connector, messages } = await opened(outboundBed, {
    answer: (_, nth) => (nth === 1 ? 'silent' : { status: 200 }),
    written: { timeout: 300 },
  });
  expect((await send(connector, { payload })).value).toMatchObject({ result: { attempts: 2 } });
  expect(messages()).toHaveLength(2);
});
