import { describe, expect, test } from 'vitest';
import type { CallRequest } from '../../../foundation/contracts/target.ts';
import { settleRequest } from './operation-parameters.ts';

/** Doubles `a` and gives `b` the value 7 when it is absent. */
const declared = {
  names: ['a', 'b'],
  settle: (values: Record<string, unknown>) => {
    if (typeof values['a'] === 'number') values['a'] *= 2;
    values['b'] ??= 7;
  },
};

function settled(request: CallRequest): CallRequest {
  settleRequest(declared, request);
  return request;
}

describe('the parameters of an operation that is called', () => {
  test('values stay in their place, defaults are added to the part that takes precedence', () => {
    expect(settled({ filters: { a: 1, c: 1 } })).toEqual({ filters: { a: 2, b: 7, c: 1 } });
    expect(settled({ filters: { a: 1, b: 2 }, payload: { b: 3 } })).toEqual({
      filters: { a: 2, b: 2 },
      payload: { b: 3 },
    });
    expect(settled({ payload: { c: 1 }, filters: { a: 1 } })).toEqual({ payload: { b: 7, c: 1 }, filters: { a: 2 } });
    expect(settled({})).toEqual({ params: { b: 7 } });
  });

  test('what the message holds is not touched', () => {
    const input = { a: 1 };
    expect(settled({ filters: input }).filters).toEqual({ a: 2, b: 7 });
    expect(input).toEqual({ a: 1 });
  });

  test('positional parameters have no names', () => {
    expect(settled({ params: [1] })).toEqual({ params: [1] });
  });
});
