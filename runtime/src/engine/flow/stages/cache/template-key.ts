import type { TemplateSource } from '@svc/protocol/schema';
import type { Auth } from '../../../../foundation/contracts/message.ts';
import { asFailure } from '../../../../foundation/errors/classify.ts';
import { Failure } from '../../../../foundation/errors/failure.ts';
import type { Expression } from '../../compile/expression.ts';
import { compileTemplate } from '../../compile/template.ts';
import { isKeptSpelling } from '../../hold/uuid-spelling.ts';
import type { FlowTools } from '../../tools.ts';

/** The place of a key. */
export interface KeyPlace {
  readonly flow: string;
  readonly aspect?: string;
  readonly cache: string;
  readonly attribute: string;
}

/**
 * Compiles a key that never fails a message: a message for which it gives no text is neither answered from the cache
 * nor cached. Each is counted, the first one is logged.
 */
export function compileTemplateKey(
  source: TemplateSource,
  title: string,
  place: KeyPlace,
  tools: FlowTools,
): (scope: object, auth: Auth) => string | undefined {
  const { log, observer } = tools.services;
  const parts: Expression[] = [];
  const fill = compileTemplate(
    source,
    (part, at) => {
      const expression = tools.expression(part, at);
      parts.push(expression);
      return expression;
    },
    title,
  );
  const isUntold = untold(parts);
  let isLogged = false;
  return (scope, auth) => {
    try {
      const text = fill(scope);
      if (text !== undefined) return isUntold(auth) || !isKeptSpelling(text) ? undefined : text;
      throw new Failure('expression_failed', `${title} holds a list or an object`);
    } catch (error) {
      observer.cache(place.cache, 'key_error');
      const { message } = asFailure(error);
      if (!isLogged)
        log.warn('a cache key cannot be determined and the flow continues without the cache', {
          ...place,
          error: message,
        });
      isLogged = true;
      return undefined;
    }
  };
}

/**
 * Whether a key distinguishes callers by `auth.user_id`, which is empty for this one: a caller that is identified by a
 * key alone, as others are. The answer to such a caller is not cached.
 */
export function untold(parts: readonly Expression[]): (auth: Auth) => boolean {
  if (!parts.some((part) => part.reads(['auth', 'user_id']))) return () => false;
  return ({ authenticated, user_id }) => authenticated && user_id === '';
}
