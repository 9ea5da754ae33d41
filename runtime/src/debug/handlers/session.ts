import { capabilities, type Handlers } from '@svc/protocol/wire';
import { type Caller, serviceOf, sessionOf } from './caller.ts';

type Names = 'debug.attach' | 'debug.detach';

/** Begins and ends sessions. */
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
};
