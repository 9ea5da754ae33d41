import type { HttpExchange, HttpMount, HttpRoute } from '../../../foundation/contracts/http.ts';
import type { ClientAddress } from '../../../platform/http/admission/client-address.ts';
import { freeOf } from '../../../platform/http/routes/beside.ts';
import type { Recogniser } from '../recogniser.ts';
import type { AuthSystem } from '../system.ts';
import type { Endpoint } from './endpoint.ts';
import { type PlacedEndpoint, placedEndpoints } from './places.ts';
import { EndpointRunner } from './runner.ts';
import { endpointTable } from './table.ts';

export interface AuthMountOptions {
  /** The name of the sign-in system among connectors, none of which can have it. */
  readonly name: string;
  readonly system: AuthSystem;
  readonly recogniser: Recogniser;
  readonly addresses: ClientAddress;
}

/**
 * Adds the endpoints to the address of a mount, with its pages of other origins and its limits. A route that something
 * serves there already stays its own.
 */
export function authMount(
  beside: HttpMount,
  all: readonly HttpMount[],
  { name, system, recogniser, addresses }: AuthMountOptions,
): HttpMount {
  const runner = new EndpointRunner(system, recogniser, addresses);
  return {
    connector: name,
    address: beside.address,
    access: { ...beside.access, verifier: undefined },
    builtins: false,
    routes: freeOf(placedEndpoints(system.settings), beside, all).flatMap((placed) => routesOf(placed, runner)),
  };
}

function routesOf({ name, method, path }: PlacedEndpoint, runner: EndpointRunner): readonly HttpRoute[] {
  const endpoint = endpointTable.get(name) as Endpoint;
  const handle = (exchange: HttpExchange) => runner.run(endpoint, exchange);
  const route = { method, path, open: true, handle };
  // What begins or ends something is not asked for by HEAD.
  const isReading = method === 'GET' && endpoint.acts !== true;
  return isReading ? [route, { ...route, method: 'HEAD' }] : [route];
}
