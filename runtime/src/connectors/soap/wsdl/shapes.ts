import type { DeclaredField, DeclaredShape, DeclaredType } from '../../../foundation/contracts/types.ts';

/** What a text of XML means where a type is declared. */
export type ScalarKind = 'text' | 'number' | 'integer' | 'boolean';

/** What may be in an element. */
export type ContentShape =
  | { readonly kind: ScalarKind; readonly allowed?: readonly string[] | undefined }
  /** Anything. */
  | { readonly kind: 'open' }
  /** The fields of a type by its name, or those that are given. */
  | { readonly kind: 'type'; readonly type: string }
  | { readonly kind: 'fields'; readonly fields: readonly ElementShape[] };

/** One field of a message as an element. */
export interface ElementShape {
  readonly name: string;
  readonly content: ContentShape;
  readonly isRepeated: boolean;
  readonly isRequired: boolean;
  readonly description: string | undefined;
}

/** The types of a configuration as elements, by name. */
export type TypeShapes = ReadonlyMap<string, readonly ElementShape[]>;

export function typeShapes(types: readonly DeclaredType[]): TypeShapes {
  return new Map(types.map(({ name, fields }) => [name, elementsOf(fields)]));
}

/** Fields that another service answers are never sent. */
function elementsOf(fields: readonly DeclaredField[]): readonly ElementShape[] {
  return fields.filter(({ constraints }) => constraints.external !== true).map(elementOf);
}

function elementOf({ name, shape, constraints }: DeclaredField): ElementShape {
  const isRepeated = shape.kind === 'array';
  const { required: isRequired, description, items } = constraints;
  const content = isRepeated ? itemsShape(items) : contentShape(shape, constraints.enum);
  return { name, content, isRepeated, isRequired, description };
}

const scalars: Readonly<Record<string, ScalarKind>> = {
  string: 'text',
  id: 'text',
  number: 'number',
  integer: 'integer',
  boolean: 'boolean',
};

function itemsShape(items: string | undefined): ContentShape {
  if (items === undefined || items === 'object' || items === 'array') return { kind: 'open' };
  return Object.hasOwn(scalars, items) ? { kind: scalars[items] as ScalarKind } : { kind: 'type', type: items };
}

function contentShape(shape: DeclaredShape, allowed: readonly unknown[] | undefined): ContentShape {
  if (shape.kind === 'type') return { kind: 'type', type: shape.type };
  if (shape.kind === 'fields') return { kind: 'fields', fields: elementsOf(shape.fields) };
  if (shape.kind === 'object' || shape.kind === 'array') return { kind: 'open' };
  const kind = scalars[shape.kind] as ScalarKind;
  const isListed = kind === 'text' && allowed?.every((each) => typeof each === 'string');
  return { kind, allowed: isListed ? (allowed as readonly string[]) : undefined };
}
