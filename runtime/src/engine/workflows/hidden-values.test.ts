import { describe, expect, test } from 'vitest';
import type { WatchedStage } from '../../foundation/contracts/probe.ts';
import { hiddenValuesIn, stricter } from './hidden-values.ts';

const stageOf = (target: string, expression: string): WatchedStage => ({
  stage: 'transform',
  name: '',
  rules: [{ index: 0, target, expression }],
});

describe('rules that read what is hidden', () => {
  test.each([
    ['t', 'input.headers.authorization', 'always'],
    ['t', "input.headers['Authorization'].split(' ')[1]", 'always'],
    ['t', "upper(input.headers['cookie'])", 'always'],
    ['params.authorization', 'input.t', 'always'],
    ['t', 'input.headers[input.which]', 'always'],
    ['t', 'input.headers.map(name, input.headers[name])', 'always'],
    ['t', 'input.headers', 'always'],
    ['t', 'merge(input, {})', 'always'],
    ['t', 'input[input.which]', 'always'],
    ['t', 'lower(input.password)', 'outside_development'],
    ['api_key', "'x'", 'outside_development'],
    ['t', 'input', undefined],
    ['t', 'input.name', undefined],
    ['t', "input.headers['x-shop']", undefined],
    ['t', 'step.input_of_it.size', undefined],
  ] as const)('%s = %s: %s', (target, expression, expected) => {
    expect(hiddenValuesIn([stageOf('a', 'input.b'), stageOf(target, expression)])).toBe(expected);
  });

  test('the stricter of two holds', () => {
    expect(stricter(undefined, 'outside_development')).toBe('outside_development');
    expect(stricter('always', 'outside_development')).toBe('always');
    expect(stricter('outside_development', 'always')).toBe('always');
    expect(stricter('always', undefined)).toBe('always');
    expect(stricter('outside_development', undefined)).toBe('outside_development');
    expect(stricter(undefined, undefined)).toBe(undefined);
  });
});
