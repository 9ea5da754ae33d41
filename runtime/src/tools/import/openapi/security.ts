import { quote } from '@svc/protocol/syntax';
import type { OpenApiContract } from '../../../platform/formats/openapi/contract.ts';
import { child, childrenOf, type Located, member, textOf } from '../../../platform/formats/openapi/documents.ts';
import { shown } from './fields.ts';
import type { Route } from './routes.ts';

/** The `auth` block of a connector; empty where callers need no credential. */
export function authText(
  contract: OpenApiContract,
  routes: readonly Route[],
  connector: string,
  isClient: boolean,
): string {
  const { documents, schemes } = contract;
  const asked = routes.filter(
    ({ operation: { security = [] } }) => security.length > 0 && security.every((each) => each.length > 0),
  );
  const [first] = asked;
  if (first === undefined) return '';
  const counts = new Map<string, number>();
  for (const { operation } of asked)
    for (const each of operation.security ?? []) for (const name of each) counts.set(name, (counts.get(name) ?? 0) + 1);
  const known = [...counts].filter(([name]) => schemes.has(name)).sort(([, a], [, b]) => b - a);
  for (const [name] of counts)
    if (!schemes.has(name)) documents.leave(first.operation.at, `there is no security scheme ${shown(name)}`);
  const written = known.flatMap(([name]): { name: string; lines: readonly string[] }[] => {
    const at = documents.resolve(schemes.get(name) as Located);
    if (at === undefined) return [];
    const lines = (isClient ? clientLines : serverLines)(at, variable(connector), (why) => documents.leave(at, why));
    return lines === undefined ? [] : [{ name, lines }];
  });
  const [chosen, ...others] = written;
  if (chosen === undefined) return '';
  for (const { name } of others)
    documents.leave(
      schemes.get(name) as Located,
      `a connector has one kind of credential, here that of ${chosen.name}`,
    );
  const open = isClient ? [] : publicPaths(contract, routes, new Set(asked));
  const paths = open.length === 0 ? [] : [`public = [${open.map(quote).join(', ')}]`];
  return `\nauth {\n${[...chosen.lines, ...paths].join('\n')}\n}\n`;
}

/** The name of a variable of the environment begins with that of its connector. */
export function variable(connector: string): string {
  return connector.replaceAll('-', '_').toUpperCase();
}

function serverLines(at: Located, prefix: string, leave: (why: string) => void): readonly string[] | undefined {
  const { kind, scheme, name } = readScheme(at);
  const header = name ?? 'X-API-Key';
  if (kind === 'apiKey') {
    const place = textOf(at.value, 'in');
    if (place === 'cookie') {
      leave('a key in a cookie is not read');
      return undefined;
    }
    const where = place === 'query' ? [`query_param = ${quote(header)}`] : [`header = ${quote(header)}`];
    return ['type = "api_key"', `keys = [env(${quote(`${prefix}_KEY`)})]`, ...where];
  }
  if (kind === 'http' && scheme === 'basic')
    return ['type = "basic"', `users = { ${quote('api')} = env(${quote(`${prefix}_PASSWORD`)}) }`];
  if (kind === 'http' && scheme === 'bearer') return ['type = "jwt"', `secret = env(${quote(`${prefix}_SECRET`)})`];
  if (kind === 'oauth2' || kind === 'openIdConnect') {
    leave(`${kind}: tokens are checked by a key set of their issuer, and no scope is`);
    return ['type = "jwt"', `jwks_url = env(${quote(`${prefix}_JWKS_URL`)}, "https://id.example.org/jwks.json")`];
  }
  leave(`credentials of type ${shown(`${kind} ${scheme}`)} are not checked`);
  return undefined;
}

function clientLines(at: Located, prefix: string, leave: (why: string) => void): readonly string[] | undefined {
  const { kind, scheme, name } = readScheme(at);
  const secret = (what: string) => `env(${quote(`${prefix}_${what}`)})`;
  if (kind === 'apiKey') {
    const place = textOf(at.value, 'in');
    if (place === 'cookie') {
      leave('a key in a cookie is not sent');
      return undefined;
    }
    const where = `api_key_${place === 'query' ? 'query' : 'header'} = ${quote(name ?? 'X-API-Key')}`;
    return ['type = "api_key"', `api_key = ${secret('KEY')}`, where];
  }
  if (kind === 'http' && scheme === 'basic')
    return ['type = "basic"', `username = ${secret('USER')}`, `password = ${secret('PASSWORD')}`];
  if (kind === 'http' && scheme === 'bearer') return ['type = "bearer"', `token = ${secret('TOKEN')}`];
  const flows = child(at, 'flows');
  const flow = flows && child(flows, 'clientCredentials');
  const address = textOf(flow?.value, 'tokenUrl');
  if (kind === 'oauth2' && flow !== undefined && /^https?:\/\/[^\s/?#]+(\/[^\s#]*)?$/.test(address ?? '')) {
    const scopes = childrenOf(child(flow, 'scopes')).map(([scope]) => quote(scope));
    return [
      'type = "client_credentials"',
      `token_url = ${quote(address as string)}`,
      `client_id = ${secret('CLIENT_ID')}`,
      `client_secret = ${secret('CLIENT_SECRET')}`,
      ...(scopes.length === 0 ? [] : [`scopes = [${scopes.join(', ')}]`]),
    ];
  }
  if (kind === 'oauth2' || kind === 'openIdConnect') {
    leave(`${kind}: a token is sent, and is not fetched`);
    return ['type = "bearer"', `token = ${secret('TOKEN')}`];
  }
  leave(`credentials of type ${shown(`${kind} ${scheme}`)} are not sent`);
  return undefined;
}

function readScheme({ value }: Located) {
  return {
    kind: textOf(value, 'type') ?? '',
    scheme: (textOf(value, 'scheme') ?? '').toLowerCase(),
    name: headerName(member(value, 'name')),
  };
}

function headerName(name: unknown): string | undefined {
  return typeof name === 'string' && /^[\w-]+$/.test(name) ? name : undefined;
}

/** Paths that need no credential: a connector opens a path as a whole, and without parameters. */
function publicPaths(
  { documents }: OpenApiContract,
  routes: readonly Route[],
  asked: ReadonlySet<Route>,
): readonly string[] {
  const open = new Set<string>();
  for (const route of routes) {
    if (asked.has(route)) continue;
    const isShared = routes.some((each) => each.path === route.path && asked.has(each));
    if (isShared || route.path.includes(':'))
      documents.leave(
        route.operation.at,
        'it asks for no credential, and here it does: a connector opens whole paths without parameters',
      );
    else open.add(route.path);
  }
  return [...open];
}
