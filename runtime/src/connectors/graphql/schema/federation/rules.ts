import { closest } from '@svc/protocol/text';
import type { Published } from '../../../../foundation/contracts/published.ts';
import type { DeclaredField, DeclaredType } from '../../../../foundation/contracts/types.ts';
import { federationIn, fieldOf, pathOf, type Tell } from '../published.ts';
import { fieldSetProblem } from './field-set.ts';
import { checkInterfaces } from './interface-rules.ts';

type Types = ReadonlyMap<string, DeclaredType>;

/** What types say of a federation is about fields that there are, and entities have flows that resolve them. */
export function checkEntities(published: Published, tell: Tell): void {
  const types: Types = new Map(published.types.map((type) => [type.name, type]));
  const isGenerated = pathOf(published) === undefined;
  for (const type of isGenerated ? published.types : []) {
    checkSets(type, types, tell);
    checkInterfaces(type, types, tell);
    if (federationIn(published) === 1) refuseSecondVersion(type, tell);
  }
  checkResolvers(published, types, tell);
}

/** Keys, and the fields that others provide and require. */
function checkSets(type: DeclaredType, types: Types, tell: Tell): void {
  const { name, fields, federation } = type;
  for (const key of federation.keys) {
    const problem = fieldSetProblem(key, type, types);
    if (problem !== undefined) tell({ code: 'unknown-field', ...problem, at: { of: 'type', name, word: '_key' } });
  }
  for (const field of fields) {
    const at = { of: 'type', name, field: field.name } as const;
    const { requires, provides } = field.constraints;
    const required = requires && fieldSetProblem(requires.join(' '), type, types);
    if (required !== undefined) tell({ code: 'unknown-field', ...required, at });
    if (provides === undefined) continue;
    const returned = returnedBy(field, types);
    const problem =
      returned === undefined
        ? { message: `field "${field.name}" holds no objects, so that it provides no fields`, help: 'Remove provides.' }
        : fieldSetProblem(provides.join(' '), returned, types);
    if (problem !== undefined) tell({ code: 'unknown-field', ...problem, at });
  }
}

/** The type of the objects that a field holds. */
function returnedBy({ shape, constraints }: DeclaredField, types: Types): DeclaredType | undefined {
  return types.get(shape.kind === 'type' ? shape.type : (constraints.items ?? ''));
}

/** Version 1 of federations lacks these words. */
function refuseSecondVersion({ name, fields, federation }: DeclaredType, tell: Tell): void {
  const refuse = (word: string, at: { readonly word: string } | { readonly field: string }) =>
    tell({
      code: 'wrong-version',
      message: `${word} needs version 2 of federations`,
      at: { of: 'type', name, ...at },
      help: 'Write version = 2 in the federation block, or remove the word.',
    });
  if (federation.shareable) refuse('_shareable', { word: '_shareable' });
  if (federation.inaccessible) refuse('_inaccessible', { word: '_inaccessible' });
  for (const { name: field, constraints } of fields)
    for (const word of ['shareable', 'inaccessible', 'override'] as const)
      if (constraints[word] !== undefined && constraints[word] !== false) refuse(word, { field });
}

/** Types with keys have flows that resolve them; flows resolve types with keys. */
function checkResolvers(published: Published, types: Types, tell: Tell): void {
  const { connector, flows } = published;
  const isGenerated = pathOf(published) === undefined;
  const federation = federationIn(published);
  const known = new Set<string>();
  for (const { name, entity } of flows) {
    if (entity === undefined) continue;
    const at = { of: 'flow', name, word: 'entity' } as const;
    if (federation === undefined)
      tell({
        code: 'inert-attribute',
        message: `no reference reaches flow "${name}": the federation is off`,
        at,
        help: `Remove entity, or remove enabled = false from connector "${connector}".`,
      });
    if (known.has(entity))
      tell({
        code: 'equal-entities',
        message: `another flow resolves references of "${entity}" already`,
        at,
        help: 'Remove entity from one of them.',
      });
    known.add(entity);
    if (!isGenerated) continue;
    const type = types.get(entity);
    const near = closest(entity, types.keys());
    if (type === undefined)
      tell({
        code: 'unknown-type',
        message: `there is no type "${entity}"`,
        at,
        help: near === undefined ? `Write type "${entity}" { … }.` : `Did you mean "${near}"?`,
      });
    else if (type.federation.keys.length === 0)
      tell({
        code: 'missing-key',
        message: `nothing refers to objects of "${entity}": the type has no key`,
        at,
        help: `Write _key = "id" in type "${entity}".`,
      });
  }
  if (federation === undefined || !isGenerated) return;
  const returned = returnedTypes(published);
  const interfaces = new Set(published.types.flatMap((type) => type.federation.implements));
  for (const { name, federation: own } of published.types)
    if (own.keys.length > 0 && !interfaces.has(name) && !known.has(name) && !returned.has(name))
      tell({ ...unresolvedEntity(name, connector), at: { of: 'type', name, word: '_key' } });
}

/** Types of which a query returns one: it resolves references where no flow says that it does. */
export function returnedTypes({ flows }: Published): ReadonlySet<string> {
  return new Set(
    flows.flatMap((flow) =>
      flow.returns !== undefined && !flow.returns.list && fieldOf(flow)?.type === 'Query' ? flow.returns.type : [],
    ),
  );
}

/** What is reported of a type whose references nothing resolves. */
export function unresolvedEntity(name: string, connector: string) {
  return {
    code: 'unresolved-entity',
    message: `no flow resolves references of type "${name}"`,
    severity: 'warning',
    help: `Write entity = "${name}" in a flow from connector "${connector}"; references are answered with null until then.`,
  } as const;
}
