import type { Project } from '@svc/protocol/model';
import { type Origin, originOf } from '@svc/protocol/schema';
import type { Diagnostic } from '@svc/protocol/text';
import {
  buildSchema,
  findBreakingChanges,
  findDangerousChanges,
  GraphQLError,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
} from 'graphql';
import { resolveOperation } from '../../connectors/core/operations.ts';
import { flowsOf } from '../../engine/flow/declarations.ts';
import { type } from '../../engine/flow/stages/validate/spec.ts';
import type { ContractFile, ContractFindings } from './check.ts';
import { differenceDiagnostic, unreadable } from './diagnostic.ts';

/** Longest schema, in characters. */
const longest = 4_000_000;

/** The schema that a connector publishes. */
interface Published {
  readonly connector: string;
  readonly text: string;
}

/** How what a server of GraphQL publishes differs from a schema. */
export function checkGraphql(project: Project, file: ContractFile, published: Published): ContractFindings {
  const texts = new Map([[file.named, file.text]]);
  let contract: GraphQLSchema;
  try {
    if (file.text.length > longest) throw new Error(`it is longer than ${longest} characters`);
    // Directives of a federation need not be defined in it.
    contract = buildSchema(file.text, { assumeValidSDL: true });
  } catch (error) {
    const line = error instanceof GraphQLError ? error.locations?.[0]?.line : undefined;
    const why = error instanceof RangeError ? 'it has too many levels' : (error as Error).message;
    return { diagnostics: [unreadable(why, file.named, file.text, line)], texts };
  }
  const served = buildSchema(published.text, { assumeValidSDL: true });
  const found: Diagnostic[] = [];
  const note = (severity: 'error' | 'warning', description: string, from: GraphQLSchema) => {
    // A scalar of the language is there whether a schema uses it or not.
    if (description.includes('Standard scalar')) return;
    const coordinate = coordinateOf(description, from);
    const start = from === contract ? offsetOf(contract, coordinate) : undefined;
    const there = start === undefined ? undefined : { file: file.named, range: { start, end: start + 1 } };
    const own = placeOf(project, published.connector, coordinate);
    const isBreaking = severity === 'error';
    const message = `${description} (${file.named}${coordinate === '' ? '' : `: ${coordinate}`})`;
    found.push(differenceDiagnostic({ code: 'contract-schema', isBreaking, message, own, there }, file.named));
  };
  for (const { description } of findBreakingChanges(contract, served))
    note('error', `from the contract to here: ${withoutPoint(description)}`, contract);
  for (const { description } of findDangerousChanges(contract, served))
    note('warning', `from the contract to here: ${withoutPoint(description)}`, contract);
  for (const { description, type: kind } of findBreakingChanges(served, contract))
    if (kind.endsWith('_REMOVED')) note('warning', `here and not in the contract: ${addition(description)}`, served);
  return { diagnostics: found, texts };
}

function withoutPoint(text: string): string {
  return text.replace(/\.$/, '');
}

function addition(description: string): string {
  return withoutPoint(description).replace(/ (?:was|were) removed/, '');
}

/** `Type.field`, or `Type`, that a sentence is about; empty where it names neither. */
function coordinateOf(sentence: string, schema: GraphQLSchema): string {
  const words = sentence.match(/[_A-Za-z]\w*(?:\.[_A-Za-z]\w*)?/g) ?? [];
  const isKnown = (word: string) => schema.getType(word.split('.', 1)[0] as string) !== undefined;
  return words.find((word) => word.includes('.') && isKnown(word)) ?? words.find((word) => isKnown(word)) ?? '';
}

function offsetOf(schema: GraphQLSchema, coordinate: string): number | undefined {
  const [name = '', field] = coordinate.split('.');
  const found = schema.getType(name);
  const own =
    field !== undefined && (isObjectType(found) || isInterfaceType(found) || isInputObjectType(found))
      ? found.getFields()[field]
      : field !== undefined && isEnumType(found)
        ? (found.getValue(field) ?? undefined)
        : undefined;
  return (own ?? found)?.astNode?.loc?.start;
}

/** The flow that answers a field, the type that a configuration declares, else the connector. */
function placeOf(project: Project, connector: string, coordinate: string): Origin | undefined {
  const server = project.connectors.get(connector);
  for (const { values } of flowsOf(project)) {
    const { from } = values;
    if (from?.connector !== connector || server === undefined) continue;
    const operation = resolveOperation(server, from.operation)?.operation ?? from.operation;
    if (operation === coordinate) return originOf(from, 'operation');
  }
  const [name, field] = coordinate.split('.');
  const declared = project.all('type', type).find((each) => each.name === name);
  return (
    declared?.values.fields.find((each) => each.name === field)?.origin ?? declared?.nameOrigin ?? server?.nameOrigin
  );
}
