import { expect, test } from 'vitest';
import { compile } from './testing/evaluate.ts';

const variables = { input: { text: 'a', list: [{ n: 1 }, {}], zero: 0 }, step: { user: { name: 'b' }, none: {} } };
const ofInput = ([name]: readonly string[]) => name === 'input';

/** Whether the failure of an expression repeats while `input` alone is the same. */
function again(source: string): boolean {
  const program = compile(source);
  try {
    program.evaluate(variables);
  } catch (error) {
    return program.failsAgain(error, ofInput);
  }
  throw new Error(`${source} does not fail`);
}

test.each([
  'input.missing',
  'input.text.size',
  'has(input.text.size)',
  '1 / int(input.zero)',
  'int(input.text)',
  'input.list.map(each, each.n)',
  // What varies beside it does not help.
  'uuid() + input.missing',
  'step.user.name + input.missing',
  '{"id": uuid(), "at": now(), "value": input.missing}',
  '[step.user.name, string(input.text / 2)]',
  'input.list.map(each, string(each.n) + step.user.name)',
  'input.text == "a" ? input.missing + step.user.name : ""',
  'input.text == "b" || input.missing',
  'input.blank ?? (input.missing + now())',
  'cel.bind(x, input.list, x[5].n + step.user.name)',
])('%s fails again', (source) => expect(again(source)).toBe(true));

test.each([
  'step.none.name',
  'input.text / step.user.name',
  'input.text + step.none.name',
  'int(now())',
  // It may not be asked for another time.
  'step.user.name == "b" ? input.missing : 1',
  'now_unix() > 0 ? input.missing : 1',
  'step.user.name == "x" || input.missing',
  'input.missing || step.user.name == "x"',
  'step.none.name ?? input.missing',
  'cel.bind(x, step.user, x.missing)',
  '[step.user.name].map(each, each.size)',
  'input.list.exists(each, each.n == step.user.name)',
])('%s may succeed another time', (source) => expect(again(source)).toBe(false));

test('an expression repeats its value where it reads what is the same and calls nothing that varies', () => {
  const repeats = (source: string) => compile(source).repeats(ofInput);
  expect(
    ['input.a + 1', '"a" + string(input.n)', 'uuid()', 'input.a + now()', 'step.a', 'env("A")'].map(repeats),
  ).toEqual([true, true, false, false, false, false]);
});
