import { runs, validates } from './experiment.ts';
import { accepted, flow, other, type Shown } from './flows.ts';

const caches = ['"memory"', '"other"'] as const;
const lifetimes = ['"1m"', '"2m"'] as const;
const twice = [{ input: { id: 1, n: 'a' } }, { input: { id: 1, n: 'b' } }];
const reading = (lines: string) => flow(lines, 'connector = "api"\n operation = "GET /x/:id"');
const read = [{ input: { id: 1, n: 'a', prefix: 'p' }, message: { addressed: ['id'] } }];
const keyed = (word: string, more = '') => flow(`${word} {\n key = §\n ${more}\n }`);

/** The second comes while the first one is on its way; they are equal in `a`, and differ in `b`. */
const two = [{ input: { a: '1', b: '1', hold: true }, beside: true }, { input: { a: '1', b: '2' } }] as const;

const waiting = (lines: string) => flow(`coordinate {\n ${lines}\n wait {\n when = "true"\n for = "'a'"\n }\n }`);
const looking = (lines: string) => waiting(`timeout = "1s"\n preflight {\n ${lines}\n }`);
const signals = [`"'a'"`, `"'b'"`] as const;
const signalled = [{ flow: 'g', input: { id: 1 } }, {}];

/** The flow `g`, which gives a signal. */
const signalling = (name: string, lines: string, when = '"true"') =>
  flow(`coordinate {\n signal {\n when = ${when}\n emit = "${name}"\n ${lines}\n }\n }`)
    .replace('"f"', '"g"')
    .replace('/x', '/g');

/** The flow `later`, which lets a minute pass. */
const later =
  'flow "later" {\n from {\n connector = "api"\n operation = "POST /later"\n }\n coordinate {\n timeout = "1m"\n on_timeout = "skip"\n wait {\n when = "true"\n for = "\'never\'"\n }\n }\n response {\n a = "1"\n }\n}\n';

