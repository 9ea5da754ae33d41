import { expect } from 'vitest';
import type { CallDescription, CallRequest } from '../../../../contracts/target.ts';
import type { Failure } from '../../../../errors/failure.ts';
import type { TargetConnector } from '../../../testing/target-conformance.ts';

/** Asks a connector once, as a step does, and resolves with the value of the answer. */
export async function ask(
  connector: TargetConnector,
  operation: string,
  params: Readonly<Record<string, unknown>>,
  described: Partial<CallDescription> = {},
  request: CallRequest = {},
): Promise<unknown> {
  const execute = connector.target.prepare({
    verb: 'call',
    operation,
    target: undefined,
    query: undefined,
    timeout: undefined,
    exact: false,
    flow: 'f',
    label: 'step "s"',
    ...described,
  });
  return (await execute({ params, ...request })).value;
}

/** The failure of what must fail. */
export async function failureOf(work: Promise<unknown>): Promise<Failure> {
  return work.then(
    (value) => expect.fail(`it did not fail, and answered ${JSON.stringify(value)}`),
    (error: Failure) => error,
  );
}
