import type { ProjectRule } from '@svc/protocol/model';
import { type Origin, originOf } from '@svc/protocol/schema';
import { service } from '../service/spec.ts';

interface Claimed {
  readonly who: string;
  readonly at: Origin | undefined;
}

/** No two servers of the service may claim one port; 0 lets the system choose and clashes with nothing. */
export const checkPorts: ProjectRule = (project, report) => {
  const claimed = new Map<number, Claimed>();
  const claim = (port: number, who: string, at: Origin | undefined) => {
    const earlier = claimed.get(port);
    if (port === 0) return;
    if (!earlier) claimed.set(port, { who, at });
    else if (at)
      report('port-taken', `port ${port} is already that of ${earlier.who}`, at, {
        help:
          earlier.who === admin
            ? 'Choose another port, or set admin_port in the service block.'
            : 'Choose another port.',
        ...(earlier.at ? { related: [{ message: 'claimed here', ...earlier.at }] } : {}),
      });
  };
  const admin = 'the admin server';
  const settings = project.one('service', service);
  const adminPort = settings?.admin_port ?? service.attributes.admin_port.default;
  if (typeof adminPort === 'number') claim(adminPort, admin, settings && originOf(settings, 'admin_port'));
  const api = settings?.workflow?.api;
  if (api) claim(api.port, 'the workflow API', originOf(api, 'port'));
  for (const { name, spec, values } of project.connectors.values()) {
    const port = 'port' in values ? values.port : undefined;
    if (spec?.source?.listens && typeof port === 'number') claim(port, `connector "${name}"`, originOf(values, 'port'));
  }
};
