import { closest } from '@svc/protocol/text';
import {
  buildASTSchema,
  type DocumentNode,
  GraphQLError,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isObjectType,
  isOutputType,
  parse,
  validateSchema,
} from 'graphql';
import { validateSDL } from 'graphql/validation/validate.js';
import type {
  FileCheck,
  Published,
  PublishedFlow,
  PublishedProblem,
  PublishedSend,
} from '../../../foundation/contracts/published.ts';
import type { ReturnShape } from '../../../foundation/contracts/types.ts';
import { completed } from './document.ts';
import { entitiesOf } from './entities.ts';
import { returnedTypes, unresolvedEntity } from './federation/rules.ts';
import { federationIn, fieldOf, pathOf, type Tell } from './published.ts';
import { typeNamed } from './root-types.ts';
import { publishedField } from './roots.ts';
import { isOutside } from './rules.ts';

/** Problems of one kind in a file; further ones are counted. */
const mostProblems = 50;

/** What a schema file says, and whether the flows behind it fit. */
export const checkSchemaFile: FileCheck = (published, read) => {
  const path = pathOf(published);
  if (path === undefined || isOutside(path)) return [];
  const problems: PublishedProblem[] = [];
  const tell: Tell = (problem) => void problems.push(problem);
  let text: string;
  try {
    text = read(path);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    tell({ code: 'unreadable-schema', message, at: { of: 'connector', path: ['schema', 'path'] } });
    return problems;
  }
  const file = path.replaceAll('\\', '/').replace(/^(\.\/)+/, '');
  const document = documentOf(text, file, tell);
  const schema = document && schemaOf(document, published, file, tell);
  if (document === undefined || schema === undefined) return problems;
  for (const flow of published.flows) checkFlow(flow, schema, tell);
  for (const each of published.sent) checkSent(each, schema, tell);
  checkUnresolved(published, schema, file, tell);
  checkEntityFlows(published, document, tell);
  return problems;
};

function documentOf(text: string, file: string, tell: Tell): DocumentNode | undefined {
  try {
    return parse(text);
  } catch (error) {
    tell(problemOf(error, file));
    return undefined;
  }
}

/** The schema of a document; undefined when it is wrong, which is reported. */
function schemaOf(document: DocumentNode, published: Published, file: string, tell: Tell): GraphQLSchema | undefined {
  try {
    const entities = federationIn(published) === undefined ? [] : entitiesOf(document);
    const whole = completed(
      document,
      entities.map(({ name }) => name),
    );
    let errors: readonly unknown[] = validateSDL(whole);
    const schema = errors.length === 0 ? buildASTSchema(whole, { assumeValidSDL: true }) : undefined;
    if (schema !== undefined) errors = validateSchema(schema);
    for (const error of errors.slice(0, mostProblems)) tell(problemOf(error, file));
    return errors.length === 0 ? schema : undefined;
  } catch (error) {
    tell(problemOf(error, file));
    return undefined;
  }
}

function problemOf(error: unknown, path: string): PublishedProblem {
  const code = 'malformed-schema';
  if (!(error instanceof GraphQLError))
    // What is nested deeper than the parser can go ends in such an error.
    return { code, message: 'the schema is nested too deeply', at: { of: 'file', path, start: 0, end: 1 } };
  const { loc } = error.nodes?.at(-1) ?? {};
  const start = loc?.start ?? error.positions?.[0] ?? 0;
  const end = Math.max(start + 1, Math.min(loc?.end ?? start, start + 80));
  return { code, message: error.message.replace(/^Syntax Error: /, ''), at: { of: 'file', path, start, end } };
}

