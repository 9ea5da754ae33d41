import { expect, test } from 'vitest';
import { serve } from '../../engine/plan/testing/service.ts';
import { test as block, flow, outcomes, tested } from './testing/tested.ts';

const big = 9007199254740993n;

test('a whole number beyond 2^53 keeps its digits in a test, its mocks and what it expects', async () => {
  const echo = flow(
    'echo',
    'POST /echo',
    `  step "row" {
    connector = "db"
    query     = "SELECT n FROM t WHERE id = :id"
    params    = { id = 9007199254740993 }
  }
  response {
    given  = "string(input.given)"
    nested = "string(input.deep.list[0])"
    row    = "string(step.row.n)"
    plain  = "input.given"
  }`,
  );
  const report = await tested(
    echo,
    block(
      'digits',
      'echo',
      `input = { given = 9007199254740993, deep = { list = [-9007199254740993] } }
      mock "db" {
        result = { n = 9007199254740995 }
      }
      expect {
        output = { given = "9007199254740993", nested = "-9007199254740993", row = "9007199254740995", plain = 9007199254740993 }
      }`,
    ),
  );
  expect(outcomes(report)).toEqual({ digits: [] });
});

test('and in what is sent', async () => {
  const service = await serve(`flow "f" {
  from {
    connector = "api"
    operation = "POST /x"
  }
  step "row" {
    connector = "db"
    query     = "SELECT n FROM t WHERE id = :id"
    params    = { id = 9007199254740993 }
  }
  step "ask" {
    connector = "peer"
    operation = "POST /y"
    body      = { n = 9007199254740993, list = [9007199254740995, 1] }
  }
  transform {
    n = 9007199254740993
    m = "9007199254740993"
  }
  to {
    connector = "db"
    target    = "t"
  }
}`);
  await service.deliver('f', {});
  expect(service.calls.map(({ payload, params }) => payload ?? params)).toEqual([
    { id: big },
    { n: big, list: [9007199254740995n, 1] },
    { n: big, m: big },
  ]);
});

test('and in the enum of a type', async () => {
  const service = await serve(`type "ids" {
  n = integer({ enum = [9007199254740993, 7] })
}
flow "f" {
  from {
    connector = "api"
    operation = "POST /x"
  }
  validate {
    input = "ids"
  }
  to {
    connector = "db"
    target    = "t"
  }
}`);
  expect(await service.deliver('f', { n: big })).toMatchObject({ kind: 'reply' });
  const refused = Promise.resolve().then(() => service.deliver('f', { n: 9007199254740995n }));
  await expect(refused).rejects.toMatchObject({ fields: [{ message: 'must be one of 9007199254740993, 7' }] });
});
