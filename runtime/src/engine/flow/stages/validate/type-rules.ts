import { toJson } from '@svc/protocol/cel';
import {
  type ConfigurationHost,
  coerce,
  EvaluationError,
  evaluate,
  type Project,
  type Report,
} from '@svc/protocol/model';
import { type AttributeSpec, type Origin, origin } from '@svc/protocol/schema';
import { type Expression, literalText, type ObjectEntry } from '@svc/protocol/syntax';
import { closest } from '@svc/protocol/text';
import { checkDefaults, type WrittenDefault } from './default-rules.ts';
import { checkPattern } from './pattern-rules.ts';
import {
  type Constraints,
  constraints,
  type FieldModel,
  type FieldShape,
  fieldTypes,
  type TypeModel,
  type,
} from './spec.ts';

type ScalarType = (typeof fieldTypes)[number];

/** The field types that each constraint applies to; absent: all of them. */
const appliesTo: Readonly<Record<string, readonly string[]>> = {
  format: ['string'],
  pattern: ['string'],
  min_length: ['string', 'array'],
  max_length: ['string', 'array'],
  min: ['number', 'integer'],
  max: ['number', 'integer'],
  enum: ['string', 'number', 'integer', 'id'],
  items: ['array'],
};

/** Reads the fields of every `type` block; what is wrong is reported and skipped. */
export function decodeTypes(project: Project, report: Report): readonly TypeModel[] {
  const declarations = project.all('type', type);
  const known = new Set(declarations.map(({ name }) => name));
  const validators = new Set([
    ...project.all('validator', project.vocabulary.blocks['validator'] ?? type).map(({ name }) => name),
    ...(project.vocabulary.provided?.['validator'] ?? []),
  ]);
  const around = JSON.stringify([[...known], [...validators], numbers(project.constants)]);
  const reads = declarations.map((declaration) => {
    let read = remembered.get(declaration);
    if (read?.around !== around) {
      const problems: Parameters<Report>[] = [];
      const own: Report = (...problem) => problems.push(problem);
      const { name, values } = declaration;
      const defaults: WrittenDefault[] = [];
      const fields = values.fields.flatMap((field) => {
        const reader = new FieldReader(project, known, validators, field.origin.file, own);
        const model = reader.field([field.name], field.value.expression);
        for (const one of reader.defaults) defaults.push({ ...one, type: name });
        return model ?? [];
      });
      const federation = {
        keys: values._key ?? [],
        shareable: values._shareable === true,
        inaccessible: values._inaccessible === true,
        implements: values._implements ?? [],
      };
      read = { around, model: { name, description: values._description, fields, federation }, defaults, problems };
      remembered.set(declaration, read);
    }
    for (const problem of read.problems) report(...problem);
    return read;
  });
  const models = reads.map(({ model }) => model);
  checkDefaults(
    models,
    reads.flatMap(({ defaults }) => defaults),
    report,
  );
  return models;
}

interface ReadType {
  /** What the fields may name or read: types, validators, constants. */
  readonly around: string;
  readonly model: TypeModel;
  readonly defaults: readonly WrittenDefault[];
  readonly problems: readonly Parameters<Report>[];
}

/** Types that were read before; an unchanged one, with unchanged references, is not read again. */
const remembered = new WeakMap<object, ReadType>();

/** A configuration is read before types are: environment and files are not read again. */
const noHost: ConfigurationHost = {
  env: () => undefined,
  readFile: () => {
    throw new Error('files cannot be read in the fields of a type');
  },
  absolutePath: (path) => path,
};

class FieldReader {
  readonly #project: Project;
  readonly #types: ReadonlySet<string>;
  readonly #validators: ReadonlySet<string>;
  readonly #file: string;
  readonly #report: Report;
  /** Those that were read. */
  readonly defaults: Omit<WrittenDefault, 'type'>[] = [];

  constructor(
    project: Project,
    types: ReadonlySet<string>,
    validators: ReadonlySet<string>,
    file: string,
    report: Report,
  ) {
    this.#project = project;
    this.#types = types;
    this.#validators = validators;
    this.#file = file;
    this.#report = report;
  }

