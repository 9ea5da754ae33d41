import { quote } from '@svc/protocol/syntax';
import { fieldTypes } from '../../../engine/flow/stages/validate/spec.ts';
import type { Documents, Located } from '../../../platform/formats/openapi/documents.ts';
import { type Schema, schemaOf } from '../../../platform/formats/openapi/schema.ts';
import type { ImportedFile } from '../contract.ts';
import { count, described, type Leave, scalarConstraints, scalarWord, standardOf } from './fields.ts';

/** Levels of objects without a name in each other. */
const deepest = 50;

/** What a body or an answer is. */
export type Content =
  | { readonly kind: 'type'; readonly type: string }
  | { readonly kind: 'list'; readonly items: string }
  | { readonly kind: 'scalar'; readonly word: string }
  | { readonly kind: 'unknown' };

/** The types that operations use, a file for each; those in them included. */
export class ImportedTypes {
  readonly #documents: Documents;
  readonly #leave: Leave;
  /** Names by the place of the schema that they are made of. */
  readonly #names = new Map<string, string>();
  readonly #texts = new Map<string, string>();
  /** Names that are taken, in lower case. */
  readonly #taken = new Set<string>();
  readonly #noted = new Set<string>();

  constructor(documents: Documents) {
    this.#documents = documents;
    this.#leave = (at, why) => {
      const key = `${at.file}#${at.pointer}: ${why}`;
      if (!this.#noted.has(key)) documents.leave(at, why);
      this.#noted.add(key);
    };
  }

