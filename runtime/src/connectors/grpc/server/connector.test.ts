import { setTimeout as later } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { until } from '../../../../../test/support/until.ts';
import type { Message } from '../../../foundation/contracts/message.ts';
import { answered } from '../../../foundation/contracts/outcome.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import { echo, reply } from '../../../platform/http/testing/served.ts';
import { bindingOf, echoed, servedShop, waiting } from '../testing/bed.ts';

describe('a server of gRPC', () => {
  test('S-11: failures are statuses; details name refused fields, and in production nothing of the service', async () => {
    const flows = [
      bindingOf('GetOrder', () => {
        throw new Failure('input_invalid', 'text: is too short', {
          fields: [{ field: 'text', code: 'min_length', message: 'is too short' }],
        });
      }),
      bindingOf('CreateOrder', () => {
        throw new Failure('connector_failed', 'SELECT secret FROM /etc/passwd at host:5432');
      }),
      bindingOf('ListOrders', () => answered({ value: { error: 'gone' }, status: 404 })),
      bindingOf('WatchOrders', () => ({ kind: 'reply', value: { error: 'busy' }, grpcStatus: 14 })),
    ];
    await using open = await servedShop(flows);
    await using shipped = await servedShop(flows, {}, { production: true });
    for (const served of [open, shipped]) {
      const refused = await served.ask('GetOrder');
      expect(refused).toMatchObject({ code: 3, details: 'text: is too short' });
      const details = String(refused.metadata['grpc-status-details-bin']);
      expect(details).toContain('type.googleapis.com/google.rpc.BadRequest');
      expect(details).toContain('INPUT_INVALID');
      expect(await served.ask('ListOrders')).toMatchObject({ code: 5, details: 'gone' });
      expect(await served.ask('WatchOrders')).toMatchObject({ code: 14, details: 'busy' });
    }
    expect(await open.ask('CreateOrder')).toMatchObject({ code: 2, details: expect.stringContaining('SELECT') });
    const hidden = JSON.stringify(await shipped.ask('CreateOrder'));
    expect(hidden).toContain('Internal Server Error');
    expect(hidden).not.toMatch(/SELECT|secret|passwd|5432|\.ts|\bat /);
  });

  test('a method without a flow is UNIMPLEMENTED, and garbage is refused', async () => {
    await using served = await servedShop([bindingOf('GetOrder', echoed)]);
    expect((await served.ask('CreateOrder')).code).toBe(12);
    expect((await served.ask('GetOrder', {}, { bytes: Buffer.from([0x0a, 0xff, 0xff, 0xff]) })).code).toBe(3);
    expect((await served.ask('GetOrder', { text: 'x' })).value).toEqual({ text: 'x' });
  });

  test('the deadline of a caller aborts its flow', async () => {
    const seen: Message[] = [];
    await using served = await servedShop([bindingOf('GetOrder', waiting(seen))]);
    expect((await served.ask('GetOrder', {}, { deadline: 100 })).code).toBe(4);
    await until(() => seen[0]?.cancelled?.() === true);
  });

  test('timeout ends a call with DEADLINE_EXCEEDED, and a debugger holds it', async () => {
    const seen: Message[] = [];
    await using served = await servedShop([bindingOf('GetOrder', waiting(seen))], { timeout: 50 });
    expect(await served.ask('GetOrder')).toMatchObject({ code: 4, details: 'the call took longer than 0.05 s' });
    expect(seen[0]?.cancelled?.()).toBe(true);
    const asked = served.ask('GetOrder');
    await until(() => seen.length === 2);
    const resume = seen[1]?.hold?.();
    await later(120);
    expect(seen[1]?.cancelled?.()).toBe(false);
    expect(seen[1]?.held?.()).toEqual({ kind: 'request', method: 'POST', route: '/shop.Shop/GetOrder', timeoutMs: 50 });
    resume?.();
    expect((await asked).code).toBe(4);
  });

  test('messages over max_recv_mb and max_send_mb are refused, a compressed bomb among them', async () => {
    await using served = await servedShop(
      [
        bindingOf('GetOrder', ({ input }) => reply({ tags: [String(input['text'] ?? '').length].map(String) })),
        bindingOf('CreateOrder', () => reply({ text: 'x'.repeat(2_000_000) })),
      ],
      { max_recv_mb: 1, max_send_mb: 1 },
    );
    expect((await served.ask('GetOrder', { text: 'x'.repeat(900_000) })).code).toBe(0);
    expect((await served.ask('GetOrder', { text: 'x'.repeat(1_100_000) })).code).toBe(8);
    expect((await served.ask('CreateOrder')).code).toBe(8);
    expect((await served.ask('GetOrder', { text: 'x'.repeat(900_000) }, { compressed: true })).code).toBe(0);
    expect((await served.ask('GetOrder', { text: 'x'.repeat(50_000_000) }, { compressed: true })).code).toBe(8);
    expect((await served.ask('GetOrder', { text: 'y' })).code).toBe(0);
  });

  test('says that it serves, each service with a flow too, until it stops; without credentials and whatever it is sent', async () => {
    const served = await servedShop([bindingOf('GetOrder', () => reply({}))], {
      auth: { type: 'basic', users: { ada: 'first secret' } },
    });
    const asIs = (bytes: Buffer) => bytes;
    const request = (service: string) => Buffer.from([10, service.length, ...Buffer.from(service)]);
    const check = (bytes: Buffer) =>
      new Promise((resolve) =>
        served.client.makeUnaryRequest('/grpc.health.v1.Health/Check', asIs, asIs, bytes, (error, answer) =>
          resolve(error === null ? answer?.toString('hex') : error.code),
        ),
      );
    expect(await check(Buffer.alloc(0))).toBe('0801');
    expect(await check(request('shop.Shop'))).toBe('0801');
    expect([await check(request('shop.Other')), await check(Buffer.from([10, 200]))]).toEqual([5, 5]);
    const watch = (bytes: Buffer) => {
      const seen: string[] = [];
      const call = served.client.makeServerStreamRequest('/grpc.health.v1.Health/Watch', asIs, asIs, bytes);
      call.on('data', (answer: Buffer) => seen.push(answer.toString('hex')));
      call.on('error', () => undefined);
      call.on('end', () => seen.push('end'));
      return seen;
    };
    const [known, unknown] = [watch(request('shop.Shop')), watch(request('shop.Other'))];
    await until(() => known.length === 1 && unknown.length === 1);
    await served.server.close();
    await until(() => known.length === 3);
    expect([known, unknown[0]]).toEqual([['0801', '0802', 'end'], '0803']);
    await served[Symbol.asyncDispose]();
  });

  test('R-85: a call ends with the flows it began with; a stop answers what is under way', async () => {
    const gate = Promise.withResolvers<void>();
    let begun = 0;
    const slow = async () => {
      begun++;
      await gate.promise;
      return reply({ text: 'old' });
    };
    await using served = await servedShop([bindingOf('GetOrder', slow)]);
    const asked = served.ask('GetOrder');
    await until(() => begun === 1);
    const next = served.server.source?.bind([
      bindingOf('GetOrder', () => reply({ text: 'new' })),
      bindingOf('CreateOrder', echoed),
    ]);
    await next?.prepare();
    next?.use();
    expect((await served.ask('GetOrder')).value).toEqual({ text: 'new' });
    expect((await served.ask('CreateOrder')).code).toBe(0);
    const stopped = served.server.source?.stop();
    gate.resolve();
    expect(await asked).toMatchObject({ value: { text: 'old' } });
    await stopped;
    expect((await served.ask('GetOrder')).code).toBe(14);
  });

  test('a port that is taken is named', async () => {
    await using served = await servedShop([bindingOf('GetOrder', echo)]);
    await expect(servedShop([bindingOf('GetOrder', echo)], { port: served.port })).rejects.toThrow(
      `connector "rpc" cannot listen on port ${served.port} of 127.0.0.1: another program is listening there`,
    );
  });
});
