import { afterEach, expect } from 'vitest';
import { configured } from '../../../../../test/support/configured.ts';
import { connectorServices } from '../../../../../test/support/connector-services.ts';
import { folderWith } from '../../../../../test/support/folder.ts';
import type { CallResult } from '../../../foundation/contracts/call-result.ts';
import type { ConnectorServices } from '../../../foundation/contracts/connector.ts';
import type { CallDescription, CallRequest, Execute } from '../../../foundation/contracts/target.ts';
import type { Failure } from '../../../foundation/errors/failure.ts';
import type { TargetConnector } from '../../testing/target-conformance.ts';
import { create } from '../local/connector.ts';
import { execLocal } from '../local/spec.ts';

export type Written = Readonly<Record<string, unknown>>;

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

/** Does it when the test ends. */
export function atEnd(clean: () => unknown): void {
  cleanups.push(clean);
}

/** A connector that is not open. */
export function makeConnector(
  written: Written,
  services: ConnectorServices = connectorServices({ directory: folderWith() }),
): TargetConnector {
  return create('tools', configured(execLocal.config, { ...written }), services) as TargetConnector;
}

/** An open connector, closed when the test ends. */
export async function openConnector(written: Written, services?: ConnectorServices): Promise<TargetConnector> {
  const connector = makeConnector(written, services);
  atEnd(() => connector.close(AbortSignal.abort()));
  await connector.open(new AbortController().signal);
  return connector;
}

export function prepared(connector: TargetConnector, call: Partial<CallDescription> = {}): Execute {
  return connector.target.prepare({
    verb: 'call',
    operation: undefined,
    target: undefined,
    query: undefined,
    timeout: undefined,
    exact: false,
    flow: 'f',
    label: 'step "run"',
    ...call,
  });
}

/** Runs a command once, in a connector of its own. */
export async function run(
  written: Written,
  request: CallRequest = {},
  call: Partial<CallDescription> = {},
): Promise<CallResult> {
  return prepared(await openConnector(written), call)(request);
}

/** What a shell prints for a script, as text. */
export async function output(written: Written, request: CallRequest = {}, call: Partial<CallDescription> = {}) {
  const { value } = await run({ output_format: 'text', ...written }, request, call);
  return (value as { readonly output?: string }).output;
}

/** What a promise is rejected with. */
export async function failureOf(promise: Promise<unknown>): Promise<Failure> {
  return promise.then(
    () => expect.fail('it did not fail'),
    (error) => error,
  );
}

/** A program that prints each of its arguments between brackets. */
export const brackets = { command: 'printf', args: ['[%s]'] } as const;
