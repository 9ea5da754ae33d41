import { type Experiment, runs } from './experiment.ts';
import type { Shown } from './flows.ts';
import { asking, under } from './work.ts';

const api = 'connector = "api"\n operation = "POST /x"';
const saga = (lines: string, from = api) => `saga "f" {\n from {\n ${from}\n }\n ${lines}\n}\n`;
const insert = 'connector = "db"\n operation = "INSERT"\n target = "t"\n data = { a = 1 }';
const fails = 'connector = "db"\n operation = "INSERT"\n target = "t"\n data = { fail = "connector_refused" }';
const step = (lines: string, name = 's') => `step "${name}" {\n ${lines}\n }\n`;
const action = (lines: string) => `action {\n ${lines}\n }`;
const sent = [{ input: { id: 1, n: 'two' } }];
const dispositions: Experiment['values'] = ['"ack"', '"reject"'];
const filtered = (lines: string, operation = 'connector = "events"\n operation = "orders"') =>
  saga(step(action(insert)), `${operation}\n filter {\n ${lines}\n }`);
const executing = 'runtime/src/engine/workflows/execute.test.ts';
const hangs = insert.replace('a = 1', 'hold = true');
const retrying = (lines: string) =>
  saga(step(`${action(fails)}\n retry {\n attempts = 3\n delay = "2s"\n ${lines}\n }`));

/** What every block that asks a connector says, in each place where a saga has one. */
const places = {
  'step.action': (lines: string) => saga(step(action(lines))),
  'step.compensate': (lines: string) =>
    saga(step(`${action(insert)}\n compensate {\n ${lines}\n }`) + step(action(fails), 'bad')),
  on_complete: (lines: string) => saga(`${step(action(insert))}on_complete {\n ${lines}\n }`),
  on_failure: (lines: string) => saga(`${step(action(fails))}on_failure {\n ${lines}\n }`),
};

export const sagas: Shown = {
  timeout: runs(`${saga(`timeout = §\n ${step(action(hangs))}`)}`, ['"1s"', '"2s"']),
  'from.connector': runs(saga(step(action(insert)), 'connector = §\n operation = "POST /x"'), ['"api"', '"events"']),
  'from.operation': runs(saga(step(action(insert)), 'connector = "api"\n operation = §'), ['"POST /x"', '"POST /y"']),
  'from.filter.condition': runs(filtered('condition = §'), ['"true"', '"false"']),
  'from.filter.on_reject': runs(filtered('condition = "false"\n on_reject = §'), dispositions),
  'from.filter.id_field': runs(
    filtered('condition = "false"\n on_reject = "requeue"\n id_field = §'),
    ['"input.a"', '"input.b"'],
    [{ input: { a: 'one', b: 'two' } }],
  ),
  'from.filter.max_requeue': runs(filtered('condition = "false"\n on_reject = "requeue"\n max_requeue = §'), [
    '1',
    '2',
  ]),
  'step.delay': [executing, 'R-53: of seven days passes after seven days'],
  'step.await': [executing, 'resumes its instance, which reads its body from then on'],
  'step.timeout': runs(saga(step(`${action(hangs)}\n timeout = §`)), ['"1s"', '"2s"']),
  'step.on_error': runs(saga(step(`${action(fails)}\n on_error = §`)), ['"fail"', '"skip"']),
  'step.retry.attempts': runs(saga(step(`${action(fails)}\n retry {\n attempts = §\n }`)), ['1', '2']),
  'step.retry.delay': runs(saga(step(`${action(fails)}\n retry {\n attempts = 2\n delay = §\n }`)), ['"1s"', '"2s"']),
  'step.retry.max_delay': runs(retrying('backoff = "exponential"\n max_delay = §'), ['"3s"', '"9s"']),
  'step.retry.backoff': runs(retrying('backoff = §'), ['"constant"', '"linear"']),
  'step.retry.unsafe': runs(
    saga(
      step(
        `${action(fails.replace('connector_refused', 'outcome_unknown'))}\n retry {\n attempts = 2\n unsafe = §\n }`,
      ),
    ),
    ['true', 'false'],
  ),
  ...Object.assign({}, ...Object.entries(places).map(([place, text]) => under(place, asking(text, sent, {})))),
};
