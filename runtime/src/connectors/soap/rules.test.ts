import { expect, test } from 'vitest';
import { projectOf } from '../../checks/rules/testing/problems.ts';

/** The errors of a configuration. */
const problemsIn = (text: string): readonly string[] =>
  projectOf(text)
    .diagnostics.filter(({ severity }) => severity === 'error')
    .map(({ message }) => message);

const flow = (operation: string, more = '') =>
  `flow "f" {\n from {\n connector = "api"\n operation = "${operation}"\n }\n ${more}\n response {\n a = "1"\n }\n}\n`;
const server = (lines = 'port = 8081') => `connector "api" {\n type = "soap"\n ${lines}\n}\n`;

test('the side of a connector is what is written of it: a port or an endpoint, and never both', () => {
  expect(problemsIn(`${server()}${flow('Get')}`)).toEqual([]);
  expect(problemsIn(`${server('driver = "server"\n port = 8081')}${flow('Get')}`)).toEqual([]);
  const both = problemsIn(`${server('port = 8081\n endpoint = "http://erp.example.org/"')}`);
  expect(both).toContainEqual(expect.stringContaining('port'));
  expect(problemsIn(server(''))).toContainEqual(expect.stringContaining('port'));
  expect(problemsIn(`${server('endpoint = "http://erp.example.org/"')}${flow('Get')}`)).toContainEqual(
    expect.stringContaining('cannot start a flow'),
  );
});

test('operations are names of elements', () => {
  for (const operation of ['GET /a', 'a b', '1a', 'x:a', '<a>'])
    expect([operation, problemsIn(`${server()}${flow(operation)}`)]).toEqual([
      operation,
      expect.arrayContaining([expect.stringContaining('must be the name of an operation')]),
    ]);
  expect(problemsIn(`${server()}${flow('GetResponse')}`)).toContainEqual(
    expect.stringContaining('must not end in Response'),
  );
  expect(
    problemsIn(`${server()}flow "f" {\n from {\n connector = "api"\n }\n response {\n a = "1"\n }\n}\n`),
  ).not.toEqual([]);
});

test('what is not built is refused: files, named operations, publishing', () => {
  expect(problemsIn(`${server('port = 1\n max_upload = "1MB"')}${flow('Get')}`)).toContainEqual(
    expect.stringContaining('max_upload'),
  );
  expect(problemsIn(`${server('port = 1\n operation "get" {\n }')}${flow('Get')}`)).toContainEqual(
    expect.stringContaining('operation'),
  );
  const client =
    'connector "erp" {\n type = "soap"\n endpoint = "http://erp.example.org/"\n retry {\n attempts = 2\n }\n}\n';
  expect(problemsIn(`${client}${server()}${flow('Get')}`)).toContainEqual(expect.stringContaining('retry'));
});
