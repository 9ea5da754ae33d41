import { expect, test } from 'vitest';
import { problemsOf } from '../../checks/rules/testing/problems.ts';

const api = 'connector "api" {\n  type = "rest"\n  port = 3000\n}\n';
const plant = (lines: string) => `connector "plant" {\n  type = "mqtt"\n  ${lines}\n}\n`;
const to = (lines: string, method = 'POST') =>
  `${api}flow "f" {\n  from {\n    connector = "api"\n    operation = "${method} /x"\n  }\n  to {\n    connector = "plant"\n    ${lines}\n  }\n}\n`;
const step = (lines: string) =>
  `${api}flow "f" {\n  from {\n    connector = "api"\n    operation = "GET /x"\n  }\n  step "s" {\n    connector = "plant"\n    ${lines}\n  }\n}\n`;
const from = (operation: string) =>
  `flow "f" {\n  from {\n    connector = "plant"\n    operation = "${operation}"\n  }\n  response {\n    a = "1"\n  }\n}\n`;
const five = 'protocol_version = "5"';

test.each([
  ['a topic', '', to('target = "a/b"'), []],
  ['a topic of the message', '', to('target = "input.topic"'), []],
  ['the topic of the connector', 'topic = "a"', to(''), []],
  ['no topic', '', to(''), ['missing-target «"plant"»']],
  ['a topic with a wildcard', '', to('target = "a/+"'), ['malformed-target «"a/+"»']],
  ['a step', '', step('operation = "PUBLISH"\n    target = "a"\n    body = { on = true }'), []],
  ['a step without an operation', '', step('target = "a"\n    body = { on = true }'), []],
  ['a step without a body', '', step('target = "a"\n    params = { qos = 1 }'), ['malformed-call «"plant"»']],
  [
    'a step with a statement',
    '',
    step('operation = "PUBLISH a"\n    target = "a"\n    body = {}'),
    ['unknown-operation «"PUBLISH a"»'],
  ],
  [
    'an enrichment',
    '',
    step('target = "a"\n    body = {}\n  }\n  enrich "e" {\n    connector = "plant"\n    operation = "a"').replace(
      /(.*)\}\n\}/s,
      '$1}\n  response {\n    a = "enriched.e"\n  }\n}',
    ),
    ['malformed-call «"plant"»'],
  ],
  ['another operation', '', to('target = "a"\n    operation = "SUBSCRIBE"'), ['unknown-operation «"SUBSCRIBE"»']],
  ['a flow that reads', '', to('target = "a"', 'GET'), ['malformed-call «"plant"»']],
  ['a flow that deletes', '', to('target = "a"', 'DELETE'), ['malformed-call «"plant"»']],
  ['parameters', '', to('target = "a"\n    params = { qos = 2, retain = "input.keep" }'), []],
  ['an unknown parameter', '', to('target = "a"\n    params = { retained = true }'), ['unknown-parameter «true»']],
  ['a quality that there is not', '', to('target = "a"\n    params = { qos = 3 }'), ['invalid-value «3»']],
  ['expiration with version 5', five, to('target = "a"\n    params = { expiration = "1m" }'), []],
  [
    'expiration with 3.1.1',
    '',
    to('target = "a"\n    params = { expiration = "1m" }'),
    ['malformed-call «{ expiration = "1m" }»'],
  ],
  [
    'a malformed expiration',
    five,
    to('target = "a"\n    params = { expiration = "soon" }'),
    ['invalid-value «"soon"»'],
  ],
  ['headers with version 5', five, to('target = "a"\n    params = { headers = { tenant = "input.tenant" } }'), []],
  [
    'headers with 3.1.1',
    '',
    to('target = "a"\n    params = { headers = { tenant = "input.tenant" } }'),
    ['malformed-call «{ headers = { tenant = "input.tenant" } }»'],
  ],
  ['session_expiry', `${five}\n  clean_session = false\n  session_expiry = "1h"`, to('target = "a"'), []],
  [
    'session_expiry with 3.1.1',
    'clean_session = false\n  session_expiry = "1h"',
    to('target = "a"'),
    ['conflicting-attributes «"1h"»'],
  ],
  [
    'session_expiry of a clean session',
    `${five}\n  session_expiry = "1h"`,
    to('target = "a"'),
    ['conflicting-attributes «"1h"»'],
  ],
  [
    'a delay of a will',
    `${five}\n  clean_session = false\n  will {\n    topic = "a"\n    delay = "5s"\n  }`,
    to('target = "a"'),
    [],
  ],
  [
    'a delay of a will with 3.1.1',
    'clean_session = false\n  will {\n    topic = "a"\n    delay = "5s"\n  }',
    to('target = "a"'),
    ['conflicting-attributes «will»'],
  ],
  [
    'a delay of a will without a session',
    `${five}\n  will {\n    topic = "a"\n    delay = "5s"\n  }`,
    to('target = "a"'),
    ['conflicting-attributes «will»'],
  ],
  [
    'a delay of a will that is longer than the session',
    `${five}\n  clean_session = false\n  session_expiry = "3s"\n  will {\n    topic = "a"\n    delay = "5s"\n  }`,
    to('target = "a"'),
    ['warning risky-value «"3s"»'],
  ],
  [
    'an expiration of a will with 3.1.1',
    'will {\n    topic = "a"\n    expiration = "5s"\n  }',
    to('target = "a"'),
    ['conflicting-attributes «will»'],
  ],
  ['topic aliases', `${five}\n  topic_alias_maximum = 10`, to('target = "a"'), []],
  ['topic aliases with 3.1.1', 'topic_alias_maximum = 10', to('target = "a"'), ['conflicting-attributes «10»']],
  ['a will without a topic', 'will {\n    payload = "gone"\n  }', to('target = "a"'), ['missing-attribute «will»']],
  ['a will with a wildcard', 'will {\n    topic = "a/#"\n  }', to('target = "a"'), ['malformed-value «"a/#"»']],
  ['a usual topic with a wildcard', 'topic = "+/a"', to(''), ['malformed-value «"+/a"»']],
  ['a topic filter', '', from('a/{site}/+/#'), []],
  ['a parameter that is a part of a level', '', from('a/x{site}'), ['malformed-operation «"a/x{site}"»']],
  ['a parameter that is written twice', '', from('a/{x}/{x}'), ['malformed-operation «"a/{x}/{x}"»']],
  ['a shared subscription of one flow', '', from('$share/g/a'), ['malformed-operation «"$share/g/a"»']],
  ['a share group', 'share_group = "g"', from('a'), []],
  [
    'more messages of quality of service 2 under way than brokers of 3.1.1 may take',
    'qos = 2\n  max_in_flight = 21',
    to('target = "a"'),
    ['warning risky-value «21»'],
  ],
  ['as many as they take', 'qos = 2\n  max_in_flight = 20', to('target = "a"'), []],
  ['more of quality of service 1', 'qos = 1\n  max_in_flight = 21', to('target = "a"'), []],
  ['more with version 5', `${five}\n  qos = 2\n  max_in_flight = 21`, to('target = "a"'), []],
  ['a share group with a wildcard', 'share_group = "g/#"', from('a'), ['malformed-value «"g/#"»']],
])('%s', (_, connector, flow, expected) => {
  expect(problemsOf(plant(connector) + flow)).toEqual(expected);
});

const client = (name: string, id: string, broker = 'tcp://localhost:1883') => `connector "${name}" {
  type      = "mqtt"
  broker    = "${broker}"
  client_id = "${id}"
}
flow "of_${name}" {
  from {
    connector = "${name}"
    operation = "a"
  }
}
`;

test.each([
  ['different ids', client('a', 'one') + client('b', 'two'), []],
  ['one id at different brokers', client('a', 'one') + client('b', 'one', 'tcp://other:1883'), []],
  ['one id', client('a', 'one') + client('b', 'one', 'mqtt://ann@localhost'), ['name-taken «"one"»']],
])('clients of a broker with %s', (_, written, expected) => {
  expect(problemsOf(written)).toEqual(expected);
});
