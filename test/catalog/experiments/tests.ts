import { inDirectory } from '../../../runtime/src/cli/testing/typed.ts';
import { mockedNames, noFlags } from '../../../runtime/src/engine/mocks/mocking.ts';
import { loadConfiguration } from '../../../runtime/src/service/config/load.ts';
import { connectors, flow, test, tested } from '../../../runtime/src/tools/harness/testing/tested.ts';
import type { Experiment } from './experiment.ts';
import type { Shown } from './flows.ts';

const step = (name: string) =>
  `step "${name}" {\n connector = "db"\n target = "orders"\n params = { id = "input.id" }\n}\n`;

const flows = [
  flow(
    'one',
    'GET /one',
    'require {}\nresponse {\n who = "auth.user_id"\n mail = "auth.email"\n role = "auth.roles"\n tenant = "auth.claims.tenant"\n}',
  ),
  flow('two', 'POST /two', 'to {\n connector = "bank"\n operation = "POST /charges"\n}'),
  flow(
    'three',
    'POST /three',
    'response {\n n = "input.n"\n at = "now()"\n id = "uuid()"\n size = "env(\'SIZE\', \'0\')"\n}',
  ),
  flow('four', 'POST /four', 'accept {\n when = "input.n == 1"\n}\nresponse {\n a = "1"\n}'),
  flow('five', 'GET /five/:id', `${step('a')}response {\n a = "step.a"\n}`),
  flow('six', 'GET /six/:id', `${step('a')}${step('b')}response {\n b = "step.b"\n}`),
  flow(
    'seven',
    'GET /seven',
    'step "a" {\n connector = "near"\n query = "SELECT 7 AS n"\n}\nresponse {\n a = "step.a"\n}',
  ),
  'auth {\n jwt {\n secret = "a secret of at least thirty-two bytes"\n }\n}\n',
  flow('eight', 'GET /eight', 'require {\n mfa = "10m"\n}\nresponse {\n a = "1"\n}'),
  'connector "near" {\n type = "database"\n driver = "sqlite"\n database = ":memory:"\n}\n',
].join('');

/** What came of one test: what was not as expected, and which calls were made. */
const ran = (
  name: string,
  lines: string,
  values: Experiment['values'],
  files: Readonly<Record<string, string>> = {},
): Experiment => ({
  values,
  observe: async (value) => {
    const { results, diagnostics } = await tested(
      flows,
      test(
        't',
        name.replace('§', value),
        lines.replaceAll('§', () => value),
      ),
      {},
      files,
    );
    return JSON.parse(
      JSON.stringify(
        [
          diagnostics.map(({ code, message }) => [code, message]),
          results.map(({ problems, calls, log }) => [
            problems.map(({ subject, expected, actual, notes }) => [subject, expected, actual, notes]),
            calls,
            log,
          ]),
        ],
        (_, one) => (typeof one === 'bigint' ? `${one}n` : one),
      ),
    );
  },
});

const anything = 'expect {\n output = { never = true }\n}';
const signedIn = (lines: string, values: Experiment['values']) =>
  ran('one', `auth = { user_id = "u", ${lines} }\n${anything}`, values);
const banked = (lines: string) => `input = { n = 1 }\nmock "bank" {\n ${lines}\n}\n${anything}`;
const stored = (lines: string) =>
  `input = { id = "7" }\nmock "db" {\n ${lines}\n}\nmock "db" {\n result = [{ other = 1 }]\n}\n${anything}`;
const charged = (lines: string) =>
  `input = { n = 1 }\nmock "bank" {\n result = { ok = true }\n}\nexpect {\n call "bank" {\n ${lines}\n }\n}`;
const expected = (name: string, line: string, values: Experiment['values']) =>
  ran(name, `input = { n = 2 }\nexpect {\n ${line}\n}`, values);
const numbers: Experiment['values'] = ['1', '2'];

