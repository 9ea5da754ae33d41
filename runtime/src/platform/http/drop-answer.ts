import type { Drop } from '../../foundation/contracts/outcome.ts';
import { Failure } from '../../foundation/errors/failure.ts';

/** The answer to the caller of a request that a gate turned away. */
export function dropAnswer({ reason, expression }: Drop): Failure | { readonly status: 'dropped'; reason: string } {
  return reason === 'accept' && readsAuth(expression)
    ? new Failure('permission_denied', 'the request was not accepted')
    : { status: 'dropped', reason };
}

/** Whether an expression names the variable `auth`, outside texts and not as a field of something else. */
function readsAuth(expression: string): boolean {
  const code = expression.replace(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g, '""');
  return /(?<![\w.])auth\b/.test(code);
}
