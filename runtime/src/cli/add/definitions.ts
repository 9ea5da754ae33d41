import { compileRegex } from '@svc/protocol/cel';
import { quote } from '@svc/protocol/syntax';
import { variablesOf } from '../../engine/flow/scope.ts';
import { fieldFormats, fieldTypes } from '../../engine/flow/stages/validate/spec.ts';
import { createExpressionEngine } from '../../engine/plan/engine.ts';
import { UsageError } from '../command.ts';
import { type AddContext, type AddKind, attributesOf, chosen, fieldName, missing, namesOf } from './kind.ts';

/** `svc add type`: fields with their type and format. */
export const type: AddKind = {
  name: 'type',
  word: 'type',
  folder: 'types',
  options: ['fields'],
  source: (context) => {
    const fields = context.given.list('fields').map((field) => typedField(field, context));
    const body =
      fields.length === 0 ? missing('fields, such as email = string({ format = "email" })') : fields.join('');
    return `type ${quote(context.name)} {\n${body}}`;
  },
};

/** `name:type` or `name:type:format`. */
function typedField(written: string, { name: own, project }: AddContext): string {
  const [name = '', word, format, ...rest] = written.split(':');
  if (word === undefined || rest.length > 0)
    throw new UsageError(`--fields takes NAME:TYPE or NAME:TYPE:FORMAT, not "${written}"`);
  const types = namesOf('type', project).filter((each) => each !== own);
  const isBuiltIn = (fieldTypes as readonly string[]).includes(word);
  if (!isBuiltIn) chosen('type', word, [...fieldTypes, ...types]);
  if (format === undefined) return `${fieldName(name)} = ${isBuiltIn ? word : quote(word)}\n`;
  chosen('format', format, fieldFormats);
  if (word !== 'string') throw new UsageError(`a format is that of a text: write ${name}:string:${format}`);
  return `${fieldName(name)} = string({ format = ${quote(format)} })\n`;
}

/** `svc add validator`: a pattern, an expression or a module. */
export const validator: AddKind = {
  name: 'validator',
  word: 'validator',
  folder: 'validators',
  options: ['type', 'pattern', 'expr', 'wasm'],
  source: ({ name, given, vocabulary }) => {
    const written = checks.filter(({ option }) => given.text(option) !== undefined);
    const [check] = written;
    if (check === undefined) throw new UsageError('say what it checks: --pattern, --expr or --wasm');
    if (written.length > 1) throw new UsageError('a validator checks one thing: --pattern, --expr or --wasm');
    const kind = given.text('type') ?? check.type;
    const choices = (vocabulary.blocks['validator']?.attributes['type']?.choices ?? []).map(String);
    chosen('type of validators', kind, choices);
    if (kind !== check.type) {
      const needed = checks.find((each) => each.type === kind)?.option;
      throw new UsageError(`a validator of type ${kind} needs --${needed}, not --${check.option}`);
    }
    const text = given.text(check.option) ?? '';
    const problem = check.problem(text);
    if (problem !== undefined) throw new UsageError(`--${check.option}: ${problem}`);
    const message = missing('message = "…", what the caller reads');
    return `validator ${quote(name)} {\ntype = ${quote(kind)}\n${check.option} = ${quote(text)}\n${message}}`;
  },
};

/** What a validator may check, by the option that says it. */
const checks: readonly {
  readonly option: string;
  readonly type: string;
  readonly problem: (text: string) => string | undefined;
}[] = [
  {
    option: 'pattern',
    type: 'regex',
    problem: (text) => {
      const regex = compileRegex(text);
      return 'test' in regex ? undefined : regex.message;
    },
  },
  {
    option: 'expr',
    type: 'cel',
    problem: (text) => {
      const compiled = createExpressionEngine().compile(text, { variables: variablesOf(['value']) });
      return compiled.ok ? undefined : compiled.problems[0]?.message;
    },
  },
  { option: 'wasm', type: 'wasm', problem: (text) => (text === '' ? 'a path is needed' : undefined) },
];

/** `svc add transform`: fields that begin as those of the message. */
export const transform: AddKind = {
  name: 'transform',
  word: 'transform',
  folder: 'transforms',
  options: ['fields'],
  source: ({ name, given }) => {
    const fields = given.list('fields').map((field) => `${fieldName(field)} = ${quote(`input.${field}`)}\n`);
    const body =
      fields.length === 0
        ? missing('fields, such as email = "lower(input.email)"')
        : `${missing('what each field is; it is that of the message now')}${fields.join('')}`;
    return `transform ${quote(name)} {\n${body}}`;
  },
};

/** `svc add constants`: values that every file reads. */
export const constants: AddKind = {
  name: 'constants',
  word: 'constants',
  folder: 'constants',
  options: ['value'],
  source: ({ given, project }) => {
    const declared = attributesOf('constants', project);
    const lines = given.list('value').map((written) => {
      const [name, value] = assigned(written);
      if (declared.includes(name)) throw new UsageError(`there is a constant "${name}" already`);
      return `${name} = ${value}\n`;
    });
    return `constants {\n${lines.length === 0 ? missing('values, such as page_size = 50') : lines.join('')}}`;
  },
};

/** `name=value`: numbers, true and false stay what they are, everything else is a text. */
function assigned(written: string): readonly [string, string] {
  const at = written.indexOf('=');
  if (at < 1) throw new UsageError(`--value takes NAME=VALUE, not "${written}"`);
  const value = written.slice(at + 1);
  const isLiteral = /^(?:true|false|-?\d+(?:\.\d+)?)$/.test(value);
  return [fieldName(written.slice(0, at)), isLiteral ? value : quote(value)];
}
