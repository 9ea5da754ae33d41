import type { CallResult } from '../../foundation/contracts/call-result.ts';
import { lifetimeOf, lifetimeSays } from '../core/values.ts';
import { type Call, fileOf } from './call.ts';
import { refusedParameter } from './style.ts';

const defaultLifetime = 15 * 60_000;

/** A link with which others read or write one file without credentials: `{url, method, expires}`, the last as RFC 3339. */
export async function presign(call: Call): Promise<CallResult> {
  const { store, action, params, engine } = call;
  const method = action === 'presign_put' ? 'PUT' : 'GET';
  const path = fileOf(call);
  const [name, value] =
    params['expires'] === undefined ? ['expires_in', params['expires_in']] : ['expires', params['expires']];
  const lifetime = value === undefined || value === null ? defaultLifetime : lifetimeOf(value);
  if (lifetime === undefined) throw refusedParameter(name as string, lifetimeSays);
  const url = await store.presign?.(path, method, lifetime, params);
  return { value: { url, method, expires: new Date(engine.now() + lifetime).toISOString() } };
}
