import type { Values } from '@svc/protocol/schema';
import type { ConnectorServices } from '../contracts/connector.ts';
import type { HttpApplication } from '../contracts/http.ts';
import type { Runner } from '../contracts/plan.ts';
import type { HttpEdge } from '../http/edge.ts';
import type { WorkflowControl } from './control.ts';
import type { workflow } from './service-spec.ts';

export type ApiSettings = NonNullable<Values<typeof workflow>['api']>;

/** Where the API listens, under the limits that servers of connectors have by default. */
export function addressOf({ host, port }: ApiSettings) {
  return {
    host: host ?? '',
    port,
    timeout: undefined,
    readTimeout: 15_000,
    writeTimeout: 30_000,
    idleTimeout: 60_000,
    maxConnections: undefined,
    maxInFlight: 1000,
  };
}

/** The HTTP interface to workflows. What serves HTTP is loaded when it is prepared. */
export function workflowApi(
  name: string,
  settings: ApiSettings,
  control: WorkflowControl,
  services: ConnectorServices,
): { readonly application: HttpApplication; readonly runner: Runner } {
  let edge: HttpEdge | undefined;
  const { host, port, ...limits } = addressOf(settings);
  const application: HttpApplication = {
    host,
    port,
    limits,
    prepare: async () => {
      const { openApi } = await import('./api.ts');
      edge = await openApi(name, settings, control, services);
    },
    limitMalformed: (peer) => edge?.limitMalformed?.(peer),
    get handle() {
      return edge?.handle ?? ((_request, response) => response.destroy());
    },
  };
  return {
    application,
    runner: { name: 'workflow API', start: async () => undefined, stop: async () => edge?.idle() },
  };
}
