import { type Handlers, wireError } from '@svc/protocol/wire';
import { ClientScope } from '../values/scope.ts';
import { PathProblem, pageOf, setVariable, variablesOf } from '../values/variables.ts';
import { type Caller, pausedThread, threadOf } from './caller.ts';

type Names = 'debug.evaluate' | 'debug.variables' | 'debug.setVariable' | 'debug.page';

const defaultPage = 100;
const largestPage = 1_000;

export const valueHandlers: Pick<Handlers<Caller>, Names> = {
  'debug.evaluate': (caller, { threadId, expression }) => {
    const { stop, thread } = pausedThread(caller, threadId);
    const compiled = caller.evaluator.compile(expression, stop.rule?.variables);
    if ('problem' in compiled) throw wireError('evalError', compiled.problem);
    try {
      return caller.evaluator.evaluate(
        compiled.program,
        new ClientScope(stop.scope, thread.secrecy, stop.rule?.variables),
        thread.secrecy,
      );
    } catch (error) {
      throw wireError('evalError', error instanceof Error ? error.message : String(error));
    }
  },
  'debug.variables': (caller, { threadId }) => variablesOf(threadOf(caller, threadId)),
  'debug.setVariable': (caller, { threadId, path, value }) => {
    const { thread, stop } = pausedThread(caller, threadId);
    return { value: refusing(() => setVariable(thread, stop.scope, path, value)) };
  },
  'debug.page': (caller, { threadId, path, start = 0, count = defaultPage }) => {
    const { stop, thread } = pausedThread(caller, threadId);
    if (start < 0 || count < 1 || count > largestPage)
      throw wireError('invalidParams', `"start" is from 0 and "count" from 1 to ${largestPage}`);
    return refusing(() => pageOf(stop, path, start, count, thread.secrecy));
  },
};

/** A path that leads nowhere is a wrong parameter. */
function refusing<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof PathProblem) throw wireError('invalidParams', error.message);
    throw error;
  }
}
