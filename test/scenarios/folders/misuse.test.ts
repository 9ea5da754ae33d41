import { expect, test } from 'vitest';
import { check } from '../../catalog/check.ts';

const api = 'connector "api" {\n type = "rest"\n port = 0\n}\n';
const db = 'connector "db" {\n type = "database"\n driver = "sqlite"\n database = "a.db"\n}\n';
const files = (lines = '') => `connector "files" {\n type = "file"\n base_path = "data"\n ${lines}\n}\n`;
const flow = (body: string, from = 'connector = "api"\n operation = "POST /x"') =>
  `flow "f" {\n from {\n ${from}\n }\n ${body}\n}\n`;
const to = (lines: string) => flow(`to {\n connector = "files"\n ${lines}\n }`);
const batch = (lines: string, target = 'target = "out.csv"\n operation = "append"') =>
  flow(`batch {\n ${lines}\n to {\n connector = "files"\n ${target}\n }\n }`);

/** What is wrong with a configuration, each as its code and message. */
function errors(text: string): string[] {
  const { diagnostics } = check({ 'service.hcl': text });
  return diagnostics.filter(({ severity }) => severity === 'error').map(({ code, message }) => `${code}: ${message}`);
}

test.each([
  ['a path that leads out', to('target = "../x.json"'), 'leads out of its folder'],
  ['an operation that is unknown', to('target = "x"\n operation = "find"'), '"find" is neither'],
  ['an operation of other stores', to('target = "x"\n operation = "presign_get"'), 'cannot be done here'],
  ['a format that is unknown', to('target = "x"\n format = "yaml"'), 'format'],
  ['a copy without its destination', to('operation = "copy"\n params = { source = "a" }'), 'destination'],
  ['a parameter that the operation does not take', to('target = "x"\n params = { sheets = "a" }'), 'sheets'],
  ['a parameter of the wrong kind', to('target = "x"\n params = { append = "perhaps" }'), 'append'],
  ['a destination without a file', to(''), 'target'],
  [
    'rows of which each replaces the file',
    batch('source = "db"\n query = "SELECT 1 ORDER BY 1"', 'target = "o.csv"'),
    'append',
  ],
  ['a batch that lists', batch('source = "files"\n target = "a"\n operation = "list"'), 'one after another'],
  ['a batch with a query of files', batch('source = "files"\n query = "SELECT 1 ORDER BY 1"'), 'answers no queries'],
  ['a batch over a database without a query', batch('source = "db"\n target = "t"'), 'does not give rows'],
  ['a source that takes nothing', flow('response {\n a = "1"\n }', 'connector = "files"'), 'watch = true'],
])('svc validate refuses %s', (_title, text, says) => {
  expect(errors(api + db + files() + text)).toEqual([expect.stringContaining(says)]);
});

test.each([
  ['done alone', 'watch {\n done = "done"\n }', 'failed'],
  ['tries without done', 'watch {\n retry_count = 2\n }', 'done'],
  ['a folder outside', 'watch {\n done = "../done"\n failed = "failed"\n }', 'below that of the connector'],
  ['the folder itself', 'watch {\n done = "."\n failed = "./failed"\n }', 'below that of the connector'],
  ['permissions that are not octal', 'permissions = "0888"', 'octal'],
  ['two characters as delimiter', 'csv_delimiter = ";;"', 'one character'],
  ['a pattern without parameters', 'operation "o" {\n path_pattern = ""\n }', 'path_pattern'],
])('A-12: svc validate refuses %s', (_title, lines, says) => {
  const found = errors(api + files(lines));
  expect(found.length).toBeGreaterThan(0);
  for (const each of found) expect(each).toContain(says);
});
