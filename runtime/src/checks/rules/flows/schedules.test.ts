import { describe, expect, test } from 'vitest';
import { problemOf, problemsOf } from '../testing/problems.ts';

const surroundings = `connector "db" {
  type     = "database"
  driver   = "sqlite"
  database = "a.db"
}
connector "gone" {
  type     = "database"
  driver   = "sqlite"
  database = ":memory:"
}
connector "shared" {
  type   = "cache"
  driver = "redis"
  url    = "redis://localhost"
}
connector "memory" {
  type   = "cache"
  driver = "memory"
}
connector "prices" {
  type     = "http"
  base_url = "http://prices"
}
`;
const work = 'to {\n    connector = "db"\n    query     = "DELETE FROM carts"\n  }';
const scheduled = (when: string, rest = '') => `${surroundings}flow "clean" {\n  ${when}\n  ${rest}\n  ${work}\n}\n`;
const of = (when: string, rest = '') =>
  problemsOf(scheduled(when, rest)).filter((problem) => !problem.startsWith('info unused'));

describe('R-96: schedules that are refused, each at its place', () => {
  test.each([
    ['when = "30 25 * * *"', ['malformed-schedule «"30 25 * * *"»']],
    ['when = "@sometimes"', ['malformed-schedule «"@sometimes"»']],
    ['when = "0 0 31 2,4 *"', ['malformed-schedule «"0 0 31 2,4 *"»']],
    ['when = "CRON_TZ=Nowhere/Land 0 0 * * *"', ['malformed-schedule «"CRON_TZ=Nowhere/Land 0 0 * * *"»']],
    ['when {\n    schedule = "* * *"\n  }', ['malformed-schedule «"* * *"»']],
    ['when {\n    timezone = "UTC"\n  }', ['missing-attribute «when»']],
    ['when {\n    schedule = "@daily"\n    timezone = "Europe/Madird"\n  }', ['unknown-timezone «"Europe/Madird"»']],
    ['when {\n    schedule = "@every 5m"\n    timezone = "UTC"\n  }', ['warning inert-attribute «"UTC"»']],
    ['when {\n    schedule = "@daily"\n    storage  = "gone"\n  }', ['memory-storage «"gone"»']],
    ['when {\n    schedule = "@daily"\n    storage  = "memory"\n  }', ['memory-storage «"memory"»']],
    ['when {\n    schedule = "@daily"\n    storage  = "prices"\n  }', ['not-a-storage «"prices"»']],
    ['when {\n    schedule = "@daily"\n    storage  = "missing"\n  }', ['unknown-connector «"missing"»']],
    ['when {\n    schedule = "@daily"\n    overlap  = "maybe"\n  }', ['unknown-value «"maybe"»']],
    ['when = "TZ=UTC @every 5m"', ['warning inert-attribute «"TZ=UTC @every 5m"»']],
    ['when = "CRON_TZ=UTC @daily"', []],
    [
      'when {\n    schedule = "CRON_TZ=UTC @daily"\n    timezone = "Europe/Madrid"\n  }',
      ['warning inert-attribute «"CRON_TZ=UTC @daily"»'],
    ],
    [
      'when {\n    schedule = "TZ=UTC 0 9 * * *"\n    timezone = "UTC"\n  }',
      ['warning inert-attribute «"TZ=UTC 0 9 * * *"»'],
    ],
    ['when = "@every 9000000h"', ['malformed-schedule «"@every 9000000h"»']],
    ['when = "always"', ['warning never-triggered «"always"»']],
    ['when = ""', ['warning never-triggered «""»']],
    ['when = "30 2 29 2 *"', []],
    [
      'when {\n    schedule = "*/5 * * * * *"\n    timezone = "Asia/Tokyo"\n    storage  = "db"\n    overlap  = "allow"\n  }',
      [],
    ],
    ['when {\n    schedule = "@hourly"\n    storage  = "shared"\n  }', []],
  ])('%s', (when, expected) => {
    expect(of(when)).toEqual(expected);
  });

  test('the nearest zone is named', () => {
    const text = scheduled('when {\n    schedule = "@daily"\n    timezone = "Europe/Madird"\n  }');
    expect(problemOf('unknown-timezone', text)).toMatchObject({
      message: 'there is no time zone "Europe/Madird"',
      help: 'Did you mean "Europe/Madrid"?',
    });
  });
});

test('what is about a caller is refused where only a schedule runs the flow', () => {
  expect(of('when = "@daily"', 'require {\n    roles = ["admin"]\n  }')).toEqual(['without-caller «require»']);
  const handling = 'error_handling {\n    error_response {\n      status = 503\n    }\n  }';
  expect(of('when = "@daily"', handling)).toEqual(['warning inert-block «error_response»']);
  const both = `connector "api" {\n  type = "rest"\n  port = 3000\n}\n${scheduled(
    'from {\n    connector = "api"\n    operation = "POST /clean"\n  }\n  when = "@daily"',
    handling,
  )}`;
  expect(problemsOf(both).filter((problem) => !problem.startsWith('info'))).toEqual([]);
});

test('a flow that nothing triggers is refused', () => {
  expect(problemOf('missing-block', `${surroundings}flow "clean" {\n  ${work}\n}\n`).message).toBe(
    'flow "clean" needs at least one of from, when',
  );
});

test('a flow that an aspect calls by its name needs no trigger, and is what makes the call', () => {
  const caller = 'aspect "a" {\n  on   = ["other"]\n  when = "after"\n  action { flow = "clean" }\n}\n';
  const other = scheduled('when = "@daily"').replace('flow "clean"', 'flow "other"');
  const text = `${other}flow "clean" {\n  ${work}\n}\n`;
  const problems = (written: string) => problemsOf(written).filter((problem) => problem.includes('missing-block'));
  expect([problems(text).length, problems(text + caller)]).toEqual([1, []]);
});

test('a scheduled flow that writes what nothing builds is warned about', () => {
  const flow = (operation: string, transform = '') =>
    problemsOf(`${surroundings}flow "note" {
  when = "@daily"
  ${transform}
  to {
    connector = "db"
    target    = "notes"
    ${operation}
  }
}
`).filter((problem) => !problem.startsWith('info'));
  expect(flow('').map((problem) => problem.split(' ').slice(0, 2))).toEqual([['warning', 'nothing-to-write']]);
  expect([flow('', 'transform { at = "now()" }'), flow('operation = "SELECT"')]).toEqual([[], []]);
});
