import { loadProject } from '@svc/protocol/model';
import { block, connector } from '@svc/protocol/schema';
import { describe, expect, test } from 'vitest';
import { projectRules } from '../../project-rules.ts';
import { vocabulary } from '../../vocabulary.ts';
import { problemOf, problemsOf } from '../testing/problems.ts';

const connectors = `connector "api" {
  type = "rest"
  port = 8080
}
connector "db" {
  type     = "database"
  driver   = "sqlite"
  database = "a.db"
}
connector "payments" {
  type     = "http"
  base_url = "https://payments.example.org"
}
`;
const from = 'from {\n connector = "api"\n operation = "POST /rentals"\n }';
const insert = 'connector = "db"\n operation = "INSERT"\n target = "holds"\n data = { a = "input.a" }';

/** Problems of a saga with these blocks, and this beside it; what nothing uses aside. */
const problems = (blocks: string, beside = '', start = from) =>
  problemsOf(`${connectors}${beside}saga "rent" {\n${start}\n${blocks}\n}\n`).filter(
    (problem) => !problem.startsWith('info '),
  );

describe('a saga', () => {
  test('an operation that is empty is reported', () => {
    const action = insert.replace('"INSERT"', '""');
    expect(problems(`step "a" {\n action {\n ${action}\n }\n}`)).toEqual(['warning inert-attribute «""»']);
  });

  test('tries the action of a step again where that means something', () => {
    const step = (retry: string, more: string) => problems(`step "a" {\n retry {\n ${retry}\n }\n ${more}\n}`);
    const action = `action {\n ${insert}\n }`;
    expect(step('attempts = 3\n delay = "200ms"\n backoff = "exponential"', action)).toEqual([]);
    expect(step('delay = "1s"', action)).toEqual(['warning inert-block «retry»']);
    expect(step('attempts = 3\n delay = "5s"\n max_delay = "1s"', action)).toEqual(['contradicting-bounds «"1s"»']);
    expect(step('attempts = 3', 'delay = "1h"').filter((problem) => problem.includes('retry'))).toEqual([
      'warning inert-attribute «retry»',
    ]);
  });

  test('is accepted with everything that it may say', () => {
    expect(
      problems(`timeout = "2d"
step "hold" {
  action {
    ${insert}
  }
  compensate {
    connector = "db"
    operation = "DELETE"
    target    = "holds"
    where     = { id = "step.hold.id" }
  }
}
step "deposit" {
  timeout  = "15s"
  on_error = "compensate"
  action {
    connector = "payments"
    operation = "POST /deposits"
    body      = { customer = "input.customer" }
  }
}
step "mark" {
  on_error = "skip"
  action {
    connector = "db"
    operation = "UPDATE"
    target    = "holds"
    set       = { state = "paid" }
    where     = { id = "step.hold.id" }
  }
}
step "read" {
  action {
    connector = "db"
    query     = "SELECT * FROM holds WHERE id = :id AND a = :a"
    params    = { id = "step.hold.id" }
    where     = { a = 1 }
  }
}
on_complete {
  connector = "payments"
  operation = "POST /receipts/:id"
  data      = { id = "step.hold.id" }
}
on_failure {
  ${insert.replace('input.a', 'error.message')}
}`),
    ).toEqual([]);
  });

  test('without a step, a trigger, or a name of its own is reported', () => {
    expect(problems('')).toEqual(['missing-block «saga»']);
    const step = `step "a" {\n action {\n ${insert}\n }\n }`;
    expect(problems(step, '', '')).toEqual(['warning unreachable-saga «"rent"»']);
    const flow =
      'flow "rent" {\n from {\n connector = "api"\n operation = "GET /a"\n }\n to {\n connector = "db"\n target = "a"\n }\n }\n';
    expect(problems(`step "a" {\n action {\n ${insert}\n }\n }`, flow)).toEqual(['duplicate-name «"rent"»']);
  });

  test('has steps that do something, each with a name of its own', () => {
    expect(problems('step "a" {\n }')).toEqual(['missing-block «step»']);
    expect(problems(`step "a" {\n action {\n ${insert}\n }\n }\nstep "a" {\n action {\n ${insert}\n }\n }`)).toEqual([
      'duplicate-name «"a"»',
    ]);
  });

  test('that waits needs something that keeps it meanwhile', () => {
    expect(problems('step "pickup" {\n await = "keys_collected"\n timeout = "7d"\n }')).toEqual([
      'workflow-missing «"keys_collected"»',
    ]);
    const { message, help } = problemOf(
      'workflow-missing',
      `${connectors}saga "rent" {\n${from}\nstep "rest" {\n delay = "1d"\n }\n}\n`,
    );
    expect(message).toBe('step "rest" of saga "rent" waits, and nothing keeps the saga meanwhile');
    expect(help).toBe('Write service { workflow { storage = "<a database connector>" } }.');
  });

  test('waits for an event that has a name', () => {
    expect(problems('step "a" {\n await = ""\n }', 'service {\n workflow {\n storage = "db"\n }\n}\n')).toEqual([
      'malformed-value «""»',
    ]);
  });

  test('R-53: durations of days are durations, and other texts are refused', () => {
    expect(problems('step "a" {\n await = "e"\n timeout = "7 days"\n }')).toEqual([
      'workflow-missing «"e"»',
      'malformed-duration «"7 days"»',
    ]);
  });

  test('starts where messages come from', () => {
    const step = `step "a" {\n action {\n ${insert}\n }\n }`;
    expect(problems(step, '', 'from {\n connector = "db"\n }')).toEqual(['not-a-source «"db"»']);
    expect(problems(step, '', 'from {\n connector = "api"\n operation = "nonsense"\n }')).toEqual([
      'malformed-operation «"nonsense"»',
    ]);
    expect(problems(step, '', 'from {\n connector = "missing"\n }')).toEqual(['unknown-connector «"missing"»']);
  });
});

