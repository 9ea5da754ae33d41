import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines, type OnEngine, startOn } from '../engines.ts';

/** What databases take for the integer 5. */
const spelled = (id: number) => [`${id}`, `0${id}`, `%2B${id}`, `%20${id}`];

describe.each(engines)('one row, one key on $name', (engine) => {
  let on: OnEngine;
  beforeAll(async () => {
    if (!engine.skip) on = await startOn(engine, import.meta.dirname);
  });
  afterAll(() => on?.end());
  const ask = (method: string, path: string, body?: object) => on.service.ask(method, path, body);
  const balance = async (id: number) =>
    ((await ask('GET', `/accounts/${id}`)).body as { balance: number }[])[0]?.balance;

  test.skipIf(engine.skip)(
    'four spellings spend a balance once, and all but one are refused with the field',
    async () => {
      const ids = [...spelled(5), '5.0'];
      const answers = await Promise.all(ids.map((id) => ask('POST', `/accounts/${id}/spend`)));
      expect(answers.map(({ status }) => status)).toEqual([200, 400, 400, 400, 400]);
      for (const { body } of answers.slice(1))
        expect(body).toMatchObject({ fields: [{ field: 'id', code: 'type_mismatch' }] });
      expect(await balance(5)).toBe(20);
    },
  );

  test.skipIf(engine.skip)('spellings of a declared parameter go by one lock', async () => {
    const ids = ['6', '06', '%2B6', '006'];
    const answers = await Promise.all(ids.map((id) => ask('POST', `/declared/${id}/spend`)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(await balance(6)).toBe(20);
  });

  test.skipIf(engine.skip)('no spelling keeps a stale answer', async () => {
    for (const id of spelled(7)) await ask('GET', `/accounts/${id}`);
    for (const id of ['7', '07']) expect((await ask('GET', `/declared/${id}`)).body).toMatchObject([{ balance: 100 }]);
    expect((await ask('PATCH', '/accounts/7', { balance: 1 })).status).toBe(200);
    const answers = await Promise.all(spelled(7).map((id) => ask('GET', `/accounts/${id}`)));
    expect(answers.map(({ status }) => status)).toEqual([200, 400, 400, 400]);
    expect(answers[0]?.body).toMatchObject([{ balance: 1 }]);
    for (const id of ['7', '07']) expect((await ask('GET', `/declared/${id}`)).body).toMatchObject([{ balance: 1 }]);
    expect((await ask('PATCH', '/accounts/07', { balance: 2 })).status).toBe(400);
    expect(await balance(7)).toBe(1);
  });
});
