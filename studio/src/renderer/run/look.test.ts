import { expect, test } from 'vitest';
import { lookOf } from './look.ts';

const detached = { connection: 'none', address: undefined } as const;
const running = { kind: 'running', debugAddress: 'ws://127.0.0.1:9090/debug', pid: 1 } as const;

test.each([
  [[], ''],
  [['http://localhost:3000'], ':3000'],
  [['https://localhost'], ':443'],
  [['http://localhost:3000', 'http://localhost:3001'], ':3000 +1'],
])('ports of %j', (addresses, address) => {
  expect(lookOf({ ...running, addresses }, detached)).toEqual({ text: 'Running', address, dot: 'dot ok' });
});

test('a service that another program runs is attached to, not run', () => {
  const look = lookOf({ ...running, pid: 0, addresses: ['http://localhost:3000'] }, detached);
  expect(look).toEqual({ text: 'Attached', address: ':3000', dot: 'dot ok' });
});

test('while it is stopped, what the debugger is attached to counts', () => {
  const attached = { connection: 'attached', address: 'ws://10.0.0.7:9090/debug' } as const;
  expect(lookOf({ kind: 'stopped' }, attached)).toEqual({
    text: 'Attached',
    address: '10.0.0.7:9090',
    dot: 'dot ok',
  });
  expect(lookOf({ kind: 'stopped' }, { ...attached, address: '10.0.0.7:9090' }).address).toBe('10.0.0.7:9090');
  expect(lookOf({ kind: 'stopped', reason: 'it broke' }, detached).text).toBe('Failed');
  expect(lookOf({ kind: 'stopped' }, detached)).toEqual({ text: 'Not running', address: '', dot: 'dot ring' });
});
