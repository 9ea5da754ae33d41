import { describe, expect, test } from 'vitest';
import { clockBy } from '../../service/running/testing/manual-clock.ts';
import { createLog, type LoggerOptions } from './logger.ts';

const clock = clockBy(() => 0, { now: () => Date.UTC(2026, 0, 2, 3, 4, 5, 678) });

function capture(options: Partial<LoggerOptions>) {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line), flush: () => undefined };
  return { lines, log: createLog({ level: 'debug', format: 'json', clock, destination, ...options }) };
}

describe('json', () => {
  test('puts time, level and message before the fields', () => {
    const { lines, log } = capture({});
    log.with({ connector: 'db' }).warn('slow', { rows: 3, big: 9007199254740993n, missing: undefined });
    expect(lines).toEqual([
      '{"time":"2026-01-02T03:04:05.678000000Z","level":"WARN","msg":"slow","connector":"db","rows":3,"big":"9007199254740993"}\n',
    ]);
  });

  test('masks what is named like a credential, at any depth, and passwords in URLs', () => {
    const { lines, log } = capture({});
    log.info('connect postgres://u:hunter2@db/x', {
      password: 'hunter2',
      headers: { Authorization: 'Bearer x', 'x-api-key': 'k', Cookie: 'c', accept: '*/*' },
      access_token: 't',
      url: 'redis://:hunter2@cache',
      error: new Error('refused', { cause: new Error('postgres://u:hunter2@db/x') }),
    });
    expect(JSON.parse(lines[0] as string)).toEqual({
      time: '2026-01-02T03:04:05.678000000Z',
      level: 'INFO',
      msg: 'connect postgres://u:***@db/x',
      password: '***',
      headers: { Authorization: '***', 'x-api-key': '***', Cookie: '***', accept: '*/*' },
      access_token: '***',
      url: 'redis://:***@cache',
      error: 'refused: postgres://u:***@db/x',
    });
  });

  test('survives values that refer to themselves', () => {
    const { lines, log } = capture({});
    const loop: Record<string, unknown> = { bytes: new Uint8Array(3) };
    loop['self'] = loop;
    log.info('loop', { loop });
    expect(lines[0]).toContain('"bytes":"[3 bytes]"');
    expect(lines[0]).toContain('"[…]"');
  });
});

test('text has a short level and quotes what would be ambiguous', () => {
  const { lines, log } = capture({ format: 'text' });
  log.error('failed\n12:00 INF forged\u001b[2J', { reason: 'no such table', flow: 'list', status: 500, at: { a: 1 } });
  expect(lines).toEqual([
    '03:04:05.678 ERR failed\\u000a12:00 INF forged\\u001b[2J reason="no such table" flow=list status=500 at={"a":1}\n',
  ]);
});

test('prints its own level and more severe ones', () => {
  const { lines, log } = capture({ level: 'warn', format: 'text' });
  log.debug('a');
  log.info('b');
  log.warn('c');
  log.error('d');
  expect(lines.map((line) => line.slice(13).trim())).toEqual(['WRN c', 'ERR d']);
  expect(['debug', 'info', 'warn', 'error'].map((level) => log.enabled(level as 'warn'))).toEqual([
    false,
    false,
    true,
    true,
  ]);
});
