import { CelDuration, CelTimestamp, CelUint, Fields } from '@svc/protocol/cel';
import type { ArgumentSource } from '@svc/protocol/schema';
import { Failure } from '../../../foundation/errors/failure.ts';
import { below, known } from '../grammar/grammar.ts';
import type { Place } from '../grammar/place.ts';

/**
 * What the configuration writes of a body: its keys and constants, and the places whose values are data. Only what is
 * written is ever read as a part of the query language.
 */
export type Template =
  | { readonly kind: 'map'; readonly entries: readonly (readonly [string, Template])[] }
  | { readonly kind: 'list'; readonly items: readonly Template[] }
  | { readonly kind: 'constant'; readonly value: unknown }
  | { readonly kind: 'parameter'; readonly name: string }
  | { readonly kind: 'data' };

const parameter = /^:([A-Za-z_]\w*)$/;

/** The template of what a flow writes. */
export function templateOf(source: ArgumentSource): Template {
  switch (source.kind) {
    case 'constant':
      return { kind: 'constant', value: source.value };
    case 'cel':
      return source.constant === undefined ? { kind: 'data' } : { kind: 'constant', value: source.constant.value };
    case 'list':
      return { kind: 'list', items: source.items.map(templateOf) };
    case 'map':
      return { kind: 'map', entries: source.entries.map(([name, item]) => [name, templateOf(item)]) };
  }
}

/** The template of constants in which a text `:name` is the value of a parameter. */
export function templateOfConstants(value: unknown): Template {
  if (typeof value === 'string') {
    const name = parameter.exec(value)?.[1];
    return name === undefined ? { kind: 'constant', value } : { kind: 'parameter', name };
  }
  if (Array.isArray(value)) return { kind: 'list', items: value.map(templateOfConstants) };
  if (typeof value !== 'object' || value === null) return { kind: 'constant', value };
  return { kind: 'map', entries: Object.entries(value).map(([name, item]) => [name, templateOfConstants(item)]) };
}

/** Whether a part of it comes with each message. */
export function isVariable(template: Template | undefined): boolean {
  if (template === undefined || template.kind === 'constant') return false;
  if (template.kind === 'list') return template.items.some(isVariable);
  return template.kind !== 'map' || template.entries.some(([, part]) => isVariable(part));
}

/**
 * Why a body cannot be sent whatever the message, or undefined: values of a message are only where the query language has
 * values. Pure.
 */
export function templateProblem(template: Template, place: Place): string | undefined {
  if (template.kind === 'constant') return undefined;
  if (template.kind !== 'map')
    return 'body must be an object that the configuration writes; what comes with the message is a value in it';
  return problemIn(template, '', place);
}

function problemIn(template: Template, path: string, place: Place): string | undefined {
  switch (template.kind) {
    case 'constant':
      return undefined;
    case 'data':
    case 'parameter': {
      const { value, wouldBe } = known(place);
      if (value === true) return undefined;
      return `${path} comes with the message, and ${wouldBe === undefined ? 'is in no place that is known to take a value' : `would be ${wouldBe}`}`;
    }
    case 'list': {
      const items = known(place).items ?? place;
      return firstOf(template.items.map((item, at) => [`${path}[${at}]`, item, items]));
    }
    case 'map':
      return firstOf(
        template.entries.map(([name, item]) => [path === '' ? name : `${path}.${name}`, item, below(place, name)]),
      );
  }
}

function firstOf(places: readonly (readonly [string, Template, Place])[]): string | undefined {
  for (const [path, item, place] of places) {
    const problem = problemIn(item, path, place);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** Gives the value of a parameter of a named operation; undefined when the call lacks it. */
export type Lookup = (name: string) => unknown;

/**
 * The body of one message: `given` is what the expressions of the template gave. Data is a scalar, or a list of scalars: an
 * object would be read as a part of the query. Throws `value_refused`.
 */
export function fill(template: Template, given: unknown, lookup: Lookup, path = ''): unknown {
  switch (template.kind) {
    case 'constant':
      return template.value;
    case 'data':
      return asData(given, path);
    case 'parameter': {
      const value = lookup(template.name);
      if (value === undefined) throw missing(template.name);
      return asData(value, path);
    }
    case 'list':
      return template.items.map((item, at) => fill(item, itemOf(given, at), lookup, `${path}[${at}]`));
    case 'map': {
      const made = new Fields() as Record<string, unknown>;
      for (const [name, item] of template.entries) {
        const at = path === '' ? name : `${path}.${name}`;
        made[name] = fill(item, itemOf(given, name), lookup, at);
      }
      return made;
    }
  }
}

function itemOf(given: unknown, at: string | number): unknown {
  if (typeof given !== 'object' || given === null) return undefined;
  return (given as Readonly<Record<string | number, unknown>>)[at];
}

/** A value that the server compares with, and does not interpret. */
export function asData(value: unknown, path: string): unknown {
  if (Array.isArray(value)) {
    for (const item of value) if (isStructure(item)) throw structured(path);
    return value;
  }
  if (isStructure(value)) throw structured(path);
  return value ?? null;
}

function isStructure(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return !scalars.some((scalar) => value instanceof scalar);
}

/** Objects that are written as one text or number. */
const scalars = [CelTimestamp, CelDuration, CelUint, Date] as const;

function structured(path: string): Failure {
  const field = path.slice(0, 200);
  const message = `"${field}" is an object, and a query compares with texts, numbers and lists of them`;
  return new Failure('value_refused', message, { fields: [{ field, code: 'type_mismatch', message }] });
}

function missing(name: string): Failure {
  const message = `parameter "${name}" has no value`;
  return new Failure('parameters_invalid', message, { fields: [{ field: name, code: 'required', message }] });
}
