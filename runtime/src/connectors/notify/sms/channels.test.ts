import { afterEach, describe, expect, test, vi } from 'vitest';
import { problemsOf } from '../../../checks/rules/testing/problems.ts';
import { signatureProblem } from '../../../platform/aws/testing/signature.ts';
import { regionAddress } from '../aws-requests.ts';
import { send } from '../testing/bed.ts';
import { failureOf, opened } from '../testing/opened.ts';
import { snsBed } from './sns/testing/bed.ts';
import { twilioBed } from './twilio/testing/bed.ts';

const message = { to: '+15005550009', body: 'Sent: 100% & more' };
const formOf = ({ body }: { body: string }) => Object.fromEntries(new URLSearchParams(body));

describe('twilio', () => {
  test('a message is a form at the account, with its credentials', async () => {
    const { connector, messages } = await opened(twilioBed);
    await send(connector, { payload: message });
    const [{ method, url, headers } = expect.fail(), ...others] = messages();
    expect([method, url, others]).toEqual([
      'POST',
      '/2010-04-01/Accounts/AC00000000000000000000000000000005/Messages.json',
      [],
    ]);
    expect(Buffer.from(headers.authorization?.slice(6) ?? '', 'base64').toString()).toBe(
      'AC00000000000000000000000000000005:kept-secret',
    );
    expect(messages().map(formOf)).toEqual([{ To: '+15005550009', From: '+15005550006', Body: 'Sent: 100% & more' }]);
  });

  test('a messaging service is sent as one, of the message and of the connector', async () => {
    const service = `MG${'0f'.repeat(16)}`;
    const { connector, messages } = await opened(twilioBed, { written: { from: service } });
    await send(connector, { payload: { body: 'a', from: '+15005550001' } }, { target: '+15005550009' });
    await send(connector, { payload: { to: 15005550009, body: 'b' } });
    expect(messages().map(formOf)).toEqual([
      { To: '+15005550009', From: '+15005550001', Body: 'a' },
      { To: '15005550009', MessagingServiceSid: service, Body: 'b' },
    ]);
  });

  test.each(['account_sid', 'auth_token', 'from'])('an empty %s stops the start', async (name) => {
    const failure = await failureOf(opened(twilioBed, { written: { [name]: '' } }));
    expect([failure.code, failure.retriable, failure.message]).toEqual([
      'connector_refused',
      false,
      `${name} is empty`,
    ]);
  });
});

describe('sns', () => {
  afterEach(() => vi.unstubAllEnvs());
  const keys = { access: 'KEPTACCESSKEY', secret: 'kept-secret', service: 'sns' };

  test('a message is published with its sender and kind, signed for the region', async () => {
    const written = { region: 'eu-central-1', sender_id: 'SHOP', sms_type: 'Promotional' };
    const { connector, messages } = await opened(snsBed, { written });
    await send(connector, { payload: message });
    await send(connector, { payload: { ...message, from: 'OPS' } });
    const publish = {
      Action: 'Publish',
      Version: '2010-03-31',
      PhoneNumber: '+15005550009',
      Message: 'Sent: 100% & more',
      'MessageAttributes.entry.1.Name': 'AWS.SNS.SMS.SMSType',
      'MessageAttributes.entry.1.Value.DataType': 'String',
      'MessageAttributes.entry.1.Value.StringValue': 'Promotional',
      'MessageAttributes.entry.2.Name': 'AWS.SNS.SMS.SenderID',
      'MessageAttributes.entry.2.Value.DataType': 'String',
      'MessageAttributes.entry.2.Value.StringValue': 'SHOP',
    };
    expect(messages().map(formOf)).toEqual([
      publish,
      { ...publish, 'MessageAttributes.entry.2.Value.StringValue': 'OPS' },
    ]);
    const problems = messages().map((asked) =>
      signatureProblem(asked, Buffer.from(asked.body), { ...keys, region: 'eu-central-1' }, Date.now()),
    );
    expect(problems).toEqual([undefined, undefined]);
  });

  test('credentials of the environment are used, and their token is sent', async () => {
    vi.stubEnv('AWS_ACCESS_KEY_ID', keys.access);
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', keys.secret);
    vi.stubEnv('AWS_SESSION_TOKEN', 'kept-session');
    const written = { access_key_id: undefined, secret_access_key: undefined };
    const { connector, messages } = await opened(snsBed, { written });
    await send(connector, { payload: message });
    const [asked = expect.fail()] = messages();
    expect(asked.headers['x-amz-security-token']).toBe('kept-session');
    expect(signatureProblem(asked, Buffer.from(asked.body), { ...keys, region: 'us-east-1' }, Date.now())).toBe(
      undefined,
    );
    expect(formOf(asked)).not.toHaveProperty(['MessageAttributes.entry.2.Name']);
  });

  test('credentials that have ended are replaced, and the message is sent again', async () => {
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'OLD');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'old');
    const ended = { status: 403, body: '<ErrorResponse><Error><Code>ExpiredToken</Code></Error></ErrorResponse>' };
    const { connector, messages } = await opened(snsBed, {
      written: { access_key_id: undefined, secret_access_key: undefined },
      answer: (asked, nth) => {
        if (nth > 1) return snsBed.taken('1', asked);
        vi.stubEnv('AWS_ACCESS_KEY_ID', 'NEW');
        return ended;
      },
    });
    expect((await send(connector, { payload: message })).value).toEqual({
      result: { success: true, ...snsBed.result('1') },
    });
    expect(messages().map(({ headers }) => /Credential=(\w+)/.exec(headers.authorization ?? '')?.[1])).toEqual([
      'OLD',
      'NEW',
    ]);
  });

  test('R-91: throttling with status 400 is tried once again', async () => {
    const less = { status: 400, body: '<ErrorResponse><Error><Code>Throttling</Code></Error></ErrorResponse>' };
    const { connector, messages } = await opened(snsBed, {
      answer: (asked, nth) => (nth === 1 ? less : snsBed.taken('1', asked)),
    });
    await send(connector, { payload: message });
    expect(messages()).toHaveLength(2);
  });

  test('a key that is empty stops the start', async () => {
    const failure = await failureOf(opened(snsBed, { written: { secret_access_key: '' } }));
    expect([failure.code, failure.message]).toEqual(['connector_refused', 'secret_access_key is empty']);
  });

  test('its address is that of the region', () => {
    expect(['eu-central-1', 'cn-north-1'].map((region) => regionAddress('sns', region))).toEqual([
      'https://sns.eu-central-1.amazonaws.com',
      'https://sns.cn-north-1.amazonaws.com.cn',
    ]);
  });
});

const texts = (lines: string) => `connector "texts" {\n  type = "sms"\n  ${lines}\n}\n`;

test.each([
  ['neutral names of drivers', 'driver = "SMS_PROVIDER_B"', []],
  ['half of the keys', 'driver = "sns"\n  access_key_id = "a"', ['missing-attribute «"a"»']],
  ['a kind of messages', 'driver = "sns"\n  sms_type = "Urgent"', ['unknown-value «"Urgent"»']],
  ['no driver', '', ['missing-attribute «"texts"»']],
] as const)('%s', (_title, lines, expected) => {
  expect(problemsOf(texts(lines)).filter((problem) => !problem.startsWith('info '))).toEqual(expected);
});
