import { sampleOf } from './sample.ts';
import type { FieldModel, TypeModel } from './spec.ts';

/**
 * A message that passes the checks of a type, the types of its fields included. What may be absent is left out where only
 * its author can say a value, or where it leads back to a type that it is in. Throws Error with the field where such a
 * field is required.
 */
export function messageSample(type: string, models: readonly TypeModel[]): Readonly<Record<string, unknown>> {
  return sampleOfType(type, new Map(models.map((model) => [model.name, model])), []);
}

type Models = ReadonlyMap<string, TypeModel>;

function sampleOfType(type: string, models: Models, within: readonly string[]): Readonly<Record<string, unknown>> {
  if (within.includes(type)) throw new Error(`type "${type}" has itself as a required field`);
  return sampleOfFields(models.get(type)?.fields ?? [], type, models, [...within, type]);
}

function sampleOfFields(fields: readonly FieldModel[], place: string, models: Models, within: readonly string[]) {
  const entries = fields.flatMap((field): readonly [string, unknown][] => {
    const { required, external } = field.constraints;
    if (external) return [];
    try {
      return [[field.name, sampleOfField(field, place, models, within)]];
    } catch (error) {
      if (required) throw error;
      return [];
    }
  });
  return Object.fromEntries(entries);
}

function sampleOfField(field: FieldModel, place: string, models: Models, within: readonly string[]): unknown {
  const { shape, constraints, name } = field;
  const own = `${place}.${name}`;
  if (constraints.default === undefined && constraints.pattern === undefined && constraints.validator === undefined) {
    if (shape.kind === 'type') return sampleOfType(shape.type, models, within);
    if (shape.kind === 'fields') return sampleOfFields(shape.fields, own, models, within);
    const { items, min_length: fewest = 0 } = constraints;
    if (shape.kind === 'array' && items !== undefined && models.has(items))
      return Array.from({ length: fewest }, () => sampleOfType(items, models, within));
  }
  const sample = sampleOf(field);
  if (sample === undefined) throw new Error(`only its author can say a value of ${own}, which has a check of its own`);
  return sample;
}
