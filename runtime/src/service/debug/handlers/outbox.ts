import { type Handlers, type OutboxMessage, wireError } from '@svc/protocol/wire';
import type { Caller } from './caller.ts';

type Names = 'debug.outbox' | 'debug.outboxMessage';

const usuallyListed = 100;
/** Characters of a rendered body that an answer has. */
const longestHtml = 1_000_000;

/** Answers for notifications that are captured instead of sent. */
export const outboxHandlers: Pick<Handlers<Caller>, Names> = {
  'debug.outbox': async ({ outbox }, { limit = usuallyListed, before }) => {
    if (outbox === undefined) return { folder: null, messages: [] };
    if (limit < 1) throw wireError('invalidParams', '"limit" is a number from 1');
    return { folder: outbox.path, messages: await outbox.list(limit, before) };
  },
  'debug.outboxMessage': async ({ outbox }, { name }) => {
    const message = await outbox?.read(name);
    if (message === undefined) throw wireError('internalError', `there is no captured message "${name}"`);
    return bounded(message);
  },
};

function bounded(message: OutboxMessage): OutboxMessage {
  const { html } = message.shown;
  if (html === undefined || html.length <= longestHtml) return message;
  return { ...message, shown: { ...message.shown, html: html.slice(0, longestHtml) } };
}
