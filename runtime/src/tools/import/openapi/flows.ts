import { quote } from '@svc/protocol/syntax';
import type { ContractContent, ContractOperation } from '../../../platform/formats/openapi/contract.ts';
import type { Documents, Located } from '../../../platform/formats/openapi/documents.ts';
import { missing } from '../contract.ts';
import { commented } from '../names.ts';
import type { Route } from './routes.ts';
import type { Content, ImportedTypes } from './types.ts';

/** What an operation takes and gives, in the words of a configuration. */
export interface Messages {
  readonly input: string | undefined;
  readonly output: string | undefined;
  /** What `returns` says of an answer that is not an object. */
  readonly returns: string | undefined;
  readonly format: string | undefined;
  readonly status: string;
  /** The answer in words, for the comment. */
  readonly answer: string;
}

const withBody: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH', 'QUERY']);

/** Formats of media types that are read and written. */
function formatOf(type: string): string | undefined {
  if (/[/+]json$/.test(type) || type === '*/*') return 'json';
  if (/[/+]xml$/.test(type)) return 'xml';
  if (type === 'text/csv') return 'csv';
  if (type === 'text/tab-separated-values') return 'tsv';
  if (type === 'application/x-ndjson') return 'ndjson';
  if (type === 'application/octet-stream') return 'binary';
  return type === 'multipart/form-data' || type === 'application/x-www-form-urlencoded' ? 'form' : undefined;
}

/** The format and schema that is taken of several: the first in this order. */
const preferred = ['json', 'form', 'xml', 'csv', 'tsv', 'ndjson', 'binary'];

/** Makes the types of an operation and says what it takes and gives. */
export function messagesOf(route: Route, types: ImportedTypes, documents: Documents): Messages {
  const { operation, name } = route;
  const body = bodyOf(operation, documents);
  const input = body?.schema === undefined ? undefined : types.contentOf(body.schema, `${capitals(name)}Input`);
  if (input?.kind === 'list' || input?.kind === 'scalar')
    documents.leave(operation.body?.at ?? operation.at, 'no type checks a body that is not an object');
  const [status = '200', answered] = successOf(operation) ?? [];
  const answer = answered && chosen(answered);
  if (answered !== undefined && answered.types.size > 0 && answer === undefined)
    documents.leave(
      answered.at,
      `answers of type ${[...answered.types.keys()].join(', ')} are written as the flow says`,
    );
  const output: Content | undefined =
    answer?.schema === undefined ? undefined : types.contentOf(answer.schema, `${capitals(name)}Answer`);
  const format = body?.format ?? answer?.format;
  return {
    input: input?.kind === 'type' ? input.type : undefined,
    output: output?.kind === 'type' ? output.type : undefined,
    returns: returnsOf(output),
    format: format === 'json' || format === 'form' ? undefined : format,
    status,
    answer: inWords(output),
  };
}

/** The flow of an operation, with what a person has to say as a comment. */
export function flowText(route: Route, messages: Messages, connector: string, isNamed: boolean): string {
  const { operation, name, method, path } = route;
  const { input, output, returns, format, status, answer } = messages;
  const about = commented([operation.summary, operation.description].filter((text) => text !== '').join('\n'));
  const word = isNamed ? name : `${method} ${path}`;
  const from = [
    `connector = ${quote(connector)}`,
    `operation = ${quote(word)}`,
    ...(format === undefined ? [] : [`format = ${quote(format)}`]),
  ];
  const checks = [
    ...(input === undefined ? [] : [`input = ${quote(input)}`]),
    ...(output === undefined ? [] : [`output = ${quote(output)}`]),
  ];
  const failures = [...operation.answers.keys()].filter((each) => /^[45]/.test(each));
  const parts = [
    ...(returns === undefined ? [] : [`returns = ${quote(returns)}\n`]),
    `from {\n${from.join('\n')}\n}\n`,
    ...(checks.length === 0 ? [] : [`validate {\n${checks.join('\n')}\n}\n`]),
    missing(
      `what it does and answers: step, transform, to, response (${[`${status} ${answer}`, ...failures].join('; ')})`,
    ),
    ...(status === '200' ? [] : [`response {\nhttp_status_code = ${quote(status)}\n}\n`]),
  ];
  return `${about}flow ${quote(name)} {\n${parts.join('')}}`;
}

function bodyOf({ method, body }: ContractOperation, documents: Documents) {
  if (body === undefined) return undefined;
  if (!withBody.has(method)) {
    documents.leave(body.at, `a body of ${method} is not read`);
    return undefined;
  }
  const found = chosen(body);
  if (found === undefined && body.types.size > 0)
    documents.leave(body.at, `bodies of type ${[...body.types.keys()].join(', ')} are not read`);
  else if (found?.format === 'form')
    documents.leave(body.at, 'forms are read, and the exported description names JSON alone');
  else if (body.types.size > 1)
    documents.leave(
      body.at,
      `of the types of its body, ${found?.type} is described; body_formats of the connector says which are read`,
    );
  return found;
}

function chosen({ types }: ContractContent): { type: string; format: string; schema: Located | undefined } | undefined {
  const known = [...types].flatMap(([type, schema]) => {
    const format = formatOf(type);
    return format === undefined ? [] : [{ type, format, schema }];
  });
  return known.sort((a, b) => preferred.indexOf(a.format) - preferred.indexOf(b.format))[0];
}

/** The first status of those that are not a failure; 200 where `2XX` or `default` says so. */
export function successOf({ answers }: ContractOperation): readonly [string, ContractContent] | undefined {
  const plain = [...answers].filter(([status]) => /^[23]\d\d$/.test(status)).sort(([a], [b]) => (a < b ? -1 : 1));
  const [first] = plain;
  if (first !== undefined) return first;
  const other = answers.get('2XX') ?? answers.get('2xx') ?? answers.get('default');
  return other === undefined ? undefined : ['200', other];
}

const returned: Readonly<Record<string, string>> = {
  string: 'String',
  number: 'Float',
  integer: 'Int',
  boolean: 'Boolean',
  id: 'ID',
};

function returnsOf(content: Content | undefined): string | undefined {
  if (content?.kind === 'scalar') return `${returned[content.word]}!`;
  if (content?.kind !== 'list') return undefined;
  const { items } = content;
  if (items === 'array') return undefined;
  return `[${items === 'object' ? 'JSON' : (returned[items] ?? items)}!]!`;
}

function inWords(content: Content | undefined): string {
  if (content === undefined) return 'nothing';
  if (content.kind === 'type') return content.type;
  if (content.kind === 'list') return `list of ${content.items}`;
  return content.kind === 'scalar' ? content.word : 'anything';
}

function capitals(name: string): string {
  return name
    .split('_')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
}