/** `svc test` with tests of flows. */
export const tests: Shown = {
  flow: ran('§', `input = { n = 1 }\n${anything}`, ['three', 'four']),
  input: ran('three', `input = §\n${anything}`, ['{ n = 1 }', '{ n = 2 }']),
  input_file: ran('three', `input_file = §\n${anything}`, ['"a.json"', '"b.json"'], {
    'a.json': '{"n":1}',
    'b.json': '{"n":2}',
  }),
  env: ran('three', `input = { n = 1 }\nenv = §\n${anything}`, ['{ SIZE = "1" }', '{ SIZE = "2" }']),
  clock: ran('three', `input = { n = 1 }\nclock = §\n${anything}`, [
    '"2026-01-01T00:00:00Z"',
    '"2027-01-01T00:00:00Z"',
  ]),
  seed: ran('three', `input = { n = 1 }\nseed = §\n${anything}`, numbers),
  allow_real: ran('seven', `allow_real = §\n${anything}`, ['true', 'false']),
  'auth.user_id': ran('one', `auth = { user_id = §, claims = { tenant = 1 } }\n${anything}`, ['"a"', '"b"']),
  'auth.email': signedIn('claims = { tenant = 1 }, email = §', ['"a@b.c"', '"d@e.f"']),
  'auth.roles': signedIn('claims = { tenant = 1 }, roles = §', ['["a"]', '["b"]']),
  'auth.claims': signedIn('claims = §', ['{ tenant = 1 }', '{ tenant = 2 }']),
  'auth.mfa': ran('eight', `auth = { mfa = § }\n${anything}`, ['"5m"', '"15m"']),
  'mock.operation': ran('two', banked('operation = §\n result = { a = 1 }'), ['"POST /charges"', '"POST /other"']),
  'mock.target': ran('five', stored('target = §\n result = [{ a = 1 }]'), ['"orders"', '"invoices"']),
  'mock.when': ran('five', stored('when = §\n result = [{ a = 1 }]'), ['"input.id == \'7\'"', '"input.id == \'8\'"']),
  'mock.result': ran('five', stored('result = §'), ['[{ a = 1 }]', '[{ a = 2 }]']),
  'mock.file': ran('five', stored('file = §'), ['"a.json"', '"b.json"'], {
    'a.json': '[{"a":1}]',
    'b.json': '[{"a":2}]',
  }),
  'mock.error': ran('two', banked('error = §'), ['"connector_timeout"', '"connector_refused"']),
  'mock.status': ran('two', banked('error = "connector_failed"\n status = §'), ['409', '502']),
  'mock.times': ran('six', stored('result = [{ a = 1 }]\n times = §'), numbers),
  'expect.output': expected('three', 'output = §', ['{ n = 1 }', '{ n = 2 }']),
  'expect.output_has': expected('three', 'output_has = §', ['{ n = 1 }', '{ n = 2 }']),
  'expect.status': expected('three', 'status = §', ['200', '201']),
  'expect.disposition': expected('three', 'disposition = §', ['"reply"', '"error"']),
  'expect.dropped': expected('four', 'dropped = §', ['"accept"', '"filter"']),
  'expect.error': expected('two', 'error = §', ['"mock"', '"other"']),
  'expect.call.operation': ran('two', charged('operation = §'), ['"POST /charges"', '"POST /other"']),
  'expect.call.target': ran(
    'five',
    `input = { id = "7" }\nmock "db" {\n result = [{ a = 1 }]\n}\nexpect {\n call "db" {\n target = §\n }\n}`,
    ['"orders"', '"invoices"'],
  ),
  'expect.call.params': ran('two', charged('params = §'), ['{ n = 1 }', '{ n = 2 }']),
  'expect.call.times': ran('two', charged('times = §'), numbers),
};

/** The connectors that recordings in two folders are found for. */
const recorded = (lines: string, values: Experiment['values']): Experiment => ({
  values,
  observe: (value) => {
    const files = {
      'main.hcl': `${connectors}mocks {\n ${lines.replaceAll('§', () => value)}\n}\n`,
      'one/connectors/db/orders.json': '{"data":[]}',
      'two/connectors/bank/GET_rates.json': '{"data":{}}',
    };
    return inDirectory(files, async (directory) => {
      const options = { environment: {}, workingDirectory: directory, tests: false, workers: 1, mocking: noFlags };
      const { project, recordings } = await loadConfiguration(directory, options);
      return recordings === undefined ? 'none' : mockedNames(project, recordings, noFlags);
    });
  },
});

/** Recordings in the place of connectors. */
export const mocks: Shown = {
  enabled: recorded('path = "./one"\n enabled = §', ['true', 'false']),
  path: recorded('enabled = true\n path = §', ['"./one"', '"./two"']),
  'connectors.*': recorded('enabled = true\n path = "./one"\n connectors {\n db = §\n }', [
    '{}',
    '{ enabled = false }',
  ]),
};
