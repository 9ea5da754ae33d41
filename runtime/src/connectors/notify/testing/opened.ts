import { onTestFinished } from 'vitest';
import { connectorServices, type recordingLog } from '../../../../../test/support/connector-services.ts';
import type { ConnectorServices } from '../../../foundation/contracts/connector.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import { type ChannelBed, made, providerOf, taking } from './bed.ts';
import type { Asked, Given, Misbehaviour } from './provider.ts';

/** What a test may say of a connector and of its provider. */
export interface Opening {
  /** What the provider answers to the message that is the n-th; absent: it takes it. */
  readonly answer?: (asked: Asked, nth: number) => Given | Misbehaviour;
  /** Attributes beside those of the bed, or instead of them. */
  readonly written?: Record<string, unknown>;
  readonly services?: Partial<ConnectorServices>;
}

/** An open connector and its provider, closed when the test ends. */
export async function opened(bed: ChannelBed, { answer = taking(bed), written = {}, services = {} }: Opening = {}) {
  let count = 0;
  const provider = await providerOf(bed, (asked) => bed.before?.(asked) ?? answer(asked, ++count));
  const given = connectorServices(services);
  const connector = made(bed, { ...bed.written(provider.url), ...written }, given);
  onTestFinished(async () => {
    await connector.close(AbortSignal.abort());
    await provider.close();
  });
  await connector.open(new AbortController().signal);
  return {
    connector,
    provider,
    /** The requests with messages. */
    messages: () => provider.sends.filter((asked) => bed.before?.(asked) === undefined),
    log: given.log as ReturnType<typeof recordingLog>,
  };
}

/** What a promise is rejected with. */
export async function failureOf(work: Promise<unknown>): Promise<Failure> {
  const outcome = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (outcome instanceof Failure) return outcome;
  throw new Error(outcome === undefined ? 'it did not fail' : `it failed with ${String(outcome)}`);
}
