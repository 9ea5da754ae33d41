import type { ProjectRule } from '@svc/protocol/model';
import { originOf } from '@svc/protocol/schema';
import { isRange } from '../net/addresses/address-range.ts';
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
  const limit = settings?.rate_limit;
  for (const path of limit?.exclude_paths ?? [])
    if (limit && !path.startsWith('/'))
      report('malformed-value', `the path "${path}" does not begin with /`, originOf(limit, 'exclude_paths'), {
        help: `Write "/${path}".`,
      });
};
