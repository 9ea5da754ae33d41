import type { Project } from '@svc/protocol/model';
import { decodeTypes } from '../flow/stages/validate/type-rules.ts';
import { byName, identityOf } from './document.ts';
import { type Endpoint, endpointsOf, pathTemplate } from './endpoints.ts';
import { componentName, type Dialect, type JsonObject, typeReference, typeSchema } from './json-schema.ts';
import { chosenTypes, hasVersions, writesProblems } from './openapi-answers.ts';
import { operationObject } from './openapi-operation.ts';
import { securityOf, securityScheme } from './openapi-security.ts';

export interface OpenApiOptions {
  /** Where callers reach the service; default: the port of the first REST connector on this machine. */
  readonly baseUrl?: string | undefined;
  /** The one connector that is described; default: all of them. */
  readonly connector?: string | undefined;
  /** The version in which a description without QUERY is written, which only the latest one knows. Default: 3.0.3. */
  readonly dialect?: Dialect | undefined;
}

/**
 * The OpenAPI description of what the REST connectors of a project serve (docs/specification/command-line.md#openapi).
 * Paths, methods and components are in the order of their names, so that equal configurations give equal texts.
 */
export function openApi(project: Project, options: OpenApiOptions = {}): JsonObject {
  const { baseUrl, connector, dialect: usual = '3.0.3' } = options;
  const endpoints = endpointsOf(project).filter((each) => connector === undefined || each.connector.name === connector);
  const dialect: Dialect = endpoints.some(({ method }) => method === 'QUERY') ? '3.2.0' : usual;
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

/** Refusals of connectors that answer conditions, or let callers choose formats. */
const conditional = {
  NotAcceptable: 'None of the formats that the caller accepts can be written.',
  PreconditionFailed: 'There is another version than the request asks for.',
} as const;

function componentsOf(project: Project, endpoints: readonly Endpoint[], dialect: Dialect): JsonObject {
  const types = decodeTypes(project, () => undefined);
  const schemas = types.map((type) => [componentName(type.name), typeSchema(type, dialect)] as const);
  const error = freeName('Error', new Set(schemas.map(([name]) => name)));
  const forms = new Set(endpoints.map(({ connector }) => writesProblems(connector)));
  const problem = freeName('Problem', new Set([error, ...schemas.map(([name]) => name)]));
  const content = {
    ...(forms.has(true) ? { 'application/problem+json': { schema: typeReference(problem) } } : {}),
    ...(forms.has(true) && !forms.has(false) ? {} : { 'application/json': { schema: typeReference(error) } }),
  };
  const written: [string, JsonObject][] = [];
  if (!forms.has(true) || forms.has(false)) written.push([error, errorSchema]);
  if (forms.has(true)) written.push([problem, problemSchema]);
  const schemes = [...new Set(endpoints.map(({ connector }) => connector))].flatMap((connector) => {
    const scheme = securityScheme(connector);
    return scheme ? [[connector.name, scheme] as const] : [];
  });
  const more = endpoints.flatMap(({ connector }) => [
    ...(hasVersions(connector) ? (['PreconditionFailed'] as const) : []),
    ...(chosenTypes(connector).length > 0 ? (['NotAcceptable'] as const) : []),
  ]);
  const described = { ...refusals, ...Object.fromEntries(more.map((name) => [name, conditional[name]])) };
  return {
    responses: byName(Object.entries(described).map(([name, description]) => [name, { description, content }])),
    schemas: byName([...schemas, ...written]),
    ...(schemes.length === 0 ? {} : { securitySchemes: byName(schemes) }),
  };
}

const details: JsonObject = {
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
};

/** The body of every refusal and failure. */
const errorSchema: JsonObject = {
  type: 'object',
  properties: { error: { type: 'string', description: 'What is wrong, for people.' }, ...details },
  required: ['error'],
};

/** The same of connectors that write problem details (RFC 9457). */
const problemSchema: JsonObject = {
  type: 'object',
  properties: {
    title: { type: 'string', description: 'The text of the status.' },
    status: { type: 'integer' },
    detail: { type: 'string', description: 'What is wrong, for people.' },
    ...details,
  },
  required: ['title', 'status'],
};

function freeName(wanted: string, taken: ReadonlySet<string>): string {
  return taken.has(wanted) ? freeName(`Service${wanted}`, taken) : wanted;
}
