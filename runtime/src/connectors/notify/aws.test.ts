import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, test } from 'vitest';
import { configured } from '../../../../test/support/configured.ts';
import { connectorServices } from '../../../../test/support/connector-services.ts';
import type { Connector } from '../../foundation/contracts/connector.ts';
import { create as createSes } from './email/ses/connector.ts';
import { ses } from './email/ses/spec.ts';
import { create as createSns } from './sms/sns/connector.ts';
import { sns } from './sms/sns/spec.ts';
import { send } from './testing/bed.ts';
import { failureOf } from './testing/opened.ts';

/** A server that answers as services of AWS do; it checks no signatures. Undefined skips the tests. */
const moto = process.env['TEST_MOTO_URL'];
const access = { access_key_id: 'AKIDEXAMPLE', secret_access_key: 'kept-secret', region: 'us-east-1', api_url: moto };
const never = new AbortController().signal;
const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

async function opened(connector: Connector): Promise<Connector> {
  cleanups.push(() => connector.close());
  await connector.open(never);
  return connector;
}

/** The result of one message. */
async function sent(connector: Connector, payload: Readonly<Record<string, unknown>>): Promise<unknown> {
  return (await send(connector, { payload })).value;
}

describe.skipIf(moto === undefined)('services of AWS (TEST_MOTO_URL)', () => {
  test('SES takes letters of an address that is verified, and refuses others with its reason', async () => {
    const from = `shop-${randomUUID()}@example.org`;
    const authorization = 'AWS4-HMAC-SHA256 Credential=a/20260101/us-east-1/ses/aws4_request, SignedHeaders=host';
    const identity = { method: 'POST', body: JSON.stringify({ EmailIdentity: from }), headers: { authorization } };
    expect((await fetch(`${moto}/v2/email/identities`, identity)).status).toBe(200);
    const mail = await opened(createSes('mail', configured(ses.config, { ...access, from }), connectorServices()));
    const letter = {
      to: ['Ana <ana@example.org>', 'bob@example.org'],
      cc: 'carla@example.org',
      subject: 'Ärger & mehr',
      textBody: 'text',
      htmlBody: '<b>text</b>',
      headers: { 'X-Order': '7' },
      tags: ['orders', 'shop'],
      attachments: [{ filename: 'a.txt', content: 'text', encoding: 'text' }],
    };
    const taken = { result: { success: true, provider: 'ses', message_id: expect.stringMatching(/^[\w-]{20,}$/) } };
    expect(await sent(mail, letter)).toEqual(taken);
    const { code, upstream, message } = await failureOf(sent(mail, { ...letter, from: 'other@example.org' }));
    expect([code, upstream?.status, message]).toEqual([
      'upstream_error',
      400,
      expect.stringMatching(/MessageRejected.*not verified/),
    ]);
  });

  test('SNS is asked whether it is there, takes text messages, and refuses a number with its reason', async () => {
    const written = { ...access, sender_id: 'Shop' };
    const texts = await opened(createSns('texts', configured(sns.config, written), connectorServices()));
    expect(await texts.check?.(never)).toBe(undefined);
    const taken = { result: { success: true, provider: 'sns', message_id: expect.stringMatching(/^[0-9a-f-]{36}$/) } };
    expect(await sent(texts, { to: '+4915112345678', body: 'Grüße & <mehr> %41+1' })).toEqual(taken);
    const { code, upstream, message } = await failureOf(sent(texts, { to: 'shop', body: 'x' }));
    expect([code, upstream?.status, message]).toEqual([
      'upstream_error',
      400,
      expect.stringMatching(/InvalidParameter.*E164/),
    ]);
  });
});
