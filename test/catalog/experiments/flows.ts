import type { Proof } from '../proof.ts';
import { caller, type Experiment, runs, validates } from './experiment.ts';

/** What shows each attribute of a root block: a configuration that is run with two values, or a test by its title. */
export type Shown = Readonly<Record<string, Experiment | Proof>>;

/** A flow with these lines in it, beside where it begins and where it writes. */
export const flow = (lines: string, from = 'connector = "api"\n operation = "POST /x"', to = destination) =>
  `flow "f" {\n from {\n ${from}\n }\n ${lines}\n ${to}\n}\n`;

export const destination = 'to {\n connector = "db"\n target = "t"\n }';

/** Two caches of one kind. */
export const other = 'connector "other" {\n type = "cache"\n driver = "memory"\n}\n';

const message = 'connector = "events"\n operation = "orders"';
const yes: Experiment['values'] = ['"true"', '"false"'];
const dispositions: Experiment['values'] = ['"ack"', '"reject"'];
const types = 'type "a" {\n n = string\n}\ntype "b" {\n n = number\n}\n';
const scheduler = 'runtime/src/engine/schedule/scheduler.test.ts';

/** Where messages come from, and what turns them away. */
export const gates: Shown = {
  returns: runs(`type "user" {\n id = id\n}\n${flow('returns = §')}`, ['"user"', '"user[]"']),
  entity: [
    'runtime/src/connectors/graphql/server/execution/entities.test.ts',
    'references are resolved by the flow that names their type, else by the query that returns it',
  ],
  'from.connector': runs(flow('', 'connector = §\n operation = "POST /x"'), ['"api"', '"events"']),
  'from.operation': runs(flow('', 'connector = "api"\n operation = §'), ['"POST /x"', '"POST /y"']),
  'from.on_reject': runs(flow('', `${message}\n filter = "false"\n on_reject = §`), dispositions),
  'from.filter.condition': runs(flow('', `${message}\n filter {\n condition = §\n }`), yes),
  'from.filter.on_reject': runs(
    flow('', `${message}\n filter {\n condition = "false"\n on_reject = §\n }`),
    dispositions,
  ),
  'from.filter.id_field': runs(
    flow('', `${message}\n filter {\n condition = "false"\n on_reject = "requeue"\n id_field = §\n }`),
    ['"input.a"', '"input.b"'],
    [{ input: { a: 'one', b: 'two' } }],
  ),
  'from.filter.max_requeue': runs(
    flow('', `${message}\n filter {\n condition = "false"\n on_reject = "requeue"\n max_requeue = §\n }`),
    ['1', '2'],
  ),
  'when.schedule': ['runtime/src/engine/schedule/cron.test.ts', '"%s" is not scheduled'],
  'when.timezone': [
    'runtime/src/engine/schedule/cron.test.ts',
    'a zone in front holds unless another is written beside',
  ],
  'when.storage': [
    'runtime/src/engine/schedule/runner.test.ts',
    'that another process holds leaves the tick to that process',
  ],
  'when.overlap': [scheduler, 'queue runs it afterwards, a hundred at most'],
  'require.roles': runs(
    flow('require {\n roles = §\n }'),
    ['["admin"]', '["clerk"]'],
    [{ message: caller(['admin']) }],
  ),
  'require.permissions': runs(
    flow('require {\n permissions = §\n }'),
    ['["read"]', '["write"]'],
    [{ message: caller([], ['read']) }],
  ),
  'require.mfa': [
    'runtime/src/engine/flow/stages/require/stage.test.ts',
    'S-27: a second factor must have been proved within the time that is required',
  ],
  'accept.when': runs(flow('accept {\n when = §\n }'), yes),
  'accept.on_reject': runs(flow('accept {\n when = "false"\n on_reject = §\n }'), dispositions),
  'validate.input': runs(types + flow('validate {\n input = §\n }'), ['"a"', '"b"'], [{ input: { n: 'x' } }]),
  'validate.output': runs(types + flow('validate {\n output = §\n }\n response {\n n = "\'x\'"\n }'), ['"a"', '"b"']),
};

const failing = { input: { fail: 'connector_timeout' } };
const refused = { input: { fail: 'connector_refused' } };
const retrying = (line: string) =>
  flow(`error_handling {\n retry {\n attempts = 3\n delay = "2s"\n backoff = "exponential"\n ${line}\n }\n }`);
const failingOver = (line: string) =>
  flow(`error_handling {\n fallback {\n connector = "peer"\n target = "failed"\n ${line}\n }\n }`);

/** What happens when the work of a flow fails. */
export const failures: Shown = {
  'error_handling.retry.attempts': runs(
    flow('error_handling {\n retry {\n attempts = §\n }\n }'),
    ['1', '2'],
    [refused],
  ),
  'error_handling.retry.delay': runs(
    flow('error_handling {\n retry {\n attempts = 2\n delay = §\n }\n }'),
    ['"1s"', '"2s"'],
    [refused],
  ),
  'error_handling.retry.max_delay': runs(retrying('max_delay = §'), ['"3s"', '"9s"'], [refused]),
  'error_handling.retry.backoff': runs(
    flow('error_handling {\n retry {\n attempts = 3\n delay = "1s"\n backoff = §\n }\n }'),
    ['"constant"', '"linear"'],
    [refused],
  ),
  'error_handling.retry.unsafe': runs(
    retrying('unsafe = §'),
    ['true', 'false'],
    [{ input: { fail: 'outcome_unknown' } }],
  ),
  'error_handling.fallback.connector': runs(
    flow('error_handling {\n fallback {\n connector = §\n target = "failed"\n }\n }'),
    ['"db"', '"peer"'],
    [failing],
  ),
  'error_handling.fallback.target': runs(
    flow('error_handling {\n fallback {\n connector = "peer"\n target = §\n }\n }'),
    ['"a"', '"b"'],
    [failing],
  ),
  'error_handling.fallback.include_error': runs(failingOver('include_error = §'), ['true', 'false'], [failing]),
  'error_handling.fallback.transform.*': runs(
    failingOver('transform {\n why = §\n }'),
    ['"error.code"', '"1"'],
    [failing],
  ),
  'error_handling.error_response.status': runs(
    flow('error_handling {\n error_response {\n status = §\n }\n }'),
    ['418', '503'],
    [failing],
  ),
  'error_handling.error_response.headers': runs(
    flow('error_handling {\n error_response {\n headers = §\n }\n }'),
    ['{ x = "1" }', '{ x = "2" }'],
    [failing],
  ),
  'error_handling.error_response.body.*': runs(
    flow('error_handling {\n error_response {\n body {\n why = §\n }\n }\n }'),
    ['"error.code"', '"1"'],
    [failing],
  ),
  'error_handling.on_timeout.action': runs(
    flow('error_handling {\n retry {\n attempts = 2\n }\n on_timeout {\n action = §\n }\n }', message),
    ['"retry"', '"ack"'],
    [failing],
  ),
  'error_handling.on_error.action': runs(
    flow('error_handling {\n retry {\n attempts = 2\n }\n on_error {\n action = §\n }\n }', message),
    ['"retry"', '"reject"'],
    [refused],
  ),
};

/** Blocks that accept that each process keeps its own. */
export const accepted = (word: string, lines: string, before = '') =>
  validates(
    `connector "api" {\n type = "rest"\n}\nconnector "db" {\n type = "database"\n driver = "sqlite"\n database = "a.db"\n}\nconnector "memory" {\n type = "cache"\n driver = "memory"\n}\n${before}${flow(`${word} {\n ${lines}\n §\n }`)}`,
    ['', 'scope = "process"'],
  );
