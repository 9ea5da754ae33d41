import { type Run, UsageError } from '../command.ts';
import { withSignInSystem } from '../sign-in-system.ts';

/**
 * `svc keys rotate`: a new key for the tokens of the sign-in system, which every process signs with within a minute. Tokens
 * of the key before stay valid until they end. Resolves with 1 where the keys are configured, or another process has
 * replaced the key meanwhile.
 */
export const run: Run = (invocation) => {
  const { positionals, options, streams } = invocation;
  if (positionals[0] !== 'rotate') throw new UsageError('it can be rotate');
  return withSignInSystem(invocation, {
    command: 'keys',
    state: false,
    work: async ({ keys }) => {
      if (keys.rotate === undefined) {
        streams.error.write('svc keys: the keys are configured; replace them where jwt { } takes them from\n');
        return 1;
      }
      // Makes the first one where no key is kept.
      const before = (await keys.signing()).id;
      await keys.rotate();
      const now = (await keys.signing()).id;
      const published = (await keys.published()).length;
      if (options['format'] === 'json') streams.out.write(`${JSON.stringify({ before, now, published }, null, 2)}\n`);
      else streams.out.write(`${now}: signs from now on; ${published} keys are published\n`);
      return now === before ? 1 : 0;
    },
  });
};
