import { STATUS_CODES } from 'node:http';
import { parseReturns } from '../flow/returns.ts';
import type { SagaDeclaration } from '../flow/sagas/saga.ts';
import { type Endpoint, isReading, pathParameters } from './endpoints.ts';
import { type Json, type JsonObject, mediaTypes, parameterSchema, typeReference } from './json-schema.ts';
import { answerHeaders, chosenTypes, conditionAnswers, conditionParameters } from './openapi-answers.ts';

/** One method of one path. */
export function operationObject(endpoint: Endpoint, security: Json | undefined): JsonObject {
  const { name, named, segments } = endpoint;
  const first = segments.find((part) => 'literal' in part && part.literal !== '');
  const parameters = parameterObjects(endpoint);
  const body = requestBody(endpoint);
  return {
    operationId: name,
    summary: titleOf(name),
    ...(named?.description === undefined ? {} : { description: named.description }),
    ...(first && 'literal' in first ? { tags: [first.literal] } : {}),
    ...(security === undefined ? {} : { security }),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined ? {} : { requestBody: body }),
    responses: responses(endpoint, security),
  };
}

/** `list_open_orders` as `List Open Orders`. */
function titleOf(name: string): string {
  return name
    .split(/[_\s]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join(' ');
}

function parameterObjects(endpoint: Endpoint): JsonObject[] {
  const inPath = pathParameters(endpoint);
  const declared = endpoint.named?.params ?? [];
  const path = inPath.map((name) => {
    const parameter = declared.find(({ label }) => label === name);
    return {
      name,
      in: 'path',
      required: true,
      ...described(parameter?.description),
      schema: parameter ? parameterSchema(parameter) : { type: 'string' },
    };
  });
  const others = declared.flatMap((parameter) => {
    const { label: name, description, required } = parameter;
    const place = placeOf(endpoint, name, parameter.in);
    if (place !== 'query' && place !== 'header') return [];
    return [{ name, in: place, required, ...described(description), schema: parameterSchema(parameter) }];
  });
  return [...path, ...others, ...conditionParameters(endpoint)];
}

/** Where a declared parameter comes from when it does not say so itself: the path, else the body where there is one. */
function placeOf(endpoint: Endpoint, name: string, written: string | undefined): string {
  if (pathParameters(endpoint).includes(name)) return 'path';
  return written ?? (hasBody(endpoint) ? 'body' : 'query');
}

function hasBody({ method }: Endpoint): boolean {
  return ['POST', 'PUT', 'PATCH', 'QUERY'].includes(method);
}

function requestBody(endpoint: Endpoint): JsonObject | undefined {
  if (!hasBody(endpoint)) return undefined;
  const input = endpoint.values.validate?.input ?? endpoint.named?.input;
  return {
    required: true,
    content: { [bodyType(endpoint)]: { schema: input ? typeReference(input) : bodySchema(endpoint) } },
  };
}

function bodySchema(endpoint: Endpoint): JsonObject {
  const fields = (endpoint.named?.params ?? []).filter(
    (parameter) => placeOf(endpoint, parameter.label, parameter.in) === 'body',
  );
  if (fields.length === 0) return { type: 'object' };
  const required = fields.filter((parameter) => parameter.required).map(({ label }) => label);
  return {
    type: 'object',
    properties: Object.fromEntries(
      fields.map((parameter) => [
        parameter.label,
        { ...described(parameter.description), ...parameterSchema(parameter) },
      ]),
    ),
    ...(required.length === 0 ? {} : { required }),
  };
}

function mediaType({ values, connector }: Endpoint): string {
  const standard = 'format' in connector.values ? connector.values.format : undefined;
  const named = values.from?.words.fixed['format'];
  const format = named === undefined || named === 'binary' ? standard : named;
  return mediaTypes[format as keyof typeof mediaTypes] ?? mediaTypes.json;
}

/** Of a body that stays bytes nothing more is known. */
function bodyType(endpoint: Endpoint): string {
  return endpoint.values.from?.words.fixed['format'] === 'binary' ? 'application/octet-stream' : mediaType(endpoint);
}

function described(description: string | undefined): JsonObject {
  return description === undefined ? {} : { description };
}

function responses(endpoint: Endpoint, security: Json | undefined): JsonObject {
  const { values } = endpoint;
  const schema = answerSchema(endpoint);
  const types = [mediaType(endpoint), ...chosenTypes(endpoint.connector)];
  const content = Object.fromEntries(types.map((type) => [type, { schema }]));
  const isList = schema['type'] === 'array';
  const errors: Record<string, Json> = {
    400: { $ref: '#/components/responses/BadRequest' },
    429: { $ref: '#/components/responses/TooManyRequests' },
    500: { $ref: '#/components/responses/InternalServerError' },
  };
  const isProtected = Array.isArray(security) ? security.length > 0 : security !== undefined;
  if (isProtected || values.require) errors['401'] = { $ref: '#/components/responses/Unauthorized' };
  if (values.require?.roles?.length || values.require?.permissions?.length)
    errors['403'] = { $ref: '#/components/responses/Forbidden' };
  const ownError = values.error_handling?.error_response;
  if (values.idempotency) for (const status of [409, 422]) errors[status] = { description: textOf(status) };
  if (ownError) errors[ownError.status] = { description: textOf(ownError.status) };
  if (endpoint.saga && !pauses(endpoint.saga)) errors['500'] = { description: textOf(500), content };
  const answers: Record<string, Json> = {};
  for (const status of statusesOf(endpoint))
    answers[status] = {
      description: textOf(status),
      ...answerHeaders(endpoint, status, isList),
      ...(status === 204 || status === 304 ? {} : { content }),
    };
  return { ...errors, ...conditionAnswers(endpoint), ...answers };
}

function textOf(status: number): string {
  return STATUS_CODES[status] ?? `Status ${status}`;
}

/** The statuses that `http_status_code` spells out, else 200: every one in quotes, or the expression itself. */
function statusesOf({ values, saga }: Endpoint): readonly number[] {
  if (saga) return [pauses(saga) ? 202 : 200];
  if (values.async) return [202];
  const source = values.response?.http_status_code?.source.trim() ?? '';
  const whole = /^['"]?([1-5]\d\d)['"]?$/.exec(source)?.[1];
  const spelt = whole === undefined ? [...source.matchAll(/(['"])([2-5]\d\d)\1/g)].map((match) => match[2]) : [whole];
  const statuses = [...new Set(spelt.map(Number))].filter((status) => status >= 200).sort((a, b) => a - b);
  return statuses.length === 0 ? [200] : statuses;
}

/** What the flow answers with: its type, as a list where it reads rows; what it says of that; else the fields of its `response`. */
function answerSchema(endpoint: Endpoint): JsonObject {
  if (endpoint.saga) return sagaSchema(endpoint.saga);
  const { values, named } = endpoint;
  if (values.async) return acceptedJob;
  const output = values.validate?.output ?? named?.output;
  const returned = values.returns === undefined ? undefined : parseReturns(values.returns);
  if (output === undefined && returned !== undefined) return returnedSchema(returned);
  const one: JsonObject = output === undefined ? fieldsOf(endpoint) : typeReference(output);
  const isList = isReading(endpoint) && values.to.length > 0 && values.step.length === 0 && !values.response;
  return isList ? { type: 'array', items: one } : one;
}

/** What `returns` says of an answer. */
function returnedSchema({ type, scalar, list }: NonNullable<ReturnType<typeof parseReturns>>): JsonObject {
  const one = scalar ? (scalars[type] ?? {}) : typeReference(type);
  return list ? { type: 'array', items: one } : one;
}

const scalars: Readonly<Record<string, JsonObject>> = {
  String: { type: 'string' },
  Int: { type: 'integer' },
  Float: { type: 'number' },
  Boolean: { type: 'boolean' },
  ID: { type: 'string' },
  DateTime: { type: 'string', format: 'date-time' },
  Date: { type: 'string', format: 'date' },
  Time: { type: 'string', format: 'time' },
};

/** Whether the saga waits for a time or an event, so that its caller is answered before its end. */
function pauses({ values }: SagaDeclaration): boolean {
  return values.step.some(({ delay, await: event }) => delay !== undefined || event !== undefined);
}

/** What a saga answers with; one that failed, too. */
function sagaSchema(saga: SagaDeclaration): JsonObject {
  const text = { type: 'string' };
  if (pauses(saga)) {
    const properties = { workflow_id: text, saga: text, status: text, started_at: { ...text, format: 'date-time' } };
    return { type: 'object', properties, required: Object.keys(properties) };
  }
  return {
    type: 'object',
    properties: {
      saga_name: text,
      instance_id: text,
      status: { ...text, enum: ['completed', 'compensated', 'failed'] },
      steps: { type: 'object', properties: Object.fromEntries(saga.values.step.map(({ label }) => [label, {}])) },
      error: text,
      compensation_errors: { type: 'array', items: text },
    },
    required: ['saga_name', 'instance_id', 'status', 'steps'],
  };
}

/** What a flow with `async` answers at once. */
const acceptedJob: JsonObject = {
  type: 'object',
  properties: { job_id: { type: 'string' }, status: { type: 'string', enum: ['pending'] } },
};

function fieldsOf({ values }: Endpoint): JsonObject {
  const names = (values.response?.fields ?? []).map(({ name }) => name);
  if (names.length === 0) return { type: 'object' };
  return { type: 'object', properties: Object.fromEntries(names.map((name) => [name, {}])) };
}
