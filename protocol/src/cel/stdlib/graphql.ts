import { isMap } from '../values/kind.ts';
import { lookup } from '../values/map.ts';
import { listOf, textOf } from './arguments.ts';
import type { FunctionDefinition } from './definition.ts';

/** Where a GraphQL source puts the selected paths and top-level names of a request. */
const selectedPaths = '__requested_fields';
const selectedNames = '__requested_top_fields';

/** What a GraphQL request selects below a field: every dotted path, and the names at the top. */
export interface SelectedFields {
  readonly paths: readonly string[];
  readonly names: readonly string[];
}

/**
 * Puts a selection into an input, for the functions below. Only they read it: it is not among the fields that are written, compared,
 * copied or answered.
 */
export function setSelection(input: object, { paths, names }: SelectedFields): void {
  Object.defineProperty(input, selectedPaths, { value: paths });
  Object.defineProperty(input, selectedNames, { value: names });
}

/** Puts the selection of one input into another one; an input without any changes nothing. */
export function copySelection(from: object, to: object): void {
  if (!Object.hasOwn(from, selectedPaths)) return;
  const { [selectedPaths]: paths, [selectedNames]: names } = from as Readonly<Record<string, readonly string[]>>;
  setSelection(to, { paths: paths ?? [], names: names ?? [] });
}

/** What a GraphQL request asks for. Everywhere else nothing is requested. */
export const graphql: readonly FunctionDefinition[] = [
  {
    name: 'has_field',
    group: 'graphql',
    dialect: 'product',
    signatures: ['has_field(input: dyn, path: string) -> bool'],
    doc: 'Whether the GraphQL selection contains the dotted path or something below it. False outside GraphQL.',
    example: "!has_field({}, 'customer.name')",
    call: isRequested,
  },
  {
    name: 'field_requested',
    group: 'graphql',
    dialect: 'product',
    signatures: ['field_requested(input: dyn, path: string) -> bool'],
    doc: 'The same as `has_field`.',
    example: "!field_requested({}, 'customer.name')",
    call: isRequested,
  },
  {
    name: 'requested_fields',
    group: 'graphql',
    dialect: 'product',
    signatures: ['requested_fields(input: dyn) -> list(string)'],
    doc: 'All paths of the GraphQL selection; an empty list outside GraphQL.',
    example: 'requested_fields({}) == []',
    call: (input) => names(input, selectedPaths),
  },
  {
    name: 'requested_top_fields',
    group: 'graphql',
    dialect: 'product',
    signatures: ['requested_top_fields(input: dyn) -> list(string)'],
    doc: 'The names selected at the top level of the GraphQL request; an empty list outside GraphQL.',
    example: 'requested_top_fields({}) == []',
    call: (input) => names(input, selectedNames),
  },
];

function names(input: unknown, key: string): readonly string[] {
  const value = isMap(input) ? lookup(input, key) : undefined;
  return Array.isArray(value) ? listOf(value).filter((name) => typeof name === 'string') : [];
}

function isRequested(input: unknown, path: unknown): boolean {
  const wanted = textOf(path);
  return names(input, selectedPaths).some((name) => name === wanted || name.startsWith(`${wanted}.`));
}
