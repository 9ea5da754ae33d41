import { randomInt } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { type Answered, type AuthBed, ana, authBed, cheapHash } from '../testing/bed.ts';
import { equalityOf, pairedTimes } from '../testing/paired-times.ts';

const lines = `
  jwt {
    secret = "a secret of at least thirty-two bytes"
  }
  password {
    ${cheapHash}
  }
  security {
    brute_force {
      fail_delay = "0s"
    }
  }
  hooks {
    on_password_reset {
      flow = "f"
    }
  }`;

const samples = 200;
/** Questions that are asked before each measured one where an answer is so quick that caches of the processor show in it. */
const warming = 6;

interface Subject {
  readonly bed: AuthBed;
  readonly ask: (email: string, ip: string) => Promise<Answered>;
  /** Of every answer. */
  readonly status: number;
  /** How many questions are asked before each measured one. */
  readonly before: number;
}

/**
 * Asks about an account and about none. What is done beside an answer is over before the next question. What it leaves in
 * caches is not, so that what is asked before is drawn: it has to be the same for both.
 */
async function lookTheSame({ bed, ask, status, before }: Subject): Promise<void> {
  const seen = new Set<number>();
  let asked = 0;
  // No address asks twice, so that none is refused for that.
  const about = (email: string) => async () => {
    asked++;
    seen.add((await ask(email, `198.${asked >> 16}.${(asked >> 8) & 255}.${asked & 255}`)).status);
  };
  const [known, unknown] = [about(ana), about('bob@example.test')];
  const between = async () => {
    await bed.besidesOver();
    for (let at = 0; at < before; at++) {
      await (randomInt(2) === 0 ? known() : unknown());
      await bed.besidesOver();
    }
  };
  const questions = { between, one: known, other: unknown };
  await pairedTimes(1, questions);
  const probability = await equalityOf(samples, questions);
  expect([...seen]).toEqual([status]);
  expect(probability).toBeGreaterThan(0.01);
}

describe('S-22: the time of an answer is the same with and without an account', () => {
  test('of a sign-in with a wrong password, without a delay', async () => {
    const bed = await authBed(lines, { apart: true });
    await bed.register();
    const ask = (email: string, ip: string) => bed.login('Wrong-Horse-7', { email, ip });
    await lookTheSame({ bed, ask, status: 401, before: 0 });
  }, 600_000);

  test('of a question for a token that resets a password', async () => {
    const bed = await authBed(lines, { apart: true });
    await bed.register();
    const ask = (email: string, ip: string) => bed.ask('password_forgot', { ip, body: { email } });
    await lookTheSame({ bed, ask, status: 200, before: warming });
  });
});