/** What executions keep for one another. */
export const keeping: Shown = {
  'async.storage': runs(other + flow('async {\n storage = §\n }'), caches),
  'async.ttl': runs(flow('async {\n storage = "memory"\n ttl = §\n }'), lifetimes),
  'async.scope': accepted('async', 'storage = "memory"'),
  'idempotency.storage': runs(other + flow('idempotency {\n storage = §\n key = "input.id"\n }'), caches),
  'idempotency.key': runs(flow('idempotency {\n storage = "memory"\n key = §\n }'), ['"input.id"', '"input.n"'], twice),
  'idempotency.ttl': runs(flow('idempotency {\n storage = "memory"\n key = "input.id"\n ttl = §\n }'), lifetimes),
  'idempotency.wait': runs(
    flow('idempotency {\n storage = "memory"\n key = "\'k\'"\n wait = §\n }'),
    ['"1s"', '"2s"'],
    [{ input: { hold: true }, beside: true }, { input: { hold: true } }],
  ),
  'idempotency.scope': accepted('idempotency', 'storage = "memory"\n key = "input.id"'),
  'lock.key': runs(keyed('lock', 'wait = false'), ['"input.a"', '"input.b"'], two),
  'lock.timeout': runs(flow('lock {\n key = "a"\n timeout = §\n }'), ['"1s"', '"2s"'], two),
  'lock.wait': runs(flow('lock {\n key = "a"\n timeout = "1s"\n wait = §\n }'), ['true', 'false'], two),
  'lock.retry': runs(flow('lock {\n key = "a"\n timeout = "1s"\n retry = §\n }'), ['"50ms"', '"80ms"'], two),
  'lock.scope': accepted('lock', 'key = "a"'),
  'semaphore.key': runs(keyed('semaphore', 'max_permits = 1\n timeout = "1s"'), ['"input.a"', '"input.b"'], two),
  'semaphore.max_permits': runs(
    flow('semaphore {\n key = "a"\n max_permits = §\n timeout = "1s"\n }'),
    ['1', '2'],
    two,
  ),
  'semaphore.timeout': runs(flow('semaphore {\n key = "a"\n max_permits = 1\n timeout = §\n }'), ['"1s"', '"2s"'], two),
  'semaphore.lease': runs(
    flow('semaphore {\n key = "a"\n max_permits = 1\n timeout = "1s"\n lease = §\n }'),
    ['"600ms"', '"900ms"'],
    two,
  ),
  'semaphore.scope': accepted('semaphore', 'key = "a"\n max_permits = 1'),
  'coordinate.timeout': runs(waiting('timeout = §'), ['"1s"', '"2s"']),
  'coordinate.on_timeout': runs(waiting('timeout = "1s"\n on_timeout = §'), ['"fail"', '"skip"']),
  'coordinate.max_retries': runs(waiting('timeout = "1s"\n on_timeout = "retry"\n max_retries = §'), ['1', '2']),
  'coordinate.max_concurrent_waits': runs(
    waiting('timeout = "1s"\n max_concurrent_waits = §'),
    ['1', '2'],
    [{ input: { id: 1 }, beside: true }, { input: { id: 2 } }],
  ),
  'coordinate.scope': accepted('coordinate', 'signal {\n when = "true"\n emit = "\'a\'"\n }'),
  'coordinate.wait.when': runs(flow('coordinate {\n timeout = "1s"\n wait {\n when = §\n for = "\'a\'"\n }\n }'), [
    '"true"',
    '"false"',
  ]),
  'coordinate.wait.for': runs(
    signalling("'a'", '') + flow('coordinate {\n timeout = "1s"\n wait {\n when = "true"\n for = §\n }\n }'),
    signals,
    signalled,
  ),
  'coordinate.signal.when': runs(
    signalling("'a'", '', '§') + waiting('timeout = "1s"'),
    ['"true"', '"false"'],
    signalled,
  ),
  'coordinate.signal.emit': runs(
    signalling('§', '').replace('"§"', '§') + waiting('timeout = "1s"'),
    signals,
    signalled,
  ),
  'coordinate.signal.ttl': runs(
    signalling("'a'", 'ttl = §') + later + waiting('timeout = "1s"'),
    ['"1s"', '"1h"'],
    [{ flow: 'g', input: { id: 1 } }, { flow: 'later' }, {}],
  ),
  'coordinate.preflight.connector': runs(
    `connector "api" {\n type = "server"\n}\nconnector "db" {\n type = "store"\n}\nconnector "db2" {\n type = "store"\n}\n${looking('connector = §\n query = "SELECT 1"')}`,
    ['"db"', '"db2"'],
  ),
  'coordinate.preflight.query': runs(looking('connector = "db"\n query = §'), ['"SELECT 1"', '"SELECT 2"']),
  'coordinate.preflight.params': runs(looking('connector = "db"\n query = "SELECT :a"\n params = §'), [
    '{ a = "input.id" }',
    '{ a = 2 }',
  ]),
  'coordinate.preflight.if_exists': runs(looking('connector = "db"\n query = "SELECT 1"\n if_exists = §'), [
    '"pass"',
    '"fail"',
  ]),
  'sequence_guard.key': runs(keyed('sequence_guard', 'sequence = "1"'), ['"input.id"', '"input.n"'], twice),
  'sequence_guard.sequence': runs(
    flow('sequence_guard {\n key = "a"\n sequence = §\n }'),
    ['"input.rising"', '"input.falling"'],
    [{ input: { rising: 1, falling: 2 } }, { input: { rising: 2, falling: 1 } }],
  ),
  'sequence_guard.on_older': runs(
    flow('sequence_guard {\n key = "a"\n sequence = "1"\n on_older = §\n }'),
    ['"ack"', '"requeue"'],
    twice,
  ),
  'sequence_guard.ttl': runs(
    later + flow('sequence_guard {\n key = "a"\n sequence = "input.n"\n ttl = §\n }'),
    ['"1s"', '"1h"'],
    [{ input: { n: 2 } }, { flow: 'later' }, { input: { n: 1 } }],
  ),
  'sequence_guard.scope': accepted('sequence_guard', 'key = "a"\n sequence = "1"'),
  'cache.storage': runs(other + reading('cache {\n storage = §\n key = "k"\n }'), caches, read),
  'cache.ttl': runs(reading('cache {\n storage = "memory"\n key = "k"\n ttl = §\n }'), lifetimes, read),
  'cache.key': runs(reading('cache {\n storage = "memory"\n key = §\n }'), ['"k:${input.id}"', '"k:${input.n}"'], read),
  'cache.key_from': runs(
    reading('cache {\n storage = "memory"\n key_from = §\n }'),
    ['"input.n"', '"input.prefix"'],
    read,
  ),
  'cache.invalidate_on': runs(
    `${reading('cache {\n storage = "memory"\n key = "k"\n invalidate_on = §\n }')}flow "w" {\n from {\n connector = "api"\n operation = "POST /t"\n }\n to {\n connector = "db"\n target = "t"\n }\n}\n`,
    ['["t.created"]', '["t.deleted"]'],
    [...read, { flow: 'w', input: { a: 1 } }],
  ),
  'cache.prefix': runs(reading('cache {\n storage = "memory"\n key = "k"\n prefix = §\n }'), ['"a"', '"b"'], read),
  'cache.scope': validates(
    `connector "api" {\n type = "rest"\n auth {\n type = "api_key"\n keys = ["k"]\n }\n}\nconnector "db" {\n type = "database"\n driver = "sqlite"\n database = "a.db"\n}\nconnector "memory" {\n type = "cache"\n driver = "memory"\n}\n${reading('cache {\n storage = "memory"\n key = "k"\n §\n }\n require {}')}`,
    ['', 'scope = "shared"'],
  ),
  'cache.encoding': runs(
    reading('cache {\n storage = "memory"\n key = "k"\n encoding = §\n }'),
    ['["json"]', '["json", "base64"]'],
    read,
  ),
  'dedupe.cache': runs(
    other + flow('dedupe {\n cache = §\n key = "input.id"\n fingerprint {\n n = "input.n"\n }\n }'),
    caches,
  ),
  'dedupe.key': runs(
    flow('dedupe {\n cache = "memory"\n key = §\n fingerprint {\n n = "1"\n }\n }'),
    ['"input.id"', '"input.n"'],
    twice,
  ),
  'dedupe.ttl': runs(
    flow('dedupe {\n cache = "memory"\n key = "input.id"\n ttl = §\n fingerprint {\n n = "1"\n }\n }'),
    lifetimes,
  ),
  'dedupe.on_duplicate': runs(
    flow('dedupe {\n cache = "memory"\n key = "input.id"\n on_duplicate = §\n fingerprint {\n n = "1"\n }\n }'),
    ['"ack"', '"reject"'],
    twice,
  ),
  'dedupe.compare_when': runs(
    flow('dedupe {\n cache = "memory"\n key = "input.id"\n compare_when = §\n fingerprint {\n n = "1"\n }\n }'),
    ['"true"', '"false"'],
    twice,
  ),
  'dedupe.scope': accepted('dedupe', 'cache = "memory"\n key = "input.id"\n fingerprint {\n n = "input.n"\n }'),
  'dedupe.fingerprint.*': runs(
    flow('dedupe {\n cache = "memory"\n key = "input.id"\n fingerprint {\n n = §\n }\n }'),
    ['"input.id"', '"input.n"'],
    twice,
  ),
  'dedupe.facet.fingerprint.*': runs(
    flow('dedupe {\n cache = "memory"\n key = "input.id"\n facet "a" {\n fingerprint {\n n = §\n }\n }\n }'),
    ['"input.id"', '"input.n"'],
    twice,
  ),
};