/** A flow resolves a field that there is, and answers what the field is. */
function checkFlow(flow: PublishedFlow, schema: GraphQLSchema, tell: Tell): void {
  const field = fieldOf(flow);
  if (field === undefined) return;
  const at = { of: 'flow', name: flow.name, word: 'operation' } as const;
  const type = typeNamed(schema, field.type);
  if (!isObjectType(type)) {
    const near = closest(field.type, ['Query', 'Mutation', 'Subscription', ...objectNames(schema)]);
    const message = `the schema has no type "${field.type}"`;
    tell({ code: 'unknown-type', message, at, help: near && `Did you mean "${near}.${field.field}"?` });
    return;
  }
  const declared = type.getFields()[field.field];
  if (declared === undefined) {
    const near = closest(field.field, Object.keys(type.getFields()));
    const message = `the schema has no field "${field.type}.${field.field}"`;
    const help = near === undefined ? `Add it to type ${field.type}.` : `Did you mean "${field.type}.${near}"?`;
    tell({ code: 'unknown-field', message, at, help });
    return;
  }
  const { returns } = flow;
  if (returns === undefined) return;
  const place = { of: 'flow', name: flow.name, word: 'returns' } as const;
  if (!isOutputType(schema.getType(returns.type)) && !returns.scalar) {
    const near = closest(returns.type, Object.keys(schema.getTypeMap()));
    const message = `the schema has no type "${returns.type}"`;
    tell({ code: 'unknown-type', message, at: place, help: near && `Did you mean "${near}"?` });
  } else if (!fits(returns, String(declared.type), getNamedType(declared.type)))
    tell({
      code: 'contradicting-type',
      severity: 'warning',
      message: `the schema says that ${field.type}.${field.field} is ${String(declared.type)}`,
      at: place,
      help: 'The schema file decides: remove returns, or write what the file says.',
    });
}

/** A flow publishes a field that callers can subscribe to. */
function checkSent(send: PublishedSend, schema: GraphQLSchema, tell: Tell): void {
  const field = publishedField(send);
  if (field === undefined) return;
  const fields = schema.getSubscriptionType()?.getFields() ?? {};
  if (Object.hasOwn(fields, field)) return;
  const near = closest(field, Object.keys(fields));
  tell({
    code: 'unknown-field',
    message: `the schema has no field "Subscription.${field}"`,
    at: { of: 'flow', name: send.flow, word: 'to' },
    help: near === undefined ? 'Add it to type Subscription.' : `Did you mean "Subscription.${near}"?`,
  });
}

/** Whether what a flow says that it returns is what the schema declares, apart from what may be null. */
function fits(returns: ReturnShape, declared: string, named: GraphQLNamedType): boolean {
  return returns.type === named.name && returns.list === declared.startsWith('[');
}

function objectNames(schema: GraphQLSchema): readonly string[] {
  return Object.values(schema.getTypeMap()).flatMap((type) =>
    isObjectType(type) && !type.name.startsWith('_') ? type.name : [],
  );
}

/** Fields of root types that no flow resolves or feeds. */
function checkUnresolved({ flows, sent }: Published, schema: GraphQLSchema, path: string, tell: Tell): void {
  const resolved = new Set(flows.map(({ operation }) => operation?.trim()));
  for (const each of sent) {
    const field = publishedField(each);
    if (field !== undefined) resolved.add(`Subscription.${field}`);
  }
  const without = ['Query', 'Mutation', 'Subscription'].flatMap((root) => {
    const type = typeNamed(schema, root);
    if (!isObjectType(type)) return [];
    return Object.values(type.getFields()).flatMap(({ name, astNode }) => {
      const isOwn = astNode?.loc !== undefined && !name.startsWith('_');
      return isOwn && !resolved.has(`${root}.${name}`) ? { field: `${root}.${name}`, node: astNode.name } : [];
    });
  });
  for (const { field, node } of without.slice(0, mostProblems))
    tell({
      code: 'unresolved-field',
      severity: 'warning',
      message: `no flow resolves the field ${field}: asking for it is an error`,
      at: { of: 'file', path, start: node.loc?.start ?? 0, end: node.loc?.end ?? 1 },
      help: `Write a flow with operation = "${field}", or remove the field.`,
    });
}

function checkEntityFlows(published: Published, document: DocumentNode, tell: Tell): void {
  if (federationIn(published) === undefined) return;
  const entities = entitiesOf(document);
  const known = new Set(published.flows.flatMap(({ entity }) => entity ?? []));
  const returned = returnedTypes(published);
  for (const { name, entity } of published.flows) {
    if (entity === undefined || entities.some((each) => each.name === entity)) continue;
    const near = closest(
      entity,
      entities.map((each) => each.name),
    );
    tell({
      code: 'missing-key',
      message: `the schema has no type "${entity}" with a key`,
      at: { of: 'flow', name, word: 'entity' },
      help: near === undefined ? 'Write @key(fields: "id") behind the type.' : `Did you mean "${near}"?`,
    });
  }
  for (const { name, resolvable } of entities)
    if (resolvable && !known.has(name) && !returned.has(name))
      tell({ ...unresolvedEntity(name, published.connector), at: { of: 'connector', path: ['schema', 'path'] } });
}
