import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runCommand } from '../../support/service.ts';
import { until } from '../../support/until.ts';
import { debugClient } from '../debug-client.ts';
import { type Scenario, startScenario } from '../scenario.ts';

const example = join(import.meta.dirname, '../../../examples/alerts');
const secrets = {
  CHAT_WEBHOOK: 'https://hooks.slack.com/services/T1/B1/kept-secret-hook',
  PARTNER_SECRET: 'kept-secret',
};
const order = { id: 7, customer: 'Ada ☃', email: 'ada@example.org', total: 30 };

let service: Scenario;
const folder = mkdtempSync(join(tmpdir(), 'svc-captured-'));

beforeAll(async () => {
  service = await started({ ...secrets, SVC_CAPTURE: folder });
  await service.ask('POST', '/orders', order);
});
afterAll(async () => {
  await service?.end();
  rmSync(folder, { recursive: true });
});

/** The example, with its table. */
function started(env: Record<string, string>): Promise<Scenario> {
  return startScenario(example, {
    env,
    prepare: async (directory) => {
      const { code } = await runCommand(['migrate', '-c', directory]);
      expect(code).toBe(0);
    },
  });
}

const kept = () =>
  readdirSync(folder)
    .filter((file) => file.endsWith('.json'))
    .sort()
    .map((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')));

describe('notifications that are captured', () => {
  test('an order that fails is in the folder as its receivers would get it, without secrets', async () => {
    const client = await debugClient(service.admin);
    expect(await service.ask('POST', '/orders', order)).toMatchObject({ status: 500 });
    await until(() => kept().length === 3);
    const shown = kept().map(({ connector, shown: { text, title } }) => [connector, title, text]);
    expect(shown.toSorted()).toEqual([
      ['duty', undefined, expect.stringMatching(/^:rotating_light: Order 7 of Ada ☃ failed: .*orders\.id/)],
      ['mail', 'Your order 7', 'We could not take your order, Ada ☃.'],
      ['partner', 'order.failed', '{"id":7,"customer":"Ada ☃"}'],
    ]);
    const heard: unknown[] = [];
    for (let number = 0; number < 3; number++) heard.push(await client.next('event.captured'));
    const { folder: named, messages } = await client.call('debug.outbox', {});
    expect(named).toBe(folder);
    expect(messages).toEqual(heard.toReversed());
    expect(messages.map(({ connector }) => connector).toSorted()).toEqual(['duty', 'mail', 'partner']);
    const partner = messages.find(({ connector }) => connector === 'partner');
    const whole = await client.call('debug.outboxMessage', { name: partner?.name ?? '' });
    expect(whole).toMatchObject({
      provider: 'webhook',
      place: expect.stringContaining('create_order'),
      request: {
        method: 'POST',
        headers: { 'x-webhook-event': 'order.failed', 'x-webhook-signature': expect.stringMatching(/^[0-9a-f]{64}$/) },
      },
    });
    const mail = kept().find(({ connector }) => connector === 'mail');
    expect(mail.shown).toMatchObject({ from: '"The shop" <orders@shop.example>', to: ['ada@example.org'] });
    expect(mail.shown.html).toContain('<h1>Your order 7</h1>');
    expect(readFileSync(join(folder, mail.mail), 'utf8')).toMatch(/^From: .*\r\nTo: ada@example\.org\r\n/m);
    expect(readFileSync(join(folder, `${mail.name}.html`), 'utf8')).toBe(mail.shown.html);
    await client.leave();
    expect(`${JSON.stringify([messages, whole, kept()])}${service.log}`).not.toContain('kept-secret');
  });

  test('100 orders at once keep 300 messages', async () => {
    const before = kept().length;
    const all = Array.from({ length: 100 }, (_, id) => service.ask('POST', '/orders', { ...order, total: -id }));
    expect(new Set((await Promise.all(all)).map(({ status }) => status))).toEqual(new Set([500]));
    await until(() => kept().length === before + 300);
  });

  test('nothing is connected to', async () => {
    let connections = 0;
    const listening = createServer(() => void connections++);
    await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
    const there = `http://127.0.0.1:${(listening.address() as { port: number }).port}`;
    const sent = join(folder, 'sent');
    const other = await started({ CHAT_WEBHOOK: `${there}/x`, PARTNER_URL: `${there}/y`, SVC_CAPTURE: sent });
    await other.ask('POST', '/orders', { ...order, total: 0 });
    await until(() => readdirSync(sent).filter((file) => file.endsWith('.json')).length === 3);
    expect(await (await fetch(`${other.admin}/health`)).json()).toMatchObject({ status: 'healthy' });
    await other.end();
    listening.close();
    expect(connections).toBe(0);
  });

  test.each(['production', 'staging'])('in %s the service does not start', async (environment) => {
    const { code, stderr } = await runCommand(['start', '-c', example, '--env', environment], {
      SVC_CAPTURE: 'outbox',
    });
    expect([code, stderr]).toEqual([2, expect.stringContaining('SVC_CAPTURE keeps notifications from being sent')]);
  });

  test('a folder that cannot be made ends the start', async () => {
    const { code, stderr } = await runCommand(['start', '-c', example], {
      SVC_CAPTURE: join(example, 'service.hcl', 'outbox'),
    });
    expect([code, stderr]).toEqual([2, expect.stringContaining('the folder of SVC_CAPTURE cannot be used: ')]);
  });
});
