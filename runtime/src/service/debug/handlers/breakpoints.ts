import { type FailureType, failureTypes, type Handlers, wireError } from '@svc/protocol/wire';
import { mostBreakpoints } from '../threads/breakpoints.ts';
import { type Caller, serviceOf, sessionOf } from './caller.ts';

type Names = 'debug.setBreakpoints' | 'debug.setFailureBreakpoints' | 'debug.setDropBreakpoints';

const known: ReadonlySet<string> = new Set(failureTypes);

export const breakpointHandlers: Pick<Handlers<Caller>, Names> = {
  'debug.setBreakpoints': (caller, { flow, breakpoints }) => {
    const stages = serviceOf(caller).stages.get(flow);
    if (stages === undefined) throw wireError('flowNotFound', `there is no flow "${flow}"`);
    if (breakpoints.length > mostBreakpoints)
      throw wireError(
        'invalidParams',
        `a flow takes at most ${mostBreakpoints} breakpoints, not ${breakpoints.length}`,
      );
    return { breakpoints: caller.hub.breakpoints.set(sessionOf(caller), flow, stages, breakpoints) };
  },
  'debug.setFailureBreakpoints': (caller, { codes, types = [] }) => {
    const session = sessionOf(caller);
    const unknown = types.find((type) => !known.has(type));
    if (unknown !== undefined)
      throw wireError('invalidParams', `there is no kind of failure "${unknown}", but ${failureTypes.join(', ')}`);
    session.failures = new Set(codes);
    session.failureTypes = new Set(types as readonly FailureType[]);
    return { ok: true, codes };
  },
  'debug.setDropBreakpoints': (caller, { gates }) => {
    sessionOf(caller).drops = new Set(gates);
    return { ok: true, gates };
  },
};
