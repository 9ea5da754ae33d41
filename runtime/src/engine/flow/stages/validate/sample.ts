import type { FieldModel, fieldFormats } from './spec.ts';

const ofFormat: Readonly<Record<(typeof fieldFormats)[number], string>> = {
  email: 'name@example.org',
  url: 'https://example.org/',
  uuid: '00000000-0000-4000-8000-000000000000',
  date: '2026-01-01',
  datetime: '2026-01-01T08:00:00Z',
  phone: '+14155550100',
  ip: '192.0.2.1',
};

/**
 * A value that passes the checks of a field, as JSON carries it; for the field of another type an empty object, which
 * who knows that type fills. Undefined where only its author can say one: behind a pattern or a validator.
 */
export function sampleOf({ name, shape, constraints }: FieldModel): unknown {
  const { default: given, enum: allowed, format, pattern, validator, min, max, items } = constraints;
  const { min_length: shortest = 0, max_length: longest = Number.POSITIVE_INFINITY } = constraints;
  if (given !== undefined) return given;
  if (allowed !== undefined && allowed.length > 0) return allowed[0];
  if (pattern !== undefined || validator !== undefined) return undefined;
  switch (shape.kind) {
    case 'string':
    case 'id':
      return format === undefined ? name.padEnd(shortest, 'x').slice(0, longest) : ofFormat[format];
    case 'number':
    case 'integer':
      return within(shape.kind === 'integer', min, max);
    case 'boolean':
      return false;
    case 'array':
      return Array.from({ length: shortest }, () => (items === undefined ? name : itemOf(name, items)));
    case 'object':
    case 'type':
      return {};
    case 'fields':
      return Object.fromEntries(shape.fields.map((field) => [field.name, sampleOf(field) ?? null]));
  }
}

const ofItems: Readonly<Record<string, unknown>> = { number: 0, integer: 0, boolean: false, array: [], object: {} };

function itemOf(name: string, items: string): unknown {
  if (items === 'string' || items === 'id') return name;
  return ofItems[items] ?? {};
}

/** The number nearest to zero between two others. */
function within(isInteger: boolean, min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY): number {
  const near = Math.max(min, Math.min(max, 0));
  if (!isInteger) return near;
  return near === min ? Math.ceil(near) : Math.floor(near);
}
