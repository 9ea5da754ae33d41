import { Fields } from '@svc/protocol/cel';
import { type FieldModel, fieldTypes, type TypeModel } from './spec.ts';

type Values = Record<string, unknown>;

/** Fills in the defaults of fields that are absent. It changes the object itself, and copies nested objects. */
export type Complete = (value: Values) => void;

/** What fills in the defaults of each type, by name; types without any default, also nested, have no entry. */
export function compileDefaults(types: readonly TypeModel[]): ReadonlyMap<string, Complete> {
  const models = new Map(types.map((type) => [type.name, type.fields]));
  const completes = new Map<string, Complete>();
  for (const { name, fields } of types)
    if (holdsDefault(fields, models)) completes.set(name, completeOf(fields, completes));
  return completes;
}

/** Whether a field, or one inside it, has a default. A type that contains itself is visited once. */
function holdsDefault(
  fields: readonly FieldModel[],
  models: ReadonlyMap<string, readonly FieldModel[]>,
  seen = new Set<string>(),
): boolean {
  return fields.some((field) => {
    if (field.constraints.default !== undefined) return true;
    if (field.shape.kind === 'fields') return holdsDefault(field.shape.fields, models, seen);
    const inside = typeInside(field);
    if (inside === undefined || seen.has(inside)) return false;
    seen.add(inside);
    return holdsDefault(models.get(inside) ?? [], models, seen);
  });
}

/** The type that a field is, or that the elements of a list are. */
function typeInside({ shape, constraints: { items } }: FieldModel): string | undefined {
  if (shape.kind === 'type') return shape.type;
  return items === undefined || (fieldTypes as readonly string[]).includes(items) ? undefined : items;
}

function completeOf(fields: readonly FieldModel[], completes: ReadonlyMap<string, Complete>): Complete {
  const works = fields.map((field) => ({
    name: field.name,
    standard: standardOf(field.constraints.default),
    inside: insideOf(field, completes),
  }));
  return (value) => {
    for (const { name, standard, inside } of works) {
      const given = Object.hasOwn(value, name) ? value[name] : undefined;
      const item = given === undefined ? standard() : given;
      if (item === undefined) continue;
      value[name] = inside === undefined ? item : inside(item);
    }
  };
}

/** Returns a default; a mutable value is copied for each message. */
function standardOf(value: unknown): () => unknown {
  return typeof value === 'object' ? () => structuredClone(value) : () => value;
}

/** Completes the objects inside a field; a value of another shape stays unchanged, and is refused by the check. */
function insideOf(
  field: FieldModel,
  completes: ReadonlyMap<string, Complete>,
): ((item: unknown) => unknown) | undefined {
  const { shape } = field;
  if (shape.kind === 'fields') return completed(completeOf(shape.fields, completes));
  const type = typeInside(field);
  if (type === undefined) return undefined;
  const complete = completed((value) => completes.get(type)?.(value));
  return shape.kind === 'type' ? complete : (items) => (Array.isArray(items) ? items.map(complete) : items);
}

function completed(complete: Complete): (item: unknown) => unknown {
  return (item) => {
    if (typeof item !== 'object' || item === null || Array.isArray(item)) return item;
    const copy = Object.assign(new Fields(), item);
    complete(copy);
    return copy;
  };
}
