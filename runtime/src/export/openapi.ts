import type { Project } from '@svc/protocol/model';
import { decodeTypes } from '../flow/stages/validate/type-rules.ts';
import { byName, identityOf } from './document.ts';
import { type Endpoint, endpointsOf, pathTemplate } from './endpoints.ts';
import { componentName, type Dialect, type JsonObject, typeSchema } from './json-schema.ts';
import { operationObject } from './openapi-operation.ts';
import { securityOf, securityScheme } from './openapi-security.ts';

export interface OpenApiOptions {
  /** Where callers reach the service; default: the port of the first REST connector on this machine. */
  readonly baseUrl?: string | undefined;
}

/**
 * The OpenAPI description of what the REST connectors of a project serve (docs/specification/command-line.md#openapi).
 * Paths, methods and components are in the order of their names, so that equal configurations give equal texts.
 */
export function openApi(project: Project, { baseUrl }: OpenApiOptions = {}): JsonObject {
  const endpoints = endpointsOf(project);
  const dialect: Dialect = endpoints.some(({ method }) => method === 'QUERY') ? '3.2.0' : '3.0.3';
  const { name, version } = identityOf(project);
  return {
    openapi: dialect,
    info: { title: `${name} API`, version },
    servers: [{ url: baseUrl ?? addressOf(project) }],
    paths: pathsOf(endpoints),
    components: componentsOf(project, endpoints, dialect),
  };
}

function addressOf(project: Project): string {
  const server = [...project.connectors.values()].find(({ spec }) => spec?.source?.routes);
  const port = server && 'port' in server.values ? server.values.port : 0;
  return port === 0 ? 'http://localhost' : `http://localhost:${String(port)}`;
}

function pathsOf(endpoints: readonly Endpoint[]): JsonObject {
  const paths = Map.groupBy(endpoints, pathTemplate);
  return byName(
    [...paths].map(([path, each]) => [
      path,
      byName(
        each.map((endpoint) => [
          endpoint.method.toLowerCase(),
          operationObject(endpoint, securityOf(endpoint.connector, endpoint.path)),
        ]),
      ),
    ]),
  );
}

const refusals = {
  BadRequest: 'The request does not match what is asked for.',
  Forbidden: 'The caller may not do this.',
  InternalServerError: 'The service or something it needs failed.',
  TooManyRequests: 'The caller asks too often.',
  Unauthorized: 'The caller is not known.',
} as const;

function componentsOf(project: Project, endpoints: readonly Endpoint[], dialect: Dialect): JsonObject {
  const types = decodeTypes(project, () => undefined);
  const schemas = types.map((type) => [componentName(type.name), typeSchema(type, dialect)] as const);
  const error = freeName('Error', new Set(schemas.map(([name]) => name)));
  const content = { 'application/json': { schema: { $ref: `#/components/schemas/${error}` } } };
  const schemes = [...new Set(endpoints.map(({ connector }) => connector))].flatMap((connector) => {
    const scheme = securityScheme(connector);
    return scheme ? [[connector.name, scheme] as const] : [];
  });
  return {
    responses: byName(Object.entries(refusals).map(([name, description]) => [name, { description, content }])),
    schemas: byName([...schemas, [error, errorSchema]]),
    ...(schemes.length === 0 ? {} : { securitySchemes: byName(schemes) }),
  };
}

/** The body of every refusal and failure. */
const errorSchema: JsonObject = {
  type: 'object',
  properties: {
    error: { type: 'string', description: 'What is wrong, for people.' },
    code: { type: 'string', description: 'A stable word for programs.' },
    request_id: { type: 'string', description: 'Finds the request in the logs of the service.' },
    fields: {
      type: 'array',
      description: 'Each field that was refused.',
      items: {
        type: 'object',
        properties: { field: { type: 'string' }, code: { type: 'string' }, message: { type: 'string' } },
        required: ['field', 'code', 'message'],
      },
    },
  },
  required: ['error'],
};

function freeName(wanted: string, taken: ReadonlySet<string>): string {
  return taken.has(wanted) ? freeName(`Service${wanted}`, taken) : wanted;
}
