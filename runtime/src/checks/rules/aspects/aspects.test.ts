import { describe, expect, test } from 'vitest';
import { problemOf, problemsOf } from '../testing/problems.ts';

const base = `connector "api" {
  type = "rest"
  port = 3000
}
connector "db" {
  type     = "database"
  driver   = "sqlite"
  database = "a.db"
}
connector "alerts" {
  type     = "http"
  base_url = "https://alerts.example.org"
}
connector "memory" {
  type   = "cache"
  driver = "memory"
}
flow "list_orders" {
  from {
    connector = "api"
    operation = "GET /orders"
  }
  to {
    connector = "db"
    target    = "orders"
  }
}
flow "get_order" {
  from {
    connector = "api"
    operation = "GET /orders/:id"
  }
  to {
    connector = "db"
    target    = "orders"
  }
}
flow "create_order" {
  from {
    connector = "api"
    operation = "POST /orders"
  }
  to {
    connector = "db"
    target    = "orders"
  }
}
`;

const aspect = (body: string, name = 'a') => `aspect "${name}" {\n${body}\n}\n`;
const act = 'action {\nconnector = "db"\ntarget = "log"\n}';
/** Everything but advice that is true of the surroundings. */
const problems = (...aspects: string[]) =>
  problemsOf({ 'main.hcl': base, 'aspects.hcl': aspects.join('') }).filter(
    (problem) => !/^info|^warning unused/.test(problem),
  );
const say = (code: string, ...aspects: string[]) => {
  const { message, help } = problemOf(code, { 'main.hcl': base, 'aspects.hcl': aspects.join('') });
  return [message, help];
};

describe('what an aspect must say', () => {
  test('a name, patterns, a moment, and something to do', () => {
    expect(problems(aspect(`on = ["*_order"]\nwhen = "after"\n${act}`))).toEqual([]);
    expect(problems(aspect(`on = "create_order"\nwhen = "after"\n${act}`))).toEqual([]);
    expect(problems(aspect(act))).toEqual(['missing-attribute «aspect»', 'missing-attribute «aspect»']);
    expect(problems(aspect(`on = []\nwhen = "after"\n${act}`))).toEqual(['missing-attribute «[]»']);
    expect(problems(aspect(`on = ["*"]\nwhen = "during"\n${act}`))).toEqual(['unknown-value «"during"»']);
    expect(problems(aspect('on = ["*"]\nwhen = "after"'))).toEqual(['missing-block «aspect»']);
    expect(problems(`aspect {\non = ["*"]\nwhen = "after"\n${act}\n}\n`)).toEqual(['missing-label «aspect»']);
    const twice = aspect(`on = ["*"]\nwhen = "after"\n${act}`);
    expect(problems(twice, twice)).toEqual(['duplicate-name «"a"»']);
  });

  test('an operation that is empty is reported', () => {
    const action = 'action {\nconnector = "db"\noperation = ""\ntarget = "log"\n}';
    expect(problems(aspect(`on = ["*"]\nwhen = "after"\n${action}`))).toEqual(['warning inert-attribute «""»']);
  });

  test('patterns that are patterns; one that matches nothing is a warning', () => {
    expect(say('invalid-pattern', aspect(`on = ["[a"]\nwhen = "after"\n${act}`))[0]).toBe(
      '"[a" is not a pattern: a [ is never closed',
    );
    expect(say('matches-nothing', aspect(`on = ["create_*", "remove_*"]\nwhen = "after"\n${act}`))).toEqual([
      'the pattern "remove_*" of aspect "a" matches no flow',
      'These exist: list_orders, get_order, create_order.',
    ]);
  });

  test.each([
    ['before', 'cache {\nstorage = "memory"\nttl = "1m"\nkey = "k"\n}', 'cache', '"around"'],
    ['after', 'circuit_breaker {\nfailure_threshold = 1\ntimeout = "1s"\n}', 'circuit_breaker', '"around"'],
    ['around', 'rate_limit {\nkey = "input.id"\nrequests_per_second = 1\n}', 'rate_limit', '"before"'],
    ['on_error', 'invalidate {\nstorage = "memory"\nkeys = ["k"]\n}', 'invalidate', '"after"'],
    ['before', 'response {\na = "1"\n}', 'response', '"after"'],
    ['around', act, 'action', '"before" or "after" or "on_error" or "on_drop"'],
  ])('when = "%s" is not a time for: %s', (when, block, word, phases) => {
    expect(say('wrong-phase', aspect(`on = ["get_order"]\nwhen = "${when}"\n${block}`))).toEqual([
      `aspect "a" runs ${when}, where ${word} does nothing`,
      `Write when = ${phases}, or remove the block.`,
    ]);
  });

  test('a cache or a breaker, not both', () => {
    const both =
      'cache {\nstorage = "memory"\nttl = "1m"\nkey = "${input.id}"\n}\ncircuit_breaker {\nfailure_threshold = 1\ntimeout = "1s"\n}';
    expect(problems(aspect(`on = ["get_order"]\nwhen = "around"\n${both}`))).toEqual([
      'conflicting-attributes «circuit_breaker»',
    ]);
  });

  test('no variable that is empty at that moment', () => {
    expect(say('empty-variable', aspect(`on = ["*"]\nwhen = "before"\nif = "result.affected > 0"\n${act}`))).toEqual([
      'aspect "a" runs before, where result is empty',
      'It is there when = "after".',
    ]);
    expect(problems(aspect(`on = ["*"]\nwhen = "before"\nif = "input.result == 'error'"\n${act}`))).toEqual([]);
  });

  test('headers that can be sent', () => {
    const response = 'response {\nheaders = { "X Y" = "1" }\n}';
    expect(problems(aspect(`on = ["get_order"]\nwhen = "after"\n${response}`))).toEqual([
      'malformed-header «{ "X Y" = "1" }»',
    ]);
  });

  test('one idea of a breaker', () => {
    const breaker = (failures: number) =>
      `on = ["get_order"]\nwhen = "around"\ncircuit_breaker {\nname = "stock"\nfailure_threshold = ${failures}\ntimeout = "1s"\n}`;
    expect(problems(aspect(breaker(2)), aspect(breaker(2), 'b'))).toEqual([]);
    expect(problems(aspect(breaker(2)), aspect(breaker(3), 'b'))).toEqual(['warning contradicting-breakers «"stock"»']);
  });
});