  /** Reads the field at the end of a path. */
  field(path: readonly string[], expression: Expression): FieldModel | undefined {
    const name = path.at(-1) as string;
    if (expression.kind === 'object') {
      const fields = expression.entries.flatMap((entry) => this.#entry(path, entry) ?? []);
      return this.#plain(name, { kind: 'fields', fields });
    }
    const shape = this.#shape(expression.kind === 'call' ? expression.name.text : wordOf(expression), expression);
    if (shape === undefined) return undefined;
    if (expression.kind !== 'call') return this.#plain(name, shape);
    const [argument] = expression.arguments;
    if (argument === undefined) return this.#plain(name, shape);
    if (expression.arguments.length > 1 || argument.kind !== 'object') {
      this.#problem('wrong-kind', 'constraints are one object', argument, `Write ${expression.name.text}({ … }).`);
      return undefined;
    }
    return this.#constrained(path, shape, argument.entries);
  }

  #entry(path: readonly string[], { key, value }: ObjectEntry): FieldModel | undefined {
    const name = wordOf(key);
    return name === undefined ? undefined : this.field([...path, name], value);
  }

  #plain(name: string, shape: FieldShape): FieldModel {
    return { name, shape, constraints: noConstraints, order: [] };
  }

  #shape(word: string | undefined, at: Expression): FieldShape | undefined {
    if (word === undefined) {
      this.#problem(
        'wrong-kind',
        'the type of a field is needed here',
        at,
        `One of ${fieldTypes.join(', ')}, or "<type>".`,
      );
      return undefined;
    }
    if ((fieldTypes as readonly string[]).includes(word)) return { kind: word as ScalarType };
    const name = word.startsWith('type.') ? word.slice(5) : word;
    if (this.#types.has(name)) return { kind: 'type', type: name };
    this.#unknown('unknown-type', `there is no type "${name}"`, name, [...fieldTypes, ...this.#types], at);
    return undefined;
  }

  #constrained(path: readonly string[], shape: FieldShape, entries: readonly ObjectEntry[]): FieldModel {
    const name = path.at(-1) as string;
    const read: Record<string, unknown> = { required: true };
    const order: string[] = [];
    for (const { key, value } of entries) {
      const written = wordOf(key);
      if (written === undefined) continue;
      const constraint = constraintOf(written);
      if (constraint === undefined) {
        const all = Object.keys(constraints.attributes);
        this.#unknown('unknown-constraint', `there is no constraint "${written}"`, written, all, key);
        continue;
      }
      const [word, spec] = constraint;
      if (appliesTo[word] !== undefined && !appliesTo[word].includes(shape.kind)) {
        const types = appliesTo[word].join(', ');
        this.#problem(
          'wrong-constraint',
          `${word} is a constraint of ${types}, not of ${shape.kind}`,
          key,
          'Remove it.',
        );
        continue;
      }
      if (word === 'items' && value.kind === 'call' && fieldTypes.includes(value.name.text as never)) {
        this.#problem(
          'wrong-kind',
          `items of field "${name}" is the type of the elements, without constraints`,
          value,
          `Write items = "${value.name.text}", and what else must be true of them as a validator of the list.`,
        );
        continue;
      }
      const coerced = this.#value(value, spec, `${word} of field "${name}"`);
      if (coerced === undefined) continue;
      if (word === 'pattern' && !checkPattern(coerced as string, this.#at(value), this.#report)) continue;
      if (word === 'enum' && !this.#isEnum(name, shape, coerced as readonly unknown[], value)) continue;
      if (word === 'default') this.defaults.push({ path, value: coerced, at: this.#at(value) });
      read[word] = coerced;
      order.push(word);
    }
    // What another service answers is never missing here.
    if (read['external'] === true) read['required'] = false;
    this.#checkNames(read, entries);
    this.#checkBounds(name, read, entries);
    return { name, shape, constraints: { ...noConstraints, ...read } as Constraints, order };
  }

  #value(expression: Expression, spec: AttributeSpec, subject: string): unknown {
    try {
      const variables = { constants: numbers(this.#project.constants) };
      const written = spec.kind === 'reference' ? wordOf(expression) : undefined;
      const coerced = coerce(written ?? evaluate(expression, { host: noHost, variables }), spec);
      if ('value' in coerced) return coerced.value;
      const whose = coerced.part === '' ? subject : `${coerced.part} of ${subject}`;
      this.#problem(coerced.code, `${whose} ${coerced.problem}`, expression, coerced.help);
    } catch (error) {
      if (!(error instanceof EvaluationError)) throw error;
      this.#report('cannot-evaluate', error.message, this.#at(error.range), { help: error.help });
    }
    return undefined;
  }

  /** Whether every allowed value is one that the field could have. */
  #isEnum(field: string, { kind }: FieldShape, values: readonly unknown[], at: Expression): boolean {
    const kinds = kind === 'id' ? ['string', 'number'] : [kind === 'string' ? 'string' : 'number'];
    const other = values.find(
      (value) =>
        !(typeof value === 'bigint' && kinds.includes('number')) &&
        (!kinds.includes(typeof value) || (kind === 'integer' && !Number.isInteger(value))),
    );
    if (other === undefined) return true;
    this.#problem(
      'wrong-kind',
      `enum of field "${field}": ${JSON.stringify(toJson(other))} is not a ${kind}`,
      at,
      'Write values that the field can have.',
    );
    return false;
  }

  /** Names that constraints refer to: a validator, the type of elements. */
  #checkNames(read: Record<string, unknown>, entries: readonly ObjectEntry[]): void {
    const at = (name: string) => entries.find(({ key }) => wordOf(key) === name)?.value as Expression;
    const { validator, items } = read;
    if (typeof validator === 'string') {
      const name = validator.replace(/^validator\./, '');
      read['validator'] = name;
      if (!this.#validators.has(name))
        this.#unknown(
          'unknown-validator',
          `there is no validator "${name}"`,
          name,
          [...this.#validators],
          at('validator'),
        );
    }
    if (typeof items === 'string') {
      const name = items.replace(/^type\./, '');
      read['items'] = name;
      const known = [...fieldTypes, ...this.#types];
      if (!known.includes(name)) this.#unknown('unknown-type', `there is no type "${name}"`, name, known, at('items'));
    }
  }

  /** Bounds that leave no value. */
  #checkBounds(field: string, read: Record<string, unknown>, entries: readonly ObjectEntry[]): void {
    for (const [least, most] of [
      ['min', 'max'],
      ['min_length', 'max_length'],
    ] as const) {
      const [low, high] = [read[least], read[most]];
      if (typeof low !== 'number' || typeof high !== 'number' || low <= high) continue;
      const at = entries.find(({ key }) => wordOf(key) === most)?.value as Expression;
      this.#problem(
        'contradicting-bounds',
        `field "${field}": nothing is at least ${low} and at most ${high}`,
        at,
        `Make ${most} at least as large as ${least}.`,
      );
    }
  }

  #unknown(code: string, message: string, word: string, known: readonly string[], at: Expression): void {
    const near = closest(word, known);
    const all = known.length > 0 ? `These exist: ${known.join(', ')}.` : 'None exists yet.';
    this.#problem(code, message, at, near ? `Did you mean "${near}"? ${all}` : all);
  }

  #problem(code: string, message: string, at: Expression, help: string | undefined): void {
    this.#report(code, message, this.#at(at), { help });
  }

  #at({ start, end }: { readonly start: number; readonly end: number }): Origin {
    return { file: this.#file, range: { start, end } };
  }
}

