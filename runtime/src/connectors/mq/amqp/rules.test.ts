import { expect, test } from 'vitest';
import { problemsOf } from '../../../checks/rules/testing/problems.ts';

const api = 'connector "api" {\n  type = "rest"\n  port = 3000\n}\n';
const broker = (lines: string) => `connector "orders" {\n  type   = "mq"\n  driver = "rabbitmq"\n  ${lines}\n}\n`;
const to = (lines: string) =>
  `${api}flow "f" {\n  from {\n    connector = "api"\n    operation = "POST /x"\n  }\n  to {\n    connector = "orders"\n    ${lines}\n  }\n}\n`;
const step = (lines: string) =>
  `${api}flow "f" {\n  from {\n    connector = "api"\n    operation = "GET /x"\n  }\n  step "s" {\n    connector = "orders"\n    ${lines}\n  }\n}\n`;
const from = (lines = '') => `flow "f" {\n  from {\n    connector = "orders"\n    ${lines}\n  }\n}\n`;
const takes = 'consumer {\n    queue = "in"\n  }';

test.each([
  ['a connector that only sends', '', to('target = "in"'), []],
  ['words of other connectors', '', to('target = "in"\n    operation = "INSERT"'), []],
  [
    'parameters that read the message',
    '',
    to('target = "in"\n    params = { headers = { a = "input.a" }, priority = 5 }'),
    [],
  ],
  ['a parameter that there is not', '', to('target = "in"\n    params = { prio = 5 }'), ['unknown-parameter «5»']],
  ['a malformed parameter', '', to('target = "in"\n    params = { priority = 256 }'), ['invalid-value «256»']],
  ['an operation that there is not', '', to('operation = "order.created"'), ['unknown-operation «"order.created"»']],
  ['a request', '', step('operation = "request"\n    target = "in"\n    body = { a = 1 }'), []],
  [
    'a request with a correlation of its own',
    '',
    step('operation = "request"\n    target = "in"\n    body = {}\n    params = { correlation_id = "a" }'),
    ['unknown-parameter «"a"»'],
  ],
  ['a message that is taken', '', step('target = "in"'), []],
  ['a connector that takes nothing, taken from', '', from('operation = "in"'), ['malformed-operation «"in"»']],
  ['a queue alone, taken from', 'queue {\n    name = "in"\n  }', from(), []],
  ['immediate', 'publisher {\n    immediate = true\n  }', to('target = "in"'), ['invalid-value «true»']],
  ['immediate, not', 'publisher {\n    immediate = false\n  }', to('target = "in"'), []],
  ['no_local', `consumer {\n    queue = "in"\n    no_local = true\n  }`, from(), ['invalid-value «true»']],
  [
    'dead letters of what is acknowledged first',
    'consumer {\n    queue = "in"\n    auto_ack = true\n    dlq {\n    }\n  }',
    from(),
    ['conflicting-attributes «dlq»'],
  ],
  [
    'mandatory without confirms',
    'publisher {\n    confirms = false\n    mandatory = true\n  }',
    to('target = "in"'),
    ['conflicting-attributes «true»'],
  ],
  [
    'an exclusive quorum queue',
    `${takes}\n  queue {\n    type = "quorum"\n    exclusive = true\n  }`,
    from(),
    ['conflicting-attributes «true»'],
  ],
])('is refused: %s', (_, lines, flow, problems) => {
  const found = problemsOf(broker(lines) + flow).filter((problem) => !/^(unused|no-)/.test(problem));
  expect(found).toEqual(problems);
});