describe('where actions go', () => {
  const acting = (action: string) => aspect(`on = ["create_order"]\nwhen = "after"\naction {\n${action}\n}`);

  test.each([
    'connector = "db"\noperation = "INSERT audit"',
    'connector = "db"\noperation = "UPDATE"\ntarget = "audit"',
    'connector = "alerts"\noperation = "POST /alerts"',
    'connector = "alerts"\ntarget = "/alerts"',
    'connector = "alerts"\noperation = "GET /ping"',
    'flow = "get_order"',
    'connector = "db"\nquery = "INSERT INTO audit (id) VALUES (:id)"',
  ])('%s is good', (action) => {
    expect(problems(acting(action))).toEqual([]);
  });

  test.each([
    ['connector = "db"\nflow = "get_order"', 'conflicting-attributes «"get_order"»'],
    ['target = "log"', 'missing-attribute «action»'],
    ['connector = "dbb"\ntarget = "log"', 'unknown-connector «"dbb"»'],
    ['connector = "memory"', 'missing-target «action»'],
    ['connector = "api"', 'not-a-target «"api"»'],
    ['connector = "db"', 'missing-target «action»'],
    ['connector = "db"\noperation = "SELECT log"', 'unknown-operation «"SELECT log"»'],
    ['connector = "db"\noperation = "SEND log"', 'unknown-operation «"SEND log"»'],
    ['connector = "db"\ntarget = "a;b"', 'malformed-target «"a;b"»'],
    ['connector = "alerts"\noperation = "CALL /x"', 'unknown-operation «"CALL /x"»'],
    ['flow = "get_ordr"', 'unknown-flow «"get_ordr"»'],
    ['flow = "get_order"\ntarget = "x"', 'warning inert-attribute «"x"»'],
    ['flow = "get_order"\nquery = "DELETE FROM x"', 'warning inert-attribute «"DELETE FROM x"»'],
    ['connector = "alerts"\ntarget = "/a"\nquery = "DELETE FROM x"', 'unknown-attribute «query»'],
  ])('%s', (action, problem) => {
    expect(problems(acting(action))).toEqual([problem]);
  });

  test('a flow of another name is suggested', () => {
    expect(say('unknown-flow', acting('flow = "get_ordr"'))).toEqual([
      'there is no flow named "get_ordr"',
      'Did you mean "get_order"? These exist: list_orders, get_order, create_order.',
    ]);
  });

  test('calls that come back are a warning with their way', () => {
    expect(say('circular-call', aspect('on = ["*_order"]\nwhen = "after"\naction {\nflow = "get_order"\n}'))).toEqual([
      'aspect "a" runs flow "get_order", which comes back: get_order > get_order',
      'Choose patterns in on that leave flow "get_order" out.',
    ]);
    const one = aspect('on = ["create_order"]\nwhen = "after"\naction {\nflow = "get_order"\n}');
    const back = aspect('on = ["get_order"]\nwhen = "before"\naction {\nflow = "create_order"\n}', 'b');
    expect(problems(one)).toEqual([]);
    expect(problems(one, back)).toEqual([
      'warning circular-call «"get_order"»',
      'warning circular-call «"create_order"»',
    ]);
  });
});

describe('caches around flows', () => {
  const cached = (on: string, key: string) =>
    aspect(`on = ["${on}"]\nwhen = "around"\ncache {\nstorage = "memory"\nttl = "1m"\nkey = "${key}"\n}`);

  test('need keys that distinguish flows, and callers', () => {
    expect(problems(cached('get_order', '${input.id}'))).toEqual([]);
    expect(problems(cached('[gl]*', '${_flow}:${input.id}'))).toEqual([]);
    expect(problems(cached('[gl]*', 'k:${input.id}'))).toEqual(['warning shared-cache-key «"k:${input.id}"»']);
    const guarded = base.replace('flow "get_order" {', 'flow "get_order" {\n  require {}');
    const about = (key: string) =>
      problemsOf({ 'main.hcl': guarded, 'aspects.hcl': cached('get_order', key) }).filter((each) =>
        each.includes('shared-cache-key'),
      );
    expect(about('${input.id}')).toEqual(['warning shared-cache-key «"${input.id}"»']);
    expect(about('${auth.user_id}:${input.id}')).toEqual([]);
  });

  test('skip writes, which is a warning', () => {
    expect(problems(cached('create_order', '${input.id}'))).toEqual(['warning cached-write «["create_order"]»']);
  });

  test('have keys and not expressions', () => {
    expect(problems(cached('get_order', 'input.id'))).toEqual(['expression-in-key «"input.id"»']);
    const invalidate = 'invalidate {\nstorage = "memory"\npatterns = ["input.id"]\n}';
    expect(problems(aspect(`on = ["get_order"]\nwhen = "after"\n${invalidate}`))).toEqual([
      'expression-in-key «"input.id"»',
    ]);
    expect(problems(aspect('on = ["get_order"]\nwhen = "after"\ninvalidate {\nstorage = "memory"\n}'))).toEqual([
      'missing-attribute «invalidate»',
    ]);
  });
});
