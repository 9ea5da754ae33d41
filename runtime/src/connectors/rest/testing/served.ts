import { configured } from '../../../../../test/support/configured.ts';
import type { Binding } from '../../../foundation/contracts/source.ts';
import { type Served, type ServedOptions, serve } from '../../../platform/http/testing/served.ts';
import { create } from '../connector.ts';
import { rest } from '../spec.ts';

export {
  binding,
  echo,
  reply,
  type Served,
  type ServedOptions,
  without,
} from '../../../platform/http/testing/served.ts';

/** A REST connector behind a real socket, with stub flows. Disposing closes all of it. */
export function served(
  bindings: readonly Binding[],
  { config, ...options }: ServedOptions & { readonly config?: Record<string, unknown> } = {},
): Promise<Served> {
  const values = configured(rest.config, { host: '127.0.0.1', port: 0, ...config });
  return serve((services) => create('api', values, services), bindings, options);
}
