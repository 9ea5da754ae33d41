import type { ConnectorDeclaration } from '@svc/protocol/model';
import type { Values } from '@svc/protocol/schema';
import type { connectorAuth } from '../../platform/identity/auth-spec.ts';
import type { Json, JsonObject } from './json-schema.ts';

/** How callers of a connector authenticate; undefined when they need not. */
export function securityScheme(connector: ConnectorDeclaration): JsonObject | undefined {
  const auth = authOf(connector);
  switch (auth?.type) {
    case 'jwt':
      return auth.header === undefined || auth.header.toLowerCase() === 'authorization'
        ? { type: 'http', scheme: auth.scheme.toLowerCase(), bearerFormat: 'JWT' }
        : { type: 'apiKey', in: 'header', name: auth.header };
    case 'api_key':
      return auth.header === undefined && auth.query_param !== undefined
        ? { type: 'apiKey', in: 'query', name: auth.query_param }
        : { type: 'apiKey', in: 'header', name: auth.header ?? 'X-API-Key' };
    case 'basic':
      return { type: 'http', scheme: 'basic' };
    default:
      return undefined;
  }
}

/** `security` of one operation: empty where the path is public, absent where the connector asks for no credential. */
export function securityOf(connector: ConnectorDeclaration, path: string): Json | undefined {
  const auth = authOf(connector);
  if (!auth) return undefined;
  const isPublic = (auth.public ?? []).some((open) =>
    open.endsWith('/*') ? path.startsWith(open.slice(0, -1)) || path === open.slice(0, -2) : path === open,
  );
  return isPublic ? [] : [{ [connector.name]: [] }];
}

function authOf({ values }: ConnectorDeclaration): Values<typeof connectorAuth> | undefined {
  return 'auth' in values ? (values.auth as unknown as Values<typeof connectorAuth> | undefined) : undefined;
}
