import type { ProjectRule } from '@svc/protocol/model';
import { originOf } from '@svc/protocol/schema';
import { service } from './spec.ts';

/** Checks that the networks and paths in the `service` block are valid. */
export const checkService: ProjectRule = (project, report) => {
  const settings = project.one('service', service);
  for (const network of settings?.trusted_proxies ?? [])
    if (settings && !isNetwork(network))
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

const octet = '(25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)';
const ipv4 = new RegExp(`^${octet}(\\.${octet}){3}$`);

/** An IPv4 or IPv6 address, or one with the number of its leading bits. */
function isNetwork(text: string): boolean {
  const [address = '', bits, more] = text.split('/');
  if (more !== undefined) return false;
  const most = ipv4.test(address)
    ? 32
    : address.includes(':') && URL.canParse(`http://[${address}]/`)
      ? 128
      : undefined;
  if (most === undefined) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= most);
}
