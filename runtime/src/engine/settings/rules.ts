import type { Project, ProjectRule } from '@svc/protocol/model';
import { isWritten, originOf } from '@svc/protocol/schema';
import { isRange } from '../../platform/net/addresses/address-range.ts';
import { service } from './spec.ts';

/** Checks that the networks and paths in the `service` block are valid. */
export const checkService: ProjectRule = (project, report) => {
  const settings = project.one('service', service);
  for (const network of settings?.trusted_proxies ?? [])
    if (settings && !isRange(network))
      report(
        'malformed-value',
        `"${network}" is neither an address nor a network`,
        originOf(settings, 'trusted_proxies'),
        {
          help: 'Write an address ("10.0.0.7") or a range ("10.0.0.0/8", "fd00::/8").',
        },
      );
  if (
    settings &&
    isWritten(settings, 'client_address') &&
    settings.trusted_proxies.length === 0 &&
    !hasOwnProxies(project)
  )
    report(
      'inert-attribute',
      'client_address has no effect: no proxy is trusted to name the address of its caller',
      originOf(settings, 'client_address'),
      { severity: 'warning', help: 'Write the networks of the proxies in trusted_proxies, or remove client_address.' },
    );
  const limit = settings?.rate_limit;
  for (const path of limit?.exclude_paths ?? [])
    if (limit && !path.startsWith('/'))
      report('malformed-value', `the path "${path}" does not begin with /`, originOf(limit, 'exclude_paths'), {
        help: `Write "/${path}".`,
      });
};

/** Whether a connector trusts proxies of its own, which name the address in the same header. */
function hasOwnProxies({ connectors }: Project): boolean {
  return [...connectors.values()]
    .flatMap(({ values, profiles }) => [values, ...[...profiles.values()].map((profile) => profile.values)])
    .some(
      (values) =>
        values !== undefined && Object.hasOwn(values, 'trusted_proxies') && values['trusted_proxies'] !== undefined,
    );
}
