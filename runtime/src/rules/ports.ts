import type { ProjectRule } from '@svc/protocol/model';
import { type Origin, originOf } from '@svc/protocol/schema';
import { service } from '../service/spec.ts';

/** No two servers of the service may claim one port; 0 lets the system choose and clashes with nothing. */
export const checkPorts: ProjectRule = (project, report) => {
  const claimed = new Map<number, { readonly who: string; readonly at: Origin | undefined }>();
  const settings = project.one('service', service);
  const admin = settings?.admin_port ?? service.attributes.admin_port.default;
  if (typeof admin === 'number')
    claimed.set(admin, { who: 'the admin server', at: settings ? originOf(settings, 'admin_port') : undefined });
  for (const { name, spec, values } of project.connectors.values()) {
    const port = 'port' in values ? values.port : undefined;
    if (!spec?.source || typeof port !== 'number' || port === 0) continue;
    const earlier = claimed.get(port);
    if (!earlier) claimed.set(port, { who: `connector "${name}"`, at: originOf(values, 'port') });
    else
      report('port-taken', `port ${port} is already that of ${earlier.who}`, originOf(values, 'port'), {
        help:
          earlier.who === 'the admin server'
            ? 'Choose another port, or set admin_port in the service block.'
            : 'Choose another port.',
        ...(earlier.at ? { related: [{ message: 'claimed here', ...earlier.at }] } : {}),
      });
  }
};
