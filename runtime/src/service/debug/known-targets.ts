import type { KnownTarget } from '@svc/protocol/wire';
import type { Connector } from '../../foundation/contracts/connector.ts';
import { Failure } from '../../foundation/errors/failure.ts';
import { systemClock } from '../../foundation/observe/clock.ts';
import type { DebuggedService } from './inspect.ts';

/** Milliseconds for which the server of a connector is asked. */
const askedFor = 2_000;
/** Milliseconds for which its answer is given again, or that there was none. */
const keptFor = 5_000;

interface Asked {
  readonly at: number;
  readonly answer: Promise<readonly KnownTarget[]>;
}

/** By connector, so that clients cannot ask a server at once or too often. */
const asked = new WeakMap<Pick<Connector, 'knownTargets'>, Asked>();

/**
 * What the server of a connector has; undefined when there is no such connector. Rejects with the reason of the
 * connector, or when it did not answer for 2 s.
 */
export async function knownTargets(
  { project, connectors }: DebuggedService,
  name: string,
): Promise<readonly KnownTarget[] | undefined> {
  if (!project.connectors.has(name)) return undefined;
  const connector = connectors?.get(name)?.connector;
  if (connector?.knownTargets === undefined) return [];
  const now = systemClock.elapsed();
  const known = asked.get(connector);
  if (known !== undefined && now - known.at < keptFor) return known.answer;
  const signal = AbortSignal.timeout(askedFor);
  const answer = Promise.race([connector.knownTargets(signal), late(signal)]);
  asked.set(connector, { at: now, answer });
  return answer;
}

/** Rejects when the signal fires, so that a connector that does not hear it holds no client up. */
function late(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () =>
      reject(new Failure('connector_timeout', `no response within ${askedFor / 1000} s`)),
    );
  });
}
