import { describe, expect, test } from 'vitest';
import { load, serve, type TestOptions } from '../../plan/testing/service.ts';

const flow = (body: string) =>
  `flow "f" {\n  from {\n    connector = "api"\n    operation = "POST /x"\n  }\n${body}\n}\n`;
const words = (extra = '') => `
    connector   = "post"
    template    = "hello"
    subject     = "To \${input.name}, \${input.n}"
    attachments = { bill = "input.file", fixed = 1, list = ["input.name", "b"] }
    urgent      = "input.n > 1"
    headers     = { x-tenant = "input.tenant", x-none = "null" }
    ${extra}`;

const input = { name: 'Ada', n: 2, file: { id: 7 }, tenant: 'shop' };
const given = {
  subject: 'To Ada, 2',
  attachments: { bill: { id: 7 }, fixed: 1, list: ['Ada', 'b'] },
  urgent: true,
  headers: { 'x-tenant': 'shop', 'x-none': null },
};

async function run(body: string, options: TestOptions = {}, message: object = input) {
  const service = await serve(flow(body), options);
  const outcome = await service.deliver('f', message as Record<string, unknown>);
  await service.background();
  return { outcome, letters: service.calls.filter(({ connector }) => connector === 'post') };
}

describe('attributes that only a connector interprets reach it, evaluated for each message', () => {
  const to = `to {${words()}\n  }`;
  test.each([
    ['to', to],
    ['a to of several', `${to}\n  to {\n connector = "db"\n target = "t"\n }`],
    ['step', `step "s" {${words('operation = "send"')}\n  }`],
    [
      'enrich',
      `enrich "e" {${words('operation = "send"')}\n  }\n  transform { a = "enriched.e" }\n ${'to {\n connector = "db"\n target = "t"\n }'}`,
    ],
  ])('%s', async (_where, body) => {
    const { letters } = await run(body);
    expect(letters.map(({ description, words: sent, headers }) => [description.words, sent, headers])).toEqual([
      [{ template: 'hello' }, given, undefined],
    ]);
  });

  test('the rows of a batch, each separately', async () => {
    const rows = [input, { ...input, name: 'Bo' }];
    const body = `batch {\n source = "db"\n query = "SELECT 1 ORDER BY 1"\n to {${words()}\n }\n }`;
    const answer: TestOptions['answer'] = ({ connector }) => (connector === 'db' ? { rows } : { affected: 1 });
    const { letters } = await run(body, { answer });
    expect(letters.map(({ words: sent }) => sent?.['subject'])).toEqual(['To Ada, 2', 'To Bo, 2']);
  });

  test('an action of an aspect, with what the aspect knows', async () => {
    const body = `to {\n connector = "db"\n target = "t"\n }`;
    const action = words().replace('"To ${input.name}, ${input.n}"', '"${_flow} of ${output.who}"');
    const aspect = `aspect "a" {\n on = ["f"]\n when = "after"\n action {${action}\n transform {\n who = "input.name"\n }\n }\n}\n`;
    const service = await serve(flow(body) + aspect);
    await service.deliver('f', input);
    const letters = service.calls.filter(({ connector }) => connector === 'post');
    expect(letters.map(({ description, words: sent, payload }) => [description.words, sent, payload])).toEqual([
      [{ template: 'hello' }, { ...given, subject: 'f of Ada' }, { who: 'Ada' }],
    ]);
  });

  test('an action of a saga', async () => {
    const saga = `saga "g" {\n  from {\n    connector = "api"\n    operation = "POST /x"\n  }\n  step "s" {\n    action {${words()}\n    }\n  }\n}\n`;
    const service = await serve(saga);
    await service.deliver('g', input);
    expect(service.calls.map(({ description, words: sent }) => [description.words, sent])).toEqual([
      [{ template: 'hello' }, given],
    ]);
  });

  test('a value of the wrong type fails, and nothing is sent', async () => {
    const body = `to {${words()}\n  }`;
    await expect(run(body.replace('input.n > 1', 'input.name'))).rejects.toMatchObject({
      code: 'expression_failed',
      message: 'to "post": urgent must give true or false, not a text',
    });
    await expect(run(body, {}, { ...input, n: [1] })).rejects.toMatchObject({
      code: 'expression_failed',
      message: 'to "post": subject must be made of texts and numbers, not of a list',
    });
  });

  test('its required attributes are checked, and expressions may read only the variables of their place', () => {
    const problems = (body: string) => load(flow(body)).diagnostics.map(({ code, message }) => `${code}: ${message}`);
    expect(problems('to {\n connector = "post"\n }')).toEqual([
      'missing-attribute: to in flow "f" needs the attribute template',
    ]);
    expect(problems('to {\n connector = "db"\n target = "t"\n template = "t"\n }')).toEqual([
      'unknown-attribute: connector "db" (store) takes no template, which to in flow "f" writes',
    ]);
  });
});
