import { type Channel, joinedChannels, type KnownTarget, respond, wireError } from '@svc/protocol/wire';
import { onTestFinished } from 'vitest';
import type { Bridge, HostEvents } from '../../../shared/services.ts';
import { TargetSource } from '../../language/target-source.ts';
import { DebugSession } from '../session/session.ts';

/** What a service answers, by method. */
export type Answers = Readonly<Record<string, (params: never) => unknown>>;

/**
 * A session whose host has channels in memory for services that answer what is given; the last of `dialled` is the
 * service's end of the newest connection. While `host.isDown`, dialling is refused, and counted.
 */
export function sessionWith(given: Answers) {
  const dialled: Channel[] = [];
  const host = { isDown: false, refused: 0, isResumed: false };
  const asked: string[] = [];
  /** What the language service learned of connectors. */
  const known = new Map<string, readonly KnownTarget[]>();
  const ends = new Map<string, Channel>();
  const listeners = new Map<string, (params: never) => void>();
  const emit = <E extends 'debug.texts' | 'debug.closed'>(event: E, params: HostEvents[E]) =>
    listeners.get(event)?.(params as never);
  const services: Answers = {
    'debug.dial': async ({ address }: { address: string }) => {
      if (address === 'absent:1' || host.isDown) {
        host.refused++;
        throw wireError('internalError', `connect ECONNREFUSED ${address}`);
      }
      const id = String(dialled.length);
      const [ours, theirs] = joinedChannels();
      ends.set(id, ours);
      dialled.push(theirs);
      ours.receive((text) => emit('debug.texts', { id, texts: [text] }));
      void ours.closed.then(() => emit('debug.closed', { id, code: 1006, reason: '' }));
      const handle = (method: string, params: unknown) => {
        asked.push(method);
        const answer = given[method];
        if (answer === undefined) throw new Error(`there is no method ${method}`);
        return answer(params as never);
      };
      theirs.receive((text) => respond(text, handle, (reply) => void theirs.send(reply)));
      return { id, address, resumed: host.isResumed };
    },
    'debug.send': async ({ id, text }: { id: string; text: string }) => void ends.get(id)?.send(text),
    'debug.close': async ({ id }: { id: string }) => ends.get(id)?.close(),
  };
  const bridge = {
    call: (name: string, params: never) => services[name]?.(params),
    on: (event: string, listen: (params: never) => void) => {
      listeners.set(event, listen);
      return () => listeners.delete(event);
    },
  } as unknown as Bridge;
  const targets = new TargetSource();
  const know = (connector: string, names: readonly KnownTarget[]) => void known.set(connector, names);
  const session = new DebugSession(bridge, { know, targets });
  onTestFinished(() => session.detach());
  return { session, dialled, asked, host, known, targets };
}
