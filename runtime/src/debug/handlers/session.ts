import { capabilities, type Handlers, wireError } from '@svc/protocol/wire';
import { type Caller, serviceOf, sessionOf } from './caller.ts';

type Names = 'debug.attach' | 'debug.detach' | 'debug.ready' | 'debug.consume';

/** Begins and ends sessions, and answers for event sources, of which there are none. */
export const sessionHandlers: Pick<Handlers<Caller>, Names> = {
  'debug.attach': (caller, { clientName, capabilities: understood }) => {
    const { stages } = serviceOf(caller);
    const { id } = caller.attach(clientName, new Set(understood));
    return { sessionId: id, flows: [...stages.keys()], capabilities: Object.keys(capabilities) };
  },
  'debug.detach': (caller) => {
    sessionOf(caller);
    caller.detach();
    return { ok: true };
  },
  'debug.ready': () => ({ ok: true, sources: [] }),
  'debug.consume': (caller, { connector }) => {
    const declared = serviceOf(caller).project.connectors.get(connector);
    if (declared === undefined) throw wireError('internalError', `there is no connector "${connector}"`);
    throw wireError('internalError', `connector "${connector}" is no event source: nothing can be taken from it`);
  },
};
