import { expect, test } from 'vitest';
import { createExpressionEngine } from '../../../plan/engine.ts';
import { Expressions } from '../../../plan/expressions.ts';
import { load } from '../../../plan/testing/service.ts';
import { compileProjectTypes, typeModels } from '../../../plan/types.ts';
import { sampleOf } from './sample.ts';
import { fieldFormats } from './spec.ts';

/** The sample of each field of type `t`, and the problems that its check finds in all of them together. */
function sampled(fields: string) {
  const project = load(`type "t" {\n${fields}\n}`);
  expect(project.diagnostics).toEqual([]);
  const [model] = typeModels(project).filter(({ name }) => name === 't');
  const sample = Object.fromEntries(model!.fields.map((field) => [field.name, sampleOf(field)]));
  const checkers = compileProjectTypes(project, new Expressions(createExpressionEngine(() => undefined)));
  const problems = checkers.get('t')?.problemsOf(sample) ?? [];
  return { sample, problems: problems.map(({ field, code }) => `${field} ${code}`) };
}

test('a sample passes the checks of its type', () => {
  expect(
    sampled(`  customer = string({ min_length = 12, max_length = 20 })
  short    = string({ max_length = 2 })
  quantity = integer({ min = 1, max = 1000 })
  below    = integer({ max = -3 })
  odd      = integer({ min = 0.5 })
  price    = number({ min = 0.25 })
  status   = string({ enum = ["open", "paid"] })
  level    = integer({ default = 7, min = 5 })
  on       = boolean
  key      = id
  tags     = array({ items = "string", min_length = 2 })
  extra    = object
  inner    = { city = string, count = integer({ min = 2 }) }`),
  ).toEqual({
    sample: {
      ...{ customer: 'customerxxxx', short: 'sh', quantity: 1, below: -3, odd: 1, price: 0.25, status: 'open' },
      ...{ level: 7, on: false, key: 'key', tags: ['tags', 'tags'], extra: {}, inner: { city: 'city', count: 2 } },
    },
    problems: [],
  });
});

test('a sample passes each format', () => {
  const { problems } = sampled(
    fieldFormats.map((format) => `  ${format}_x = string({ format = "${format}" })`).join('\n'),
  );
  expect(problems).toEqual([]);
});

test('no sample is made up behind a pattern', () => {
  expect(sampled('  code = string({ pattern = "^[A-Z]{2}$" })').sample).toEqual({ code: undefined });
});
