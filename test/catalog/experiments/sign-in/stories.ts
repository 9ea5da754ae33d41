import { decodeJwt, decodeProtectedHeader } from 'jose';
import { type AuthBed, authBed, cheapHash } from '../../../../runtime/src/engine/auth/testing/bed.ts';
import type { Experiment } from '../experiment.ts';

export const minute = 60_000;
export const better = 'Better-Horse-8';
export const flags: Experiment['values'] = ['true', 'false'];
export const times: Experiment['values'] = ['"10m"', '"20m"'];
export const secret = 'secret = "a secret of at least thirty-two bytes"';
export const noDelay = 'security {\n brute_force {\n fail_delay = 0\n }\n }';

/** What may be asked of a sign-in system, and what is seen of it: without what is random. */
export type Story = (bed: AuthBed) => Promise<unknown>;

/** Runs a story with the block of these lines. What refuses the block is seen too. */
export function tells(lines: string, values: Experiment['values'], story: Story): Experiment {
  return {
    values,
    observe: async (value) => {
      try {
        const bed = await authBed(
          lines.replaceAll('§', () => value),
          { failing: ['before_login', 'before_password_change'] },
        );
        return await story(bed);
      } catch (error) {
        return (error as Error).message;
      }
    },
  };
}

export const jwt = (lines: string, more = noDelay) => `jwt {\n ${lines}\n }\n password {\n ${cheapHash}\n }\n ${more}`;
export const password = (lines: string, more = noDelay) =>
  `jwt {\n ${secret}\n }\n password {\n ${cheapHash}\n ${lines}\n }\n ${more}`;
export const other = (lines: string) => jwt(secret, lines);
export const security = (word: string, lines: string) => other(`security {\n ${word} {\n ${lines}\n }\n }`);
export const quiet = (lines: string) => security('brute_force', `fail_delay = 0\n ${lines}`);

/** Times, and nothing that is random. */
export const tokenOf: Story = async (bed) => {
  const { body } = await bed.register();
  const { alg } = decodeProtectedHeader(body.access_token);
  const read = (token: string) => {
    const { iss, aud, exp, iat, permissions } = decodeJwt(token);
    return { iss, aud, permissions, life: (exp ?? 0) - (iat ?? 0) };
  };
  return [alg, read(body.access_token), read(body.refresh_token), (await bed.ask('jwks')).status];
};

/** Whether a token is still one after some times have passed. */
export const aliveAfter =
  (...passing: readonly number[]): Story =>
  async (bed) => {
    const { access_token: token } = (await bed.register()).body;
    const seen = [];
    for (const time of passing) {
      bed.clock.pass(time);
      seen.push((await bed.caller(token)) !== undefined);
    }
    return seen;
  };

/** A refresh token that is used again after a time. */
export const refreshes =
  (...passing: readonly number[]): Story =>
  async (bed) => {
    const { refresh_token: token } = (await bed.register()).body;
    const seen = [];
    for (const time of [0, ...passing]) {
      bed.clock.pass(time);
      const { status, body } = await bed.ask('refresh', { body: { refresh_token: token } });
      seen.push([status, body.error?.code]);
    }
    return seen;
  };