test('an action reads only what can be read', () => {
  const sink = connector({
    type: 'sink',
    config: block({ doc: 'Takes messages.' }),
    target: { abilities: ['write'], needsOneOf: [] },
  });
  const saga = (operation: string) =>
    `connector "sink" { type = "sink" }\nsaga "s" {\n step "a" {\n action {\n connector = "sink"\n target = "t"\n ${operation}\n }\n }\n}\n`;
  const codes = (operation: string) =>
    loadProject(
      [{ path: 'a.hcl', text: saga(operation) }],
      {
        vocabulary: { ...vocabulary, connectors: [sink] },
        host: { env: () => undefined, readFile: () => '', absolutePath: (path) => path },
        expressionFunctions: [],
      },
      projectRules,
    ).diagnostics.map(({ code }) => code);
  expect(codes('')).toEqual(['unreachable-saga', 'not-readable']);
  expect(codes('operation = "PUBLISH"')).toEqual(['unreachable-saga']);
});

describe('an action', () => {
  const action = (content: string) => problems(`step "a" {\n action {\n ${content}\n }\n }`);

  test.each([
    ['names a connector that is there', 'connector = "missing"\n target = "a"', ['unknown-connector «"missing"»']],
    ['asks something', 'connector = "db"', ['missing-target «"db"»']],
    ['asks what can be asked', 'connector = "api"\n target = "a"', ['not-a-target «"api"»']],
    [
      'gives a statement its parameters',
      'connector = "db"\n query = "SELECT :a + :b"\n params = { a = 1 }',
      ['unbound-parameter «"SELECT :a + :b"»'],
    ],
    [
      'has no word of notifications',
      'connector = "db"\n operation = "INSERT"\n target = "a"\n template = "t"\n to = "input.email"',
      ['unknown-attribute «template»', 'unknown-attribute «to»'],
    ],
    [
      'sets what is updated',
      'connector = "db"\n operation = "INSERT"\n target = "a"\n set = { a = 1 }',
      ['warning inert-attribute «{ a = 1 }»'],
    ],
    [
      'changes only rows that it names',
      'connector = "db"\n operation = "DELETE"\n target = "a"\n params = { id = "input.id" }',
      ['missing-filter «"db"»'],
    ],
    [
      'reads no error',
      'connector = "db"\n operation = "INSERT"\n target = "a"\n data = { why = "error.message", b = "input.error.a" }',
      ['warning empty-variable «error.message»'],
    ],
    ['without a connector does nothing', 'target = "a"', ['warning inert-attribute «"a"»']],
    ['may be empty', '', []],
  ])('%s', (_title, content, expected) => {
    expect(action(content)).toEqual(expected);
  });
});
