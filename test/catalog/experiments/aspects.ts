import { type Experiment, runs, validates } from './experiment.ts';
import { flow, other, type Shown } from './flows.ts';

const one = flow('');
const reading = flow('', 'connector = "api"\n operation = "GET /x/:id"');
const aspect = (lines: string, name = 'a', when = 'after') =>
  `aspect "${name}" {\n on = ["f"]\n when = "${when}"\n ${lines}\n}\n`;
const noting = (fields: string, more = '') =>
  `${more}\n action {\n connector = "peer"\n operation = "POST /notes"\n transform {\n ${fields}\n }\n }`;
const read = [
  { input: { id: 1, n: 'a' }, message: { addressed: ['id'] } },
  { input: { id: 1, n: 'b' }, message: { addressed: ['id'] } },
] as const;
const twice = [{ input: { id: 1, n: 'a' } }, { input: { id: 1, n: 'b' } }] as const;
const failing = Array.from({ length: 4 }, () => ({ input: { fail: 'connector_timeout' } }));
const acting = (lines: string, values: Experiment['values']) => runs(one + aspect(`action {\n ${lines}\n }`), values);
const caching = (lines: string, values: Experiment['values']) =>
  runs(other + reading + aspect(`cache {\n ${lines}\n }`, 'a', 'around'), values, read);
const breaking = (lines: string) =>
  `${one}${flow('').replace('"f"', '"g"').replace('/x', '/g')}${aspect(`circuit_breaker {\n ${lines}\n }`, 'a', 'around')}${aspect(`circuit_breaker {\n name = "other"\n failure_threshold = 1\n timeout = "1h"\n }`, 'b', 'around').replace('["f"]', '["g"]')}`;
const limiting = (lines: string) => one + aspect(`rate_limit {\n ${lines}\n }`, 'a', 'before');
const dropping = (lines: string) => other + one + aspect(`invalidate {\n ${lines}\n }`);
/** Lets a second pass, in which a breaker tries again. */
const pause =
  'flow "pause" {\n from {\n connector = "api"\n operation = "POST /pause"\n }\n coordinate {\n timeout = "1s"\n on_timeout = "skip"\n wait {\n when = "true"\n for = "\'never\'"\n }\n }\n response {\n a = "1"\n }\n}\n';
const paused = { flow: 'pause' };
const works = { input: { id: 1 } };
export const aspects: Shown = {
  on: runs(one + aspect(noting('a = "1"')).replace('["f"]', '§'), ['["f"]', '["g"]']),
  when: runs(one + aspect(noting('a = "1"'), 'a', '§').replace('"§"', '§'), ['"before"', '"after"']),
  if: runs(one + aspect(noting('a = "1"', 'if = §')), ['"true"', '"false"']),
  priority: runs(
    one +
      aspect(noting('a = "1"', 'priority = §'), 'a', 'before') +
      aspect(noting('b = "1"', 'priority = 1'), 'b', 'before'),
    ['0', '2'],
  ),
  'action.connector': acting('connector = §\n operation = "INSERT"\n target = "t"', ['"db"', '"peer"']),
  'action.flow': runs(
    `${one}${['g', 'h'].map((name) => flow('').replace('"f"', `"${name}"`).replace('/x', `/${name}`).replace('"t"', `"${name}"`)).join('')}${aspect('action {\n flow = §\n }')}`,
    ['"g"', '"h"'],
  ),
  'action.operation': acting('connector = "db"\n operation = §\n target = "t"', ['"INSERT"', '"DELETE"']),
  'action.target': acting('connector = "db"\n target = §', ['"a"', '"b"']),
  'action.transform.*': acting('connector = "db"\n target = "t"\n transform {\n a = §\n }', ['"input.id"', '"_flow"']),
  'cache.storage': caching('storage = §\n ttl = "1m"\n key = "${_flow}"', ['"memory"', '"other"']),
  'cache.ttl': caching('storage = "memory"\n ttl = §\n key = "${_flow}"', ['"1m"', '"2m"']),
  'cache.key': caching('storage = "memory"\n ttl = "1m"\n key = §', [
    '"${_flow}:${input.id}"',
    '"${_flow}:${input.n}"',
  ]),
  'cache.scope': validates(
    `connector "api" {\n type = "rest"\n auth {\n type = "api_key"\n keys = ["k"]\n }\n}\nconnector "db" {\n type = "database"\n driver = "sqlite"\n database = "a.db"\n}\nconnector "memory" {\n type = "cache"\n driver = "memory"\n}\n${flow('require {}', 'connector = "api"\n operation = "GET /x/:id"')}${aspect('cache {\n storage = "memory"\n ttl = "1m"\n key = "${_flow}:${input.id}"\n §\n }', 'a', 'around')}`,
    ['', 'scope = "shared"'],
  ),
  'circuit_breaker.name': runs(
    breaking('name = §\n failure_threshold = 1\n timeout = "1h"'),
    ['"mine"', '"other"'],
    [{ flow: 'g', input: { fail: 'connector_timeout' } }, works],
  ),
  'circuit_breaker.failure_threshold': runs(breaking('failure_threshold = §\n timeout = "1h"'), ['1', '2'], failing),
  'circuit_breaker.success_threshold': runs(
    breaking('failure_threshold = 1\n success_threshold = §\n timeout = "1s"') + pause,
    ['1', '2'],
    [...failing.slice(0, 1), paused, works, ...failing.slice(0, 1), works],
  ),
  'circuit_breaker.timeout': runs(
    breaking('failure_threshold = 1\n timeout = §') + pause,
    ['"1s"', '"1h"'],
    [...failing.slice(0, 1), paused, works],
  ),
  'rate_limit.key': runs(
    limiting('key = §\n requests_per_second = 0.1\n burst = 1'),
    ['"input.id"', '"input.n"'],
    twice,
  ),
  'rate_limit.requests_per_second': runs(
    limiting('key = "input.id"\n requests_per_second = §\n burst = 1'),
    ['1', '2'],
    twice,
  ),
  'rate_limit.burst': runs(limiting('key = "input.id"\n requests_per_second = 0.1\n burst = §'), ['1', '2'], twice),
  'rate_limit.storage': runs(other + limiting('key = "input.id"\n requests_per_second = 1\n storage = §'), [
    '"memory"',
    '"other"',
  ]),
  'rate_limit.scope': validates(
    `connector "api" {\n type = "rest"\n}\nconnector "db" {\n type = "database"\n driver = "sqlite"\n database = "a.db"\n}\n${limiting('key = "input.id"\n requests_per_second = 1\n §')}`,
    ['', 'scope = "process"'],
  ),
  'invalidate.storage': runs(dropping('storage = §\n keys = ["a"]'), ['"memory"', '"other"']),
  'invalidate.keys': runs(dropping('storage = "memory"\n keys = §'), ['["a"]', '["b"]']),
  'invalidate.patterns': runs(dropping('storage = "memory"\n patterns = §'), ['["a*"]', '["b*"]']),
  'response.headers': runs(one + aspect('response {\n headers = §\n }'), ['{ x = "1" }', '{ x = "2" }']),
  'response.*': runs(one + aspect('response {\n a = §\n }'), ['"1"', '"2"']),
};
