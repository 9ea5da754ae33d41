import { GraphQLError } from 'graphql';
import { expect, test } from 'vitest';
import { answered, type Failed } from '../../../../foundation/contracts/outcome.ts';
import { failureOf } from '../../../../foundation/errors/answered.ts';
import { Failure } from '../../../../foundation/errors/failure.ts';
import { ErrorForm } from './errors.ts';

function bed(production: boolean) {
  const lines: { readonly level: string; readonly message: string; readonly fields: unknown }[] = [];
  const write = (level: string) => (message: string, fields: unknown) => void lines.push({ level, message, fields });
  return {
    lines,
    form: new ErrorForm({ connector: 'gql', production, log: { error: write('error'), warn: write('warn') } }),
  };
}

const at = (path: readonly (string | number)[], originalError?: Error) =>
  new GraphQLError('it does not fit', { path, originalError });

test('a failure that many fields wait for is one line under one id', () => {
  const { lines, form } = bed(true);
  const failure = new Failure('connector_failed', 'no such table: t', { at: { flow: 'f', connector: 'db' } });
  const errors = form.all([0, 1, 2].map((row) => at(['rows', row, 'owner'], failure)));
  const [id, ...others] = new Set(errors.map(({ extensions }) => extensions?.['request_id']));
  expect(others).toEqual([]);
  expect(errors[2]).toEqual({
    message: 'Internal Server Error',
    path: ['rows', 2, 'owner'],
    extensions: { code: 'internal', request_id: id },
  });
  const where = { flow: 'f', failed_connector: 'db', field: 'rows.0.owner' };
  expect(lines).toEqual([
    {
      level: 'error',
      message: 'request failed',
      fields: { connector: 'gql', request_id: id, code: 'connector_failed', error: 'no such table: t', ...where },
    },
  ]);
});

test('what the schema refuses is a warning, once for equal ones and at most ten times for a result', () => {
  const { lines, form } = bed(false);
  const equal = Array.from({ length: 50 }, (_, row) => at(['rows', row, 'name']));
  form.all([...equal, ...Array.from({ length: 50 }, (_, n) => new GraphQLError(`value ${n}`, { path: ['n'] }))]);
  expect(lines).toHaveLength(10);
  expect(lines[0]).toEqual({
    level: 'warn',
    message: 'an answer does not fit its field',
    fields: { connector: 'gql', field: 'rows.0.name', error: 'it does not fit' },
  });
});

test('neither documents that are wrong nor what callers cause is logged', () => {
  const { lines, form } = bed(true);
  form.all([new GraphQLError('Cannot query field'), at(['a'], new Failure('permission_denied', 'no'))]);
  form.request(new Failure('body_undecodable', 'the body is malformed'));
  expect(lines).toEqual([]);
});

test.each([true, false])('what a flow answered is shown whole, production: %s', (production) => {
  const { lines, form } = bed(production);
  const value = { code: 'SOLD_OUT', error: { message: 'nothing is left' }, left: 0n };
  const failure = failureOf(answered({ value, status: 503 }) as Failed);
  expect(form.all([at(['buy'], failure)])).toEqual([
    {
      message: 'nothing is left',
      path: ['buy'],
      extensions: {
        code: 'SOLD_OUT',
        status: 503,
        body: { code: 'SOLD_OUT', error: { message: 'nothing is left' }, left: 0 },
      },
    },
  ]);
  expect(lines).toEqual([]);
});
