import { expect, test } from 'vitest';
import { expressionAt } from './expression-at.ts';

const at = (marked: string) => expressionAt(marked.replace('|', ''), marked.indexOf('|'))?.text;

test.each([
  ['in|put.customer', 'input'],
  ['input.cust|omer', 'input.customer'],
  ['trim(input.cust|omer) + output.total', 'input.customer'],
  ["step.quote.items[0].na|me == 'x'", 'step.quote.items[0].name'],
  ["input['first na|me'].length", "input['first name']"],
  ['input.items[1|0].x', 'input.items[10]'],
  ['output.total * ra|te', 'rate'],
])('%s reads %s', (marked, text) => {
  expect(at(marked)).toBe(text);
});

test.each(['tr|im(input.a)', 'input.name.starts|With(input.b)', "input.a == 'in|put.b'", '1|2 + 3', 'tr|ue', 'a |+ b'])(
  '%s reads nothing',
  (marked) => {
    expect(at(marked)).toBe(undefined);
  },
);
