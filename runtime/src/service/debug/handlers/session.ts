import { type Capability, capabilities, type Handlers } from '@svc/protocol/wire';
import { whenDone } from '../../../engine/flow/message/when-done.ts';
import { type Caller, serviceOf, sessionOf } from './caller.ts';

type Names = 'debug.attach' | 'debug.detach' | 'debug.unlock' | 'debug.lock';

/** Milliseconds that a client waits for a service that is still starting. */
const longestStart = 10_000;

/** Begins and ends sessions, and says what they may do. */
export const sessionHandlers: Pick<Handlers<Caller>, Names> = {
  'debug.attach': (caller, { clientName, capabilities: understood }) => {
    const { gate, session, service } = caller;
    if (session === undefined && (understood ?? []).includes('holdIntake' satisfies Capability)) gate.hold(caller);
    const attach = () => {
      const { stages } = serviceOf(caller);
      const { id } = caller.attach(clientName, new Set(understood));
      return { sessionId: id, flows: [...stages.keys()], capabilities: Object.keys(capabilities) };
    };
    // A client need not wait for this answer before it continues, so that it comes at once where it can.
    const answer = whenDone(service() === undefined ? gate.begun(longestStart) : undefined, attach);
    if (answer instanceof Promise)
      return answer.then(
        (attached) => {
          gate.limitHold(caller);
          return attached;
        },
        (error: unknown) => {
          gate.releaseFor(caller);
          throw error;
        },
      );
    gate.limitHold(caller);
    return answer;
  },
  'debug.detach': (caller) => {
    sessionOf(caller);
    caller.detach();
    return { ok: true };
  },
  'debug.unlock': (caller) => {
    sessionOf(caller).isUnlocked = true;
    return { ok: true };
  },
  'debug.lock': (caller) => {
    sessionOf(caller).isUnlocked = false;
    return { ok: true };
  },
};
