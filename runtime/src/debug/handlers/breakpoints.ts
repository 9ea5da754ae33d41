import { type Handlers, wireError } from '@svc/protocol/wire';
import { mostBreakpoints } from '../threads/breakpoints.ts';
import { type Caller, serviceOf, sessionOf } from './caller.ts';

type Names = 'debug.setBreakpoints' | 'debug.setFailureBreakpoints';

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
  'debug.setFailureBreakpoints': (caller, { codes }) => {
    sessionOf(caller).failures = new Set(codes);
    return { ok: true, codes };
  },
};
