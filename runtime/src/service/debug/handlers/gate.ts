import { type Handlers, type SourceEntry, wireError } from '@svc/protocol/wire';
import type { EventSource, Intake } from '../../../foundation/contracts/events.ts';
import { figuresAt, waitingBehind } from '../../../foundation/contracts/waiting.ts';
import { flowsFrom } from '../inspect.ts';
import { type Caller, serviceOf, sessionOf } from './caller.ts';

type Names =
  | 'debug.ready'
  | 'debug.consume'
  | 'debug.cancelConsume'
  | 'debug.setGate'
  | 'debug.sources'
  | 'debug.figures';

const positions: readonly string[] = ['open', 'single', 'demand'] satisfies readonly Intake[];

/** Answers for event sources: what there is, how freely they take messages, one message on demand. */
export const gateHandlers: Pick<Handlers<Caller>, Names> = {
  'debug.ready': async (caller) => {
    const { events } = serviceOf(caller);
    await caller.gate.release();
    caller.gate.releaseFor(caller);
    return { ok: true, sources: [...(events ?? [])].map(([connector, source]) => sourceEntry(connector, source)) };
  },
  'debug.consume': async (caller, { connector, until = 'settled', within }) => {
    if (until !== 'settled' && until !== 'taken') throw wireError('invalidParams', '"until" is settled or taken');
    if (within !== undefined && within < 0) throw wireError('invalidParams', '"within" is a number from 0');
    if (!serviceOf(caller).project.connectors.has(connector))
      throw wireError('internalError', `there is no connector "${connector}"`);
    const pulled = await caller.gate.take(connector, sessionOf(caller), within);
    if (until === 'settled') await pulled?.settled;
    return { ok: true, ...(within !== undefined && { taken: pulled !== undefined }) };
  },
  'debug.cancelConsume': (caller, { connector }) => ({
    ok: true,
    cancelled: caller.gate.cancel(sessionOf(caller), connector),
  }),
  'debug.setGate': (caller, { position, connector }) => {
    if (!positions.includes(position))
      throw wireError('invalidParams', `"position" is one of ${positions.join(', ')}, not "${position}"`);
    caller.gate.move(position as Intake, connector);
    return { ok: true };
  },
  'debug.sources': async (caller) => {
    const service = serviceOf(caller);
    const entries = [...(service.events ?? [])].map(async ([connector, source]) => ({
      ...sourceEntry(connector, source),
      flows: flowsFrom(service, connector),
      ready: (await waitingBehind(source)) ?? null,
      unacked: source.unsettled,
      prefetch: source.prefetch ?? null,
      position: caller.gate.positionOf(connector, source),
    }));
    return { sources: await Promise.all(entries) };
  },
  'debug.figures': async (caller, { connector: asked }) => {
    const all = [...(serviceOf(caller).events ?? [])].filter(([name]) => asked === undefined || asked === name);
    if (asked !== undefined && all.length === 0)
      throw wireError('internalError', `connector "${asked}" is not an event source: no broker is asked for it`);
    const entries = all.map(async ([connector, source]) => {
      const found = await figuresAt(source);
      return {
        connector,
        places: found === undefined ? null : [...found].map(([name, counts]) => ({ source: name, ...counts })),
      };
    });
    return { sources: await Promise.all(entries) };
  },
};

function sourceEntry(connector: string, source: EventSource): SourceEntry {
  return { connector, type: source.type, source: source.name, manualConsume: source.pull !== undefined };
}
