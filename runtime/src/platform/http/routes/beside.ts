import type { HttpAccess, HttpMount, HttpRoute } from '../../../foundation/contracts/http.ts';

/** Which of these routes nothing serves yet at the address of a mount. */
export function freeOf<R extends Pick<HttpRoute, 'method' | 'path'>>(
  routes: readonly R[],
  beside: HttpMount,
  all: readonly HttpMount[],
): readonly R[] {
  const sharing = all.filter((mount) => mount === beside || isSameAddress(mount, beside));
  const taken = new Set(sharing.flatMap((mount) => mount.routes.map(({ method, path }) => `${method} ${path}`)));
  return routes.filter(({ method, path }) => !taken.has(`${method} ${path}`));
}

/** The mounts without those whose address another one before them has. */
export function firstOfAddresses(mounts: readonly HttpMount[]): readonly HttpMount[] {
  return mounts.filter(
    (mount, at) => mounts.findIndex((other) => other === mount || isSameAddress(other, mount)) === at,
  );
}

/** What a source serves beside the routes of flows, under the conditions of the mount that it shares an address with. */
export function mountBeside(
  connector: string,
  routes: readonly HttpRoute[],
  beside: HttpMount,
  all: readonly HttpMount[],
): HttpMount {
  // How long a sender waits is said by the source, which a debugger can hold back.
  const access: HttpAccess = { ...beside.access, timeout: undefined };
  const { address, refusal } = beside;
  return { connector, address, access, refusal, builtins: false, routes: freeOf(routes, beside, all) };
}

/** An address that the system chooses is not shared. */
function isSameAddress({ address: a }: HttpMount, { address: b }: HttpMount): boolean {
  return a.port !== 0 && a.port === b.port && a.host === b.host;
}
