import 'reflect-metadata';
import { ClientTCP, ServerTCP } from '@nestjs/microservices';
import { firstValueFrom, throwError } from 'rxjs';
import { afterEach, expect, test } from 'vitest';
import { configured } from '../../../../test/support/configured.ts';
import { connectorServices } from '../../../../test/support/connector-services.ts';
import { freePort } from '../../../../test/support/free-port.ts';
import { until } from '../../../../test/support/until.ts';
import type { Message } from '../../foundation/contracts/message.ts';
import type { Outcome } from '../../foundation/contracts/outcome.ts';
import type { Execute } from '../../foundation/contracts/target.ts';
import { Failure } from '../../foundation/errors/failure.ts';
import { create } from './client/connector.ts';
import { tcpClient } from './client/spec.ts';
import { TcpBed } from './testing/server-bed.ts';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

test('a client of NestJS asks flows: patterns, texts beyond ASCII, events, and what failed', async () => {
  const bed = new TcpBed();
  ends.push(() => bed.close());
  const events: unknown[] = [];
  const server = await bed.open(
    {
      '{"cmd":"sum"}': ({ input }: Message): Outcome => ({
        kind: 'reply',
        value: (input['data'] as number[]).reduce((sum, each) => sum + each, 0),
      }),
      echo: ({ input }: Message): Outcome => ({ kind: 'reply', value: { ...input } }),
      '{"role":"math","cmd":"sqrt"}': ({ input }: Message): Outcome => ({
        kind: 'reply',
        value: Math.sqrt(input['data'] as number),
      }),
      failing: (): Outcome => {
        throw new Failure('input_invalid', 'grams is required');
      },
      happened: ({ input }: Message): Outcome => {
        events.push({ ...input });
        return { kind: 'reply', value: null };
      },
    },
    { protocol: 'nestjs' },
  );
  const client = new ClientTCP({ host: '127.0.0.1', port: server.port as number });
  ends.push(() => client.close());
  const ask = (pattern: unknown, data: unknown) => firstValueFrom(client.send<unknown>(pattern, data));
  expect(await ask({ cmd: 'sum' }, [1, 2, 3])).toBe(6);
  expect(await ask({ cmd: 'sqrt', role: 'math' }, 16)).toBe(4);
  const text = 'grüße 😀 '.repeat(2_000);
  expect(await Promise.all([ask('echo', { text }), ask({ cmd: 'echo' }, { n: 1 })])).toEqual([{ text }, { n: 1 }]);
  await expect(ask('failing', {})).rejects.toBe('grams is required');
  await expect(ask('absent', {})).rejects.toBe('unknown message pattern: absent');
  await firstValueFrom(client.emit('happened', { n: 5 }), { defaultValue: undefined });
  await until(() => events.length === 1);
  expect(events).toEqual([{ n: 5 }]);
});

test('flows ask a server of NestJS: patterns, texts beyond ASCII, values of every kind, and what failed', async () => {
  const port = await freePort();
  const server = new ServerTCP({ host: '127.0.0.1', port });
  const events: unknown[] = [];
  server.addHandler({ cmd: 'sum' }, async (data: { of: number[] }) => data.of.reduce((sum, each) => sum + each, 0));
  server.addHandler('echo', async (data: unknown) => data);
  server.addHandler('failing', async () => throwError(() => ({ message: 'grams is required' })));
  server.addHandler('happened', async (data: unknown) => void events.push(data), true);
  await new Promise<void>((resolve, reject) => server.listen((error?: unknown) => (error ? reject(error) : resolve())));
  ends.push(() => server.close());
  const config = configured(tcpClient.config, { host: '127.0.0.1', port, protocol: 'nestjs' });
  const connector = create('math', config, connectorServices());
  ends.push(() => connector.close());
  await connector.open(new AbortController().signal);
  const call = { verb: 'call', target: undefined, query: undefined, timeout: undefined, exact: false } as const;
  const prepared = (operation: string, words = {}) =>
    connector.target?.prepare({ ...call, operation, words, flow: 'f', label: 'step' }) as Execute;
  expect(await prepared('{"cmd":"sum"}')({ params: { of: [1, 2, 3] } })).toEqual({ value: { result: 6 } });
  const text = 'grüße 😀 '.repeat(2_000);
  expect(await prepared('echo')({ params: { text } })).toEqual({ value: { text } });
  await expect(prepared('failing')({ params: {} })).rejects.toThrow('remote error: grams is required');
  await prepared('happened', { mode: 'fire_and_forget' })({ params: { n: 5 } });
  await until(() => events.length === 1);
  expect(events).toEqual([{ n: 5 }]);
});
