import type { ConnectorDeclaration, Project, ProjectRule, Report } from '@svc/protocol/model';
import { type BlockSpec, type Origin, originOf } from '@svc/protocol/schema';
import { service } from '../../../engine/settings/spec.ts';
import { apiRoutes } from '../../../engine/workflows/api/service-spec.ts';
import { servedAt } from '../../../platform/http/routes/route-rules.ts';
import { socketAttributes } from '../../../platform/http/sockets/server-spec.ts';
import { routesOf, type Served, shapeOf } from './served.ts';

/** Something that listens. */
interface Claim {
  readonly who: string;
  readonly host: string;
  readonly at: Origin | undefined;
  /** Absent: it is a server of the service itself, or one of another protocol, whose port no connector shares. */
  readonly shared?: Shared;
}

/** What an HTTP server is made of together with others that name its address. */
interface Shared {
  readonly connector: ConnectorDeclaration | undefined;
  /** Asked where an address is shared alone. */
  readonly routes: () => readonly Served[];
}

const admin = 'the admin server';

/**
 * What listens at one port is one HTTP server, whose parts say the same about its connections and serve different
 * things; a port of the admin server is its own. Port 0 lets the system choose, and is never shared.
 */
export const checkPorts: ProjectRule = (project, report) => {
  const claimed = Map.groupBy(claimsOf(project), ({ port }) => port);
  for (const [port, claims] of claimed) {
    if (port === 0) continue;
    for (const [index, claim] of claims.entries())
      for (const earlier of claims.slice(0, index)) if (!check(port, earlier, claim, report)) break;
  }
};

/** Whether the two may share the port. */
function check(port: number, earlier: Claim, claim: Claim, report: Report): boolean {
  const { at } = claim;
  const related = earlier.at ? { related: [{ message: 'claimed here', ...earlier.at }] } : {};
  if (at === undefined) return true;
  if (earlier.shared === undefined || claim.shared === undefined) {
    const isAdmin = earlier.who === admin || claim.who === admin;
    const help = `Choose another port${isAdmin ? ', or set admin_port in the service block' : ''}.`;
    report('port-taken', `port ${port} is already that of ${earlier.who}`, at, { help, ...related });
    return false;
  }
  if (earlier.host !== claim.host) {
    const help = `Write the same \`host\` for both, so that they share one server, or choose another port.`;
    report('port-taken', `port ${port} is already that of ${earlier.who}, at another host`, at, { help, ...related });
    return false;
  }
  checkSettings(port, [earlier, earlier.shared], [claim, claim.shared], report);
  checkServed(port, [earlier, earlier.shared], [claim, claim.shared], report);
  return true;
}

function checkSettings(
  port: number,
  [earlier, { connector: first }]: readonly [Claim, Shared],
  [claim, { connector: second }]: readonly [Claim, Shared],
  report: Report,
): void {
  for (const name of [...Object.keys(socketAttributes), 'http2']) {
    if (!has(first, name) || !has(second, name)) continue;
    const [a, b] = [first?.values, second?.values] as unknown as Record<string, unknown>[];
    if (a?.[name] === b?.[name]) continue;
    const at = originOf(b as never, name as never) ?? claim.at;
    const other = originOf(a as never, name as never) ?? earlier.at;
    report(
      'shared-port-differs',
      `\`${name}\` differs from that of ${earlier.who}, which shares port ${port}`,
      at as Origin,
      {
        help: 'Connectors of one port have one server; write the same for both, or choose another port.',
        ...(other ? { related: [{ message: `that of ${earlier.who}`, ...other }] } : {}),
      },
    );
  }
}

function has(connector: ConnectorDeclaration | undefined, name: string): boolean {
  const config: BlockSpec | undefined = connector?.spec?.config;
  return config !== undefined && Object.hasOwn(config.attributes, name);
}

/** Paths differ where their fixed parts differ; the names of parameters do not count. */
function checkServed(
  port: number,
  [earlier, first]: readonly [Claim, Shared],
  [claim, second]: readonly [Claim, Shared],
  report: Report,
): void {
  const taken = new Map(first.routes().map((served) => [shapeOf(served.route), served]));
  const reported = new Set<Origin | undefined>();
  for (const { route, at } of second.routes()) {
    const other = taken.get(shapeOf(route));
    const place = at ?? claim.at;
    if (other === undefined || place === undefined || reported.has(place)) continue;
    reported.add(place);
    const origin = other.at ?? earlier.at;
    report('route-taken', `\`${route}\` on port ${port} is already served by ${earlier.who}`, place, {
      help: 'Change one of the paths, or choose another port.',
      ...(origin ? { related: [{ message: `${earlier.who} serves it here`, ...origin }] } : {}),
    });
  }
}

function claimsOf(project: Project): readonly (Claim & { readonly port: number })[] {
  const claims: (Claim & { readonly port: number })[] = [];
  const settings = project.one('service', service);
  const adminPort = settings?.admin_port ?? service.attributes.admin_port.default;
  if (typeof adminPort === 'number')
    claims.push({ port: adminPort, who: admin, host: '', at: settings && originOf(settings, 'admin_port') });
  const api = settings?.workflow?.api;
  if (api) {
    const routes = () =>
      Object.values(apiRoutes)
        .flatMap(servedAt)
        .map((route) => ({ route, at: undefined }));
    const at = originOf(api, 'port');
    claims.push({
      port: api.port,
      who: 'the workflow API',
      host: api.host ?? '',
      at,
      shared: { connector: undefined, routes },
    });
  }
  for (const connector of project.connectors.values()) {
    const { name, spec, values } = connector;
    const { port, host } = values as { readonly port?: unknown; readonly host?: unknown };
    if (spec?.source?.listens === undefined || typeof port !== 'number') continue;
    claims.push({
      port,
      who: `connector "${name}"`,
      host: typeof host === 'string' ? host : '',
      at: originOf(values as never, 'port' as never) ?? connector.nameOrigin,
      ...(spec.source.listens === 'http' && { shared: { connector, routes: () => routesOf(project, connector) } }),
    });
  }
  return claims;
}
