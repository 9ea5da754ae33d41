import { expect, test } from 'vitest';
import { Failure } from '../../../foundation/errors/failure.ts';
import { failures } from '../../../foundation/errors/failures.ts';
import { serve } from '../../plan/testing/service.ts';

const flow = `flow "f" {
  from {
    connector = "api"
    operation = "POST /x"
  }
  step "ask" {
    connector = "peer"
    operation = "POST /y"
    body      = { n = "input.n" }
  }
  to {
    connector = "db"
    target    = "t"
  }
}`;

test.each(Object.keys(failures) as (keyof typeof failures)[])(
  'a call that fails with %s counts as an error of the connector unless it is the caller’s mistake',
  async (code) => {
    for (const late of [false, true]) {
      const fail = () => {
        throw new Failure(code, 'no', { retriable: false });
      };
      const service = await serve(flow, {
        answer: ({ connector }) =>
          connector === 'peer' ? { value: {} } : late ? Promise.resolve().then(fail) : fail(),
      });
      await Promise.resolve()
        .then(() => service.deliver('f', { n: 1 }))
        .catch(() => undefined);
      expect(service.events.filter(([kind]) => kind === 'call')).toEqual([
        ['call', 'peer', 'peer', 'call', 'success'],
        ['call', 'db', 'store', 'write', failures[code].callers ? 'refused' : 'error'],
      ]);
    }
  },
);