  get files(): readonly ImportedFile[] {
    return [...this.#texts].map(([name, text]) => ({ path: `types/${name}.hcl`, text }));
  }

  /** What a body or an answer holds; its type is made. */
  contentOf(at: Located, suggested: string): Content {
    const schema = schemaOf([at], this.#documents);
    if (isObject(schema)) {
      const type = this.#typeOf(schema, suggested, 0);
      return type === undefined ? { kind: 'unknown' } : { kind: 'type', type };
    }
    const word = scalarWord(schema.types);
    if (word !== undefined && schema.alternatives.length === 0) return { kind: 'scalar', word };
    if (!schema.types?.has('array') || schema.types.size > 1) {
      if (schema.alternatives.length > 0) this.#alternatives(schema);
      return { kind: 'unknown' };
    }
    return { kind: 'list', items: this.#items(schema, suggested, 0) };
  }

  #alternatives({ alternatives, target }: Schema): void {
    const names = alternatives.map(({ value }) =>
      (value as { readonly $ref?: string } | null)?.$ref?.replace(/^.*\//, ''),
    );
    const known = names.filter((name) => name !== undefined);
    const said = known.length === 0 ? `one of ${alternatives.length} alternatives` : `one of ${known.join(', ')}`;
    this.#leave(target, `oneOf or anyOf: no type is ${said}, and nothing checks it`);
  }

  /** The name of the type of an object; undefined where it has no field that can be said. */
  #typeOf(schema: Schema, suggested: string, depth: number): string | undefined {
    const { key } = schema;
    const known = this.#names.get(key);
    if (known !== undefined) return this.#texts.has(known) ? known : undefined;
    if (schema.alternatives.length > 0) this.#alternatives(schema);
    this.#others(schema);
    if (schema.properties.size === 0) {
      if (schema.additional !== undefined && schema.additional !== false)
        this.#leave(schema.target, 'an object with names of any kind: its values are not checked');
      return undefined;
    }
    if (depth > deepest) {
      this.#leave(schema.target, `objects in more than ${deepest} others are not checked`);
      return undefined;
    }
    const name = this.#free(schema.name ?? suggested);
    this.#names.set(key, name);
    // It may contain itself: its name is known before its fields are.
    this.#texts.set(name, 'type');
    this.#taken.add(name.toLowerCase());
    const lines = [...schema.properties].flatMap(([field, parts]) => this.#field(field, parts, schema, name, depth));
    if (lines.length === 0) {
      this.#texts.delete(name);
      this.#taken.delete(name.toLowerCase());
      return undefined;
    }
    if (schema.additional === false)
      this.#leave(schema.target, 'additionalProperties false: further fields are let through');
    const about = (schema.facts.description ?? '').replace(/\s+/g, ' ').trim();
    const description = about === '' ? '' : `_description = ${quote(about)}\n`;
    this.#texts.set(name, `type ${quote(name)} {\n${description}${lines.join('')}}`);
    return name;
  }

  #free(suggested: string): string {
    const plain = suggested.replace(/[^A-Za-z0-9_]+/g, '_').replace(/^(?![A-Za-z])_*/, 'T');
    const usual = (fieldTypes as readonly string[]).includes(plain) ? `${plain}_type` : plain;
    let name = usual;
    for (let count = 2; this.#taken.has(name.toLowerCase()); count++) name = `${usual}_${count}`;
    return name;
  }

  #field(name: string, parts: readonly Located[], owner: Schema, type: string, depth: number): readonly string[] {
    const schema = schemaOf(parts, this.#documents);
    const [at] = parts as readonly [Located];
    if (!/^[A-Za-z][A-Za-z0-9_-]*$/.test(name)) {
      this.#leave(at, 'no field of a type can have this name, so that its type leaves the field out');
      return [];
    }
    const { readOnly, writeOnly } = schema.facts;
    const isRequired = owner.required.has(name);
    if (isRequired && (readOnly || writeOnly))
      this.#leave(at, `${readOnly ? 'readOnly' : 'writeOnly'}: the field may be absent from requests and answers`);
    const isOptional = !isRequired || schema.isNullable || readOnly === true || writeOnly === true;
    const text = this.#fieldText(schema, `${type}${capital(name)}`, isOptional, depth);
    return text === undefined ? [] : [`${name} = ${text}\n`];
  }

  #fieldText(schema: Schema, suggested: string, isOptional: boolean, depth: number): string | undefined {
    const said = described(schema);
    const word = scalarWord(schema.types);
    const absent = (standard: readonly string[]) =>
      isOptional && (standard.length === 0 || schema.isNullable) ? ['required = false'] : [];
    if (word !== undefined && schema.alternatives.length === 0) {
      this.#others(schema);
      const standard = isOptional ? standardOf(word, schema, this.#leave) : [];
      return worded(word, [...scalarConstraints(word, schema, this.#leave), ...absent(standard), ...standard, ...said]);
    }
    const only = schema.types?.size === 1 ? [...schema.types][0] : undefined;
    if (only === 'array') {
      this.#others(schema);
      const items = this.#items(schema, suggested, depth);
      const { minItems, maxItems } = schema.facts;
      const counts = [...count('min_length', minItems), ...count('max_length', maxItems)];
      return worded('array', [`items = ${quote(items)}`, ...counts, ...absent([]), ...said]);
    }
    if (isObject(schema)) {
      const type = this.#typeOf(schema, suggested, depth + 1);
      const own = schema.name === undefined ? said : describedBeside(schema, said);
      if (type === undefined) return worded('object', [...absent([]), ...own]);
      return isOptional || own.length > 0 ? worded(type, [...absent([]), ...own]) : quote(type);
    }
    if (schema.alternatives.length > 0) {
      this.#alternatives(schema);
      if (schema.alternatives.every((each) => isObject(schemaOf([each], this.#documents))))
        return worded('object', [...absent([]), ...said]);
    } else this.#leave(schema.at, schema.types === undefined ? 'its type is not said' : 'no field has several types');
    this.#leave(schema.at, 'the type around it leaves the field out');
    return undefined;
  }

  /** The word for the elements of a list. */
  #items({ items, target }: Schema, suggested: string, depth: number): string {
    if (items.length === 0) return 'object';
    const schema = schemaOf(items, this.#documents);
    const word = scalarWord(schema.types);
    if (word !== undefined && schema.alternatives.length === 0) {
      const ignored: Leave = () => undefined;
      if (scalarConstraints(word, schema, ignored).length > 0)
        this.#leave(schema.target, `each element is checked to be of type ${word}, and nothing further`);
      return word;
    }
    if (isObject(schema)) return this.#typeOf(schema, `${suggested}Item`, depth + 1) ?? 'object';
    if (schema.types?.has('array') && schema.types.size === 1) {
      this.#leave(target, 'lists in lists: what is in the inner ones is not checked');
      return 'array';
    }
    if (schema.alternatives.length > 0) this.#alternatives(schema);
    else this.#leave(target, 'what its elements are is not checked: they are taken for objects');
    return 'object';
  }

  #others({ others }: Schema): void {
    for (const other of others) this.#leave(other, `${other.pointer.replace(/^.*\//, '')} is not checked`);
  }
}

/** Whether its values are objects, and no others. */
function isObject({ types }: Schema): boolean {
  return types?.size === 1 && types.has('object');
}

/** A description that the component has already is not repeated beside each reference. */
function describedBeside({ target }: Schema, said: readonly string[]): readonly string[] {
  const { description } = (target.value ?? {}) as { readonly description?: unknown };
  return typeof description === 'string' &&
    said[0] === `description = ${quote(description.replace(/\s+/g, ' ').trim())}`
    ? []
    : said;
}

function worded(word: string, constraints: readonly string[]): string {
  return constraints.length === 0 ? word : `${word}({ ${constraints.join(', ')} })`;
}

function capital(name: string): string {
  return (
    name.charAt(0).toUpperCase() + name.slice(1).replace(/[_-]+(\w)/g, (_, letter: string) => letter.toUpperCase())
  );
}
