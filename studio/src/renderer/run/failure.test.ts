import { expect, test } from 'vitest';
import type { LogLine, ServiceState } from '../../shared/services.ts';
import { failureOf } from './failure.ts';

const line = (text: string): LogLine => ({ at: 0, stream: 'error', text });
const running: ServiceState = { kind: 'running', debugAddress: '', addresses: [], pid: 1 };
const ended: ServiceState = { kind: 'stopped', code: 1, reason: 'the service ended with status 1' };

test('a start that failed says why, with the last lines as they are read', () => {
  const log = ['one', 'two', '\u001B[31mthree\u001B[0m', '', 'x'.repeat(300)].map(line);
  expect(failureOf({ kind: 'starting' }, ended, log)).toBe(
    `The service did not start: the service ended with status 1.\ntwo\nthree\n${'x'.repeat(240)}`,
  );
});

test('errors in the files say it better than the log', () => {
  const text = 'The service did not start: its files have 2 errors.';
  expect(failureOf({ kind: 'starting' }, ended, [line('two')], 2)).toBe(text);
  expect(failureOf(running, ended, [line('| ^^^^'), line('two')], 2)).toBe(
    'The service ended: the service ended with status 1.\ntwo',
  );
});

test('a service that ended by itself is reported; one that the person stopped is not', () => {
  expect(failureOf(running, ended, [])).toBe('The service ended: the service ended with status 1.');
  expect(failureOf({ kind: 'stopping' }, ended, [])).toBeUndefined();
  expect(failureOf(running, { kind: 'stopped', code: 0 }, [])).toBeUndefined();
  expect(failureOf({ kind: 'stopped' }, running, [])).toBeUndefined();
});