const noConstraints: Constraints = Object.freeze({
  required: true,
  format: undefined,
  pattern: undefined,
  min_length: undefined,
  max_length: undefined,
  min: undefined,
  max: undefined,
  enum: undefined,
  validator: undefined,
  items: undefined,
  default: undefined,
  description: undefined,
  external: undefined,
  provides: undefined,
  requires: undefined,
  shareable: undefined,
  inaccessible: undefined,
  override: undefined,
  [origin]: { file: '', range: { start: 0, end: 0 }, parts: new Map() },
});

/** The constraint that a word means, whichever of its spellings it is. */
function constraintOf(word: string): readonly [name: string, spec: AttributeSpec] | undefined {
  return Object.entries<AttributeSpec>(constraints.attributes).find(
    ([name, { aliases }]) => name === word || aliases.includes(word),
  );
}

/** A name as it may be written: bare, in quotes, or as `type.address`. */
function wordOf(expression: Expression): string | undefined {
  if (expression.kind === 'variable') return expression.name;
  if (expression.kind === 'attribute-access') {
    const target = wordOf(expression.target);
    return target === undefined ? undefined : `${target}.${expression.name.text}`;
  }
  return literalText(expression);
}

/** Constants as files see them: numbers. */
function numbers(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (Array.isArray(value)) return value.map(numbers);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, numbers(item)]));
}
