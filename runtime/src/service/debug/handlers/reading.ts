import { type Handlers, wireError } from '@svc/protocol/wire';
import { mask } from '../../../foundation/observe/mask.ts';
import { readingOf } from '../values/reading.ts';
import { ClientScope } from '../values/scope.ts';
import { search } from '../values/search.ts';
import { type Caller, pausedThread } from './caller.ts';

type Names = 'debug.reading' | 'debug.search';

const usualMatches = 100;
const mostMatches = 1_000;

export const readingHandlers: Pick<Handlers<Caller>, Names> = {
  'debug.reading': (caller, { threadId, expression }) => {
    const { stop, thread } = pausedThread(caller, threadId);
    const { evaluator } = caller;
    const { secrecy } = thread;
    const { rule } = stop;
    if (expression === undefined && rule === undefined)
      throw wireError('invalidParams', `thread "${threadId}" is not paused at a rule: name an "expression"`);
    if (expression === undefined && rule !== undefined && secrecy.hidesTarget(rule.target))
      return { expression: mask, parts: [], result: { value: mask, type: '', error: '' } };
    if (expression === undefined && rule?.isStatement)
      throw wireError('invalidParams', `"${rule.target}" is a statement of a database, which has no parts`);
    const compiled = evaluator.compile(expression ?? rule?.expression ?? '', rule?.variables);
    if ('problem' in compiled) throw wireError('evalError', compiled.problem);
    return readingOf(compiled.program, new ClientScope(stop.scope, secrecy, rule?.variables), secrecy);
  },
  'debug.search': (caller, { threadId, text, limit = usualMatches }) => {
    const { stop, thread } = pausedThread(caller, threadId);
    if (text === '') throw wireError('invalidParams', '"text" is empty');
    if (limit < 1 || limit > mostMatches) throw wireError('invalidParams', `"limit" is from 1 to ${mostMatches}`);
    return search(stop.scope, text, limit, thread.secrecy);
  },
};
