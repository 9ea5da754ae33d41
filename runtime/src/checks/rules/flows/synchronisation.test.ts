import { describe, expect, test } from 'vitest';
import { problemsOf } from '../testing/problems.ts';

/** Problems of a flow with this body, advice aside. */
function flow(body: string): string[] {
  const text = `connector "api" {
  type = "rest"
  port = 0
}

connector "db" {
  type     = "database"
  driver   = "sqlite"
  database = "a.db"
}

flow "f" {
  from {
    connector = "api"
    operation = "POST /x"
  }
  ${body}
  to {
    connector = "db"
    target    = "t"
  }
}
`;
  return problemsOf(text).filter((problem) => !problem.startsWith('info'));
}

describe('locks and permits', () => {
  test.each([
    ['key = "a"', []],
    ['key = "\'a:\' + input.id"', []],
    ['key = "input.id"\nwait = false\nretry = "1s"', ['warning inert-attribute «"1s"»']],
    ['key = ["a"]', ['wrong-kind «["a"]»']],
    ['key = ""', ['wrong-kind «""»']],
    ['key = "${input.id}"', ['cannot-evaluate «${input.id}»']],
    ['key = "a"\nscope = "machine"', ['unknown-value «"machine"»']],
    ['key = "a"\nstorage {}', ['missing-attribute «storage»']],
    ['key = "a"\nstorage { driver = "KV_Store" }', []],
    ['key = "a"\nstorage { driver = "etcd" }', ['unknown-value «"etcd"»']],
    ['key = "a"\nstorage {\ndriver = "memory"\ndb = 1\n}', ['inert-attribute «1»']],
    ['key = "a"\nstorage {\ndriver = "redis"\nurl = "http://a"\n}', ['malformed-value «"http://a"»']],
    ['key = "a"\nstorage {\ndriver = "redis"\nurl = "redis://a"\nhost = "b"\n}', ['conflicting-attributes «"b"»']],
  ])('lock with %j', (body, expected) => {
    expect(flow(`lock {\n${body}\n}`)).toEqual(expected);
  });

  test.each([
    ['key = "a"', ['missing-attribute «semaphore»']],
    ['key = "a"\nlimit = 3', []],
    ['key = "a"\nmax_permits = 0', ['out-of-bounds «0»']],
  ])('semaphore with %j', (body, expected) => {
    expect(flow(`semaphore {\n${body}\n}`)).toEqual(expected);
  });

  test('the token of a lock is read where there is one', () => {
    const reads = 'transform { fence = "lock.token" }';
    expect(flow(`lock { key = "a" }\n${reads}`)).toEqual([]);
    expect(flow(reads)).toEqual(['missing-lock «lock.token»']);
  });
});

describe('coordinate', () => {
  const wait = 'wait {\nwhen = "true"\nfor = "input.id"\n}';
  const signal = 'signal {\nwhen = "true"\nemit = "input.id"\n}';
  const preflight = 'preflight {\nconnector = "db"\nquery = "SELECT 1"\n}';

  test.each([
    [`on_timeout = "retry"\nmax_retries = 2\n${wait}`, []],
    [`max_retries = 2\n${wait}`, ['warning inert-attribute «2»']],
    [`on_timeout = "ack"\nmax_retries = 2\n${wait}`, ['warning inert-attribute «2»']],
    [`timeout = "1s"\nmax_concurrent_waits = 3\n${wait}\n${signal}\n${preflight}`, []],
    [
      `timeout = "1s"\non_timeout = "ack"\nmax_concurrent_waits = 3\n${signal}`,
      ['warning inert-attribute «"1s"»', 'warning inert-attribute «"ack"»', 'warning inert-attribute «3»'],
    ],
    [`${signal}\n${preflight}`, ['warning inert-block «preflight»']],
  ])('with %j', (body, expected) => {
    expect(flow(`coordinate {\n${body}\n}`)).toEqual(expected);
  });
});
