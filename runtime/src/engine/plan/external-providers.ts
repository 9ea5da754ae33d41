import type { CelSource } from '@svc/protocol/schema';
import { anonymous } from '../../foundation/contracts/message.ts';
import type { AnswerRules, ReadAnswer } from '../auth/external/caller.ts';
import type { ExternalSettings } from '../auth/external/provider.ts';
import type { AuthSettings } from '../auth/settings.ts';
import type { Expressions } from './expressions.ts';

/** The `provider` blocks of the sign-in system, in the order in which they are written. */
export function compileExternalProviders(
  { provider }: Pick<AuthSettings, 'provider'>,
  expressions: Expressions,
  constants: Readonly<Record<string, unknown>>,
): readonly ExternalSettings[] {
  return provider.map(({ label: name, validate, request = {}, response }) => {
    const compile = (word: keyof AnswerRules, source: CelSource): ReadAnswer => {
      const expression = expressions.expression(source, `${word} of provider "${name}"`);
      return (status, body) => expression.evaluate({ status, body, auth: anonymous, constants, ctx: {} });
    };
    const optional = (word: keyof AnswerRules, source: CelSource | undefined) => source && compile(word, source);
    const rules: AnswerRules = {
      success: compile('success', response.success),
      user_id: compile('user_id', response.user_id),
      email: optional('email', response.email),
      roles: optional('roles', response.roles),
      token: optional('token', response.token),
    };
    return { name, validate, request, rules };
  });
}
