import { expect, test } from 'vitest';
import { type Reading, readingAt, timeOf } from '../../../foundation/observe/clock.ts';
import { messageBudget } from '../../../platform/formats/budget.ts';
import { readEnvelope } from '../envelope/read.ts';
import type { Envelope } from '../envelope/reader.ts';
import { envelopeText } from '../envelope/write.ts';
import { securityBlock } from './sent-token.ts';
import { TokenCheck, type TokenSettings } from './user-name-token.ts';

const start = Date.parse('2030-01-01T00:00:00Z');

/** A clock that is set, beside time that goes by. */
class SetClock {
  wall = start;
  passed = 0;
  now = () => this.wall;
  elapsed = () => this.passed;
  reading = () => readingAt(this.passed);
  since = (reading: Reading) => this.passed - timeOf(reading);
  sleep = async () => undefined;

  pass(milliseconds: number): void {
    this.wall += milliseconds;
    this.passed += milliseconds;
  }
}

function made(settings: Partial<TokenSettings> = {}, wall = start) {
  const clock = new SetClock();
  clock.wall = wall;
  const users = { ada: 'first secret' };
  const check = new TokenCheck({ users, passwords: 'any', max_age: 300_000, max_nonces: 100, ...settings }, clock);
  const token = (own: { password?: string; passwords?: 'text' | 'digest'; username?: string; at?: number } = {}) => {
    const { username = 'ada', password = 'first secret', passwords = 'digest', at = clock.now() } = own;
    return envelopeText({
      version: '1.1',
      headers: securityBlock({ username, password, passwords }, at),
      body: { Echo: {} },
    });
  };
  const ask = (text: string) => {
    try {
      return check.check((readEnvelope(Buffer.from(text), undefined, messageBudget) as Envelope).headers).user_id;
    } catch (error) {
      const { code, subcode } = error as { code: string; subcode?: { local: string } };
      return `${code} ${subcode?.local}`;
    }
  };
  return { clock, token, ask };
}

const failed = 'authentication_required FailedAuthentication';

test('a password comes as digest or text, and is right; what is wrong is never said', () => {
  const { token, ask } = made();
  expect([
    ask(token()),
    ask(token({ passwords: 'text' })),
    ask(token({ password: 'first secreT' })),
    ask(token({ password: '', passwords: 'text' })),
    ask(token({ username: 'eve' })),
    ask(token({ username: '__proto__', password: '' })),
    ask(token({ username: 'constructor', passwords: 'text' })),
    ask(token().replace('PasswordDigest', 'PasswordOther')),
    ask(token().replace(/<wsse:Nonce.*<\/wsse:Nonce>/, '')),
    ask(token().replace(/<wsu:Created>.*<\/wsu:Created>/, '')),
    ask(token().replace('wsse:Username>', 'wsse:Other>').replace('</wsse:Username>', '</wsse:Other>')),
  ]).toEqual(['ada', 'ada', ...Array(8).fill(failed), 'authentication_required InvalidSecurity']);
  expect(ask(envelopeText({ version: '1.1', body: { Echo: {} } }))).toBe('authentication_required InvalidSecurity');
});

test.each(['digest', 'text'] as const)('`passwords = "%s"` takes no other kind', (passwords) => {
  const { token, ask } = made({ passwords });
  expect(ask(token({ passwords: 'digest' }))).toBe(passwords === 'digest' ? 'ada' : failed);
  expect(ask(token({ passwords: 'text' }))).toBe(passwords === 'text' ? 'ada' : failed);
});

test('a token is taken once, in every spelling of its nonce, and within `max_age` of now', () => {
  const { clock, token, ask } = made({ max_age: 60_000 });
  clock.pass(120_000);
  const first = token();
  const spelled = first.replace(/(<wsse:Nonce[^>]*>)([^<]*)/, '$1  $2 ');
  expect([ask(first), ask(first), ask(spelled)]).toEqual(['ada', failed, failed]);
  const ages = [-60_000, 60_000, -60_001, 60_001].map((age) => ask(token({ at: clock.now() + age })));
  expect(ages).toEqual(['ada', 'ada', failed, failed]);
});

test('A-09: no nonce is taken twice, whether the clock is set back or forward, and after a restart', () => {
  const { clock, token, ask } = made({ max_age: 60_000 });
  clock.pass(1_000);
  const used = token();
  expect(ask(used)).toBe('ada');
  clock.wall += 3_600_000;
  const ahead = token();
  expect([ask(used), ask(ahead)]).toEqual([failed, 'ada']);
  clock.wall -= 3_600_000;
  expect([ask(used), ask(ahead)]).toEqual([failed, failed]);
  clock.pass(200_000);
  expect(ask(token({ at: clock.now() }))).toBe(failed);
  for (const wall of [start, start + 1_000, start + 3_600_000, start + 3_601_000]) {
    clock.wall = wall;
    expect([wall, ask(used), ask(ahead)]).toEqual([wall, failed, failed]);
  }
  clock.wall = start + 3_601_001;
  expect(ask(token())).toBe('ada');
  const restarted = made({ max_age: 60_000 }, start + 2_500);
  expect([restarted.ask(used), restarted.ask(restarted.token())]).toEqual([failed, 'ada']);
});

test('what is remembered is bounded: further tokens are refused as overload, and taken later', () => {
  const { clock, token, ask } = made({ max_nonces: 2, max_age: 60_000 });
  expect([ask(token()), ask(token()), ask(token())]).toEqual(['ada', 'ada', 'overloaded undefined']);
  clock.pass(120_001);
  expect(ask(token())).toBe('ada');
});
