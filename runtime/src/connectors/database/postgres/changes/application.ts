import { randomBytes } from 'node:crypto';

/** Characters of a name, so that the whole has at most 63: a server cuts what is longer. */
const longest = 22;

const form = /^svc (\S+)\/(\S+) [0-9a-f]{12}$/;

/** How the connections of one connector in one process are called at a server, which takes printable ASCII alone. */
export function applicationOf(service: string, connector: string): string {
  return `svc ${word(service)}/${word(connector)} ${randomBytes(6).toString('hex')}`;
}

/** Which connector of which service is called so, where it is another one; undefined: the same, or none of svc. */
export function otherIn(
  application: string,
  own: string,
): { readonly service: string; readonly connector: string } | undefined {
  const [, service, connector] = form.exec(application) ?? [];
  const [, ownService, ownConnector] = form.exec(own) ?? [];
  if (service === undefined || connector === undefined) return undefined;
  return service === ownService && connector === ownConnector ? undefined : { service, connector };
}

function word(name: string): string {
  return name.replaceAll(/[^!-.0-~]/g, '-').slice(0, longest) || '-';
}
