import type { ConnectorDeclaration, Project } from '@svc/protocol/model';
import { decodeTypes } from '../flow/stages/validate/type-rules.ts';
import { type Exchange, exchangesOf } from './asyncapi-exchanges.ts';
import { securityScheme, serverObject } from './asyncapi-servers.ts';
import { byName, identityOf } from './document.ts';
import { componentName, type Json, type JsonObject, mediaTypes, typeReference, typeSchema } from './json-schema.ts';

/** An exchange with the names that it has in the document. */
interface Described extends Exchange {
  readonly channel: string;
  readonly operation: string;
}

/**
 * The AsyncAPI description of the messages that the flows of a project take and send
 * (docs/specification/command-line.md#asyncapi). Names are in alphabetical order, so that equal configurations give equal
 * texts.
 */
export function asyncApi(project: Project): JsonObject {
  const exchanges = described(exchangesOf(project));
  const connectors = [...new Set(exchanges.map(({ connector }) => connector))];
  const servers = connectors.flatMap((connector) => {
    const server = serverObject(connector);
    return server === undefined ? [] : [[connector.name, server] as const];
  });
  const { name, version } = identityOf(project);
  return {
    asyncapi: '3.0.0',
    info: { title: `${name} Events`, version },
    defaultContentType: mediaTypes.json,
    servers: byName(servers),
    channels: channelsOf(exchanges, new Set(servers.map(([server]) => server))),
    operations: byName(exchanges.map((exchange) => [exchange.operation, operationObject(exchange)])),
    components: componentsOf(project, exchanges, connectors),
  };
}

/** Gives each exchange the name of its channel, and one of its own. Those of one address share a channel. */
function described(exchanges: readonly Exchange[]): readonly Described[] {
  const ordered = exchanges.toSorted((a, b) => compared(keyOf(a), keyOf(b)));
  const channels = new Names();
  const operations = new Names();
  const ofAddress = new Map<string, string>();
  return ordered.map((exchange) => {
    const { connector, owner, place, address } = exchange;
    const key = JSON.stringify([connector.name, address ?? keyOf(exchange)]);
    const channel = ofAddress.get(key) ?? channels.free(`${connector.name}.${address ?? `${owner}.${place ?? ''}`}`);
    ofAddress.set(key, channel);
    return { ...exchange, channel, operation: operations.free(place === undefined ? owner : `${owner}.${place}`) };
  });
}

function keyOf({ owner, place = '', action, connector, address = '' }: Exchange): string {
  return JSON.stringify([owner, action, place, connector.name, address]);
}

/** Names of components: each once. */
class Names {
  readonly #taken = new Set<string>();

  free(wanted: string): string {
    const name = componentName(wanted.replaceAll(/[{}"]/g, ''));
    for (let at = 1; ; at++) {
      const candidate = at === 1 ? name : `${name}_${at}`;
      if (this.#taken.has(candidate)) continue;
      this.#taken.add(candidate);
      return candidate;
    }
  }
}

function channelsOf(exchanges: readonly Described[], servers: ReadonlySet<string>): JsonObject {
  return byName(
    [...Map.groupBy(exchanges, ({ channel }) => channel)].map(([name, each]) => {
      const [{ connector, address }] = each as [Described];
      const parameters = parametersIn(address ?? '');
      return [
        name,
        {
          // Null: the message says it.
          address: address ?? null,
          ...(servers.has(connector.name) && { servers: [{ $ref: `#/servers/${connector.name}` }] }),
          messages: byName(
            each.map(({ operation }) => [operation, { $ref: `#/components/messages/${operation}` }] as const),
          ),
          ...(parameters.length > 0 && { parameters: byName(parameters.map((parameter) => [parameter, {}] as const)) }),
        },
      ];
    }),
  );
}

function parametersIn(address: string): readonly string[] {
  return [...new Set([...address.matchAll(/\{(\w+)\}/g)].map((match) => match[1] as string))];
}

function operationObject({ action, channel, operation }: Described): JsonObject {
  return {
    action,
    channel: { $ref: `#/channels/${channel}` },
    messages: [{ $ref: `#/channels/${channel}/messages/${operation}` }],
  };
}

function componentsOf(
  project: Project,
  exchanges: readonly Described[],
  connectors: readonly ConnectorDeclaration[],
): JsonObject {
  const schemas = decodeTypes(project, () => undefined).map(
    (type) => [componentName(type.name), typeSchema(type, '3.2.0')] as const,
  );
  const schemes = connectors.flatMap(({ name, values }) => {
    const scheme = securityScheme(values as Readonly<Record<string, unknown>>);
    return scheme === undefined ? [] : [[name, scheme] as const];
  });
  return {
    messages: byName(exchanges.map((exchange) => [exchange.operation, messageObject(exchange, byName(schemas))])),
    schemas: byName(schemas),
    ...(schemes.length > 0 && { securitySchemes: byName(schemes) }),
  };
}

function messageObject({ format, headers, ...exchange }: Described, schemas: JsonObject): JsonObject {
  const contentType = format === undefined ? undefined : (mediaTypes[format as keyof typeof mediaTypes] ?? binaryType);
  return {
    ...(contentType !== undefined && { contentType }),
    ...(headers.length > 0 && { headers: { type: 'object', properties: fieldsOf(headers, { type: 'string' }) } }),
    payload: payloadOf(exchange, schemas),
  };
}

const binaryType = 'application/octet-stream';

/** The type of the payload where it is known, else its fields, else an object. */
function payloadOf(
  { action, type, fields, connector }: Omit<Exchange, 'format' | 'headers'>,
  schemas: JsonObject,
): Json {
  const variable = action === 'receive' ? connector.spec?.channels?.payload : undefined;
  if (variable !== undefined) {
    const { properties } = ((type && schemas[componentName(type)]) ?? {}) as { readonly properties?: JsonObject };
    return properties?.[variable] ?? {};
  }
  if (type !== undefined) return typeReference(type);
  return { type: 'object', ...(fields.length > 0 && { properties: fieldsOf(fields, {}) }) };
}

function fieldsOf(names: readonly string[], schema: Json): JsonObject {
  return Object.fromEntries(names.map((name) => [name, schema]));
}

function compared(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
