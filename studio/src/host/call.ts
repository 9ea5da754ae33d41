import { checkedParameters } from '../shared/parameters.ts';
import { services as table } from '../shared/services.ts';
import type { HostServices } from './host.ts';

/** Calls a service by its name with parameters that came from a page: nothing about either is taken for granted. */
export async function callService(services: HostServices, name: string, given: unknown): Promise<unknown> {
  if (!Object.hasOwn(table, name)) throw new Error(`there is no service "${name}"`);
  const known = name as keyof HostServices;
  return (services[known] as (params: unknown) => Promise<unknown>)(checkedParameters(table[known].params, given));
}
