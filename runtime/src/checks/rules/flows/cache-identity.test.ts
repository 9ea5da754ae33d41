import { describe, expect, test } from 'vitest';
import { everyFlow } from '../../../engine/flow/every-flow.ts';
import { load } from '../../../engine/plan/testing/service.ts';
import { checkCacheIdentity } from './cache-identity.ts';

const flow = (cache: string, rest = '') => `flow "f" {
  from {
    connector = "api"
    operation = "GET /x"
  }
  cache {
    storage = "memory"
    ${cache}
  }
  ${rest}
  response { ok = "true" }
}`;

function warnings(configuration: string) {
  const found: string[] = [];
  everyFlow([checkCacheIdentity])(load(configuration), (code, _message, { range }) =>
    found.push(`${code} ${configuration.slice(range.start, range.end)}`),
  );
  return found;
}

describe('S-89: a cache key on a flow for signed-in callers', () => {
  test.each([
    ['requires a caller', flow('key = "k:${input.id}"', 'require {}'), ['shared-cache-key "k:${input.id}"']],
    [
      'reads the caller',
      flow('key_from = "input.id"', 'transform { a = "auth.user_id" }'),
      ['shared-cache-key "input.id"'],
    ],
    ['has the caller in its key', flow('key = "k:${auth.user_id}"', 'require {}'), []],
    ['computes its key from the caller', flow('key_from = "auth.user_id + input.id"', 'require {}'), []],
    ['is meant for all callers', flow('key = "k"\n    scope = "shared"', 'require {}'), []],
    ['has no key of its own', flow('', 'require {}'), []],
    ['is for everybody', flow('key = "k:${input.auth}"', 'transform { a = "\'auth\'" }'), []],
  ])('that %s', (_title, configuration, expected) => {
    expect(warnings(configuration)).toEqual(expected);
  });
});
