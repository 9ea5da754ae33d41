import { describe, expect, test } from 'vitest';
import type { CallRequest, Naming } from '../../foundation/contracts/target.ts';
import type { Failure } from '../../foundation/errors/failure.ts';
import { addressRow, type RowKeys } from './row-address.ts';

const keys: RowKeys = {
  keyOf: (name) => (['tenant', 'order_id'].includes(name.toLowerCase()) ? name.toLowerCase() : undefined),
};

const naming = (made: Naming['made'], given: Naming['given'] = {}, isCalled = false): Naming => ({
  made,
  given,
  isCalled,
});
const address = (request: CallRequest) => addressRow(request, keys);
const refused = (request: CallRequest) => {
  try {
    return address(request);
  } catch (error) {
    const { code, fields } = error as Failure;
    return [code, fields?.map((each) => [each.field, each.code])];
  }
};

describe('a row is named', () => {
  test('by what the flow says, before what the message says', () => {
    const payload = { order_id: 'a', state: 'paid' };
    expect(address({ payload, naming: naming(payload, { order_id: 'b', id: 'c' }) })).toEqual({
      filters: { order_id: 'a' },
      payload: { state: 'paid' },
    });
  });

  test('by what the message says, where the flow names nothing', () => {
    const payload = { state: 'paid' };
    expect(address({ payload, naming: naming(payload, { order_id: 'b', who: 'ann' }, true) })).toEqual({
      filters: { order_id: 'b' },
      payload,
    });
  });

  test('by filters, whatever column they are of, which a transform may write', () => {
    const payload = { state: 'paid' };
    expect(address({ filters: { state: 'new' }, payload, naming: naming(payload) })).toEqual({
      filters: { state: 'new' },
      payload,
    });
  });

  test('by several columns together', () => {
    const payload = { tenant: 't', state: 'paid' };
    expect(address({ filters: { order_id: 1 }, payload, naming: naming(payload) })).toEqual({
      filters: { order_id: 1, tenant: 't' },
      payload: { state: 'paid' },
    });
  });

  test('by nothing', () => {
    expect(address({ payload: { id: 1 }, naming: naming({ id: 1 }, { order_id: null }) })).toEqual({
      filters: {},
      payload: { id: 1 },
    });
  });
});

describe('a row is refused', () => {
  const twice = ['value_refused', [['order_id', 'conflict']]];

  test('that the flow and a path parameter name differently, but in their spelling', () => {
    const filters = { order_id: '5' };
    expect(refused({ filters, naming: naming({ order_id: 6 }) })).toEqual(twice);
    expect(refused({ filters, naming: naming({ order_id: 5n }) })).toEqual({ filters, payload: undefined });
    expect(refused({ filters, naming: naming({ ORDER_ID: '6' }) })).toEqual([
      'value_refused',
      [['ORDER_ID', 'conflict']],
    ]);
  });

  test('that the flow and an argument name differently; a body may mean another field', () => {
    expect(refused({ naming: naming({ order_id: 1 }, { order_id: 2 }, true) })).toEqual(twice);
    expect(refused({ naming: naming({ order_id: 1 }, { order_id: 2 }) })).toEqual({
      filters: { order_id: 1 },
      payload: undefined,
    });
  });

  test('whose key is null in what finds it, as a step gives it, or in a list', () => {
    for (const order_id of [null, [1, null]])
      for (const filters of [{ order_id }, { state: 'new', order_id }])
        expect(refused({ filters })).toEqual(['value_refused', [['order_id', 'required']]]);
    expect(refused({ filters: { state: null } })).toEqual({ filters: { state: null }, payload: undefined });
  });

  test('whose key the flow has no value for', () => {
    expect(refused({ naming: naming({ order_id: null }, { order_id: 2 }) })).toEqual([
      'value_refused',
      [['order_id', 'required']],
    ]);
  });
});
