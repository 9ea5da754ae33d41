import {
  type EnumDescriptor,
  enumType,
  type FieldDescriptor,
  type FileDescriptor,
  labels,
  type MessageDescriptor,
  messageType,
  scalarTypes,
} from './descriptor-types.ts';

const scalars = new Map(Object.entries(scalarTypes).map(([name, type]) => [type, name]));

/** Levels of messages in each other. */
const deepest = 32;

/**
 * A descriptor as a file of definitions: what is needed to read and write messages. Throws an Error for a descriptor that no
 * file can say, such as one with names that are not names.
 */
export function protoText({ syntax, ...file }: FileDescriptor): string {
  if (syntax !== '' && syntax !== 'proto2' && syntax !== 'proto3')
    throw new Error(`${shown(file.name)} is written in ${shown(syntax)}, which is not read`);
  named(file.name, fileName);
  const isThird = syntax === 'proto3';
  const shared = new Set(file.public_dependency);
  return [
    `syntax = "${isThird ? 'proto3' : 'proto2'}";`,
    ...(file.package === '' ? [] : [`package ${named(file.package, typeName)};`]),
    ...file.dependency.map((path, at) => `import ${shared.has(at) ? 'public ' : ''}"${named(path, fileName)}";`),
    ...file.enum_type.map(enumText),
    ...file.message_type.map((each) => messageText(each, isThird, 0)),
    ...file.service.map(({ name, method }) =>
      blockText(
        `service ${named(name, word)}`,
        method.map((each) => {
          const [asked, answered] = [each.client_streaming, each.server_streaming].map((is) => (is ? 'stream ' : ''));
          const [input, output] = [each.input_type, each.output_type].map((type) => named(type, typeName));
          return `rpc ${named(each.name, word)} (${asked}${input}) returns (${answered}${output});`;
        }),
      ),
    ),
    '',
  ].join('\n');
}

function messageText(message: MessageDescriptor, isThird: boolean, depth: number): string {
  if (depth > deepest) throw new Error(`${shown(message.name)} is nested deeper than ${deepest} levels`);
  const entries = message.nested_type.filter(({ options }) => options?.map_entry === true);
  const fields = new Map<number | undefined, string[]>();
  for (const field of message.field) {
    const isOptional = field.proto3_optional === true;
    const oneof = isOptional || !Object.hasOwn(field, 'oneof_index') ? undefined : field.oneof_index;
    const entry = entries.find(({ name }) => field.type === messageType && field.type_name?.endsWith(`.${name}`));
    const text = entry === undefined ? fieldText(field, isThird, oneof !== undefined) : mapText(field, entry);
    fields.set(oneof, [...(fields.get(oneof) ?? []), text]);
  }
  return blockText(`message ${named(message.name, word)}`, [
    ...message.enum_type.map(enumText),
    ...message.nested_type
      .filter((each) => !entries.includes(each))
      .map((each) => messageText(each, isThird, depth + 1)),
    ...(fields.get(undefined) ?? []),
    ...message.oneof_decl.flatMap(({ name }, at) =>
      fields.has(at) ? [blockText(`oneof ${named(name, word)}`, fields.get(at) as string[])] : [],
    ),
  ]);
}

function fieldText(field: FieldDescriptor, isThird: boolean, isInOneof: boolean): string {
  const { name, number, label, options, default_value: value, json_name: json } = field;
  const isRepeated = label === labels.repeated;
  const rule = isRepeated
    ? 'repeated '
    : label === labels.required
      ? 'required '
      : !isInOneof && (!isThird || field.proto3_optional === true)
        ? 'optional '
        : '';
  const said = [
    ...(isRepeated && options && Object.hasOwn(options, 'packed') && isWrittenPacked(field)
      ? [`packed = ${options.packed}`]
      : []),
    ...(!isThird && value !== undefined && value !== '' ? defaultText(field, value) : []),
    ...(json === undefined || json === '' ? [] : [`json_name = ${quoted(json)}`]),
  ];
  const more = said.length === 0 ? '' : ` [${said.join(', ')}]`;
  return `${rule}${typeText(field)} ${named(name, word)} = ${whole(number)}${more};`;
}

function isWrittenPacked({ type }: FieldDescriptor): boolean {
  return ![messageType, scalarTypes['string'], scalarTypes['bytes']].includes(type);
}

/** Bytes keep no default: none is needed to read messages. */
function defaultText({ type }: FieldDescriptor, value: string): readonly string[] {
  if (type === scalarTypes['bytes']) return [];
  if (type === scalarTypes['string']) return [`default = ${quoted(value)}`];
  return /^[\w.+-]{1,100}$/.test(value) ? [`default = ${value}`] : [];
}

function mapText({ name, number }: FieldDescriptor, { field }: MessageDescriptor): string {
  const [key, value] = [1, 2].map((place) => field.find((each) => each.number === place));
  if (key === undefined || value === undefined) throw new Error(`${shown(name)} is not a map`);
  return `map<${typeText(key)}, ${typeText(value)}> ${named(name, word)} = ${whole(number)};`;
}

function typeText({ name, type, type_name: of }: FieldDescriptor): string {
  if (type === messageType || type === enumType) return named(of ?? '', typeName);
  const scalar = scalars.get(type);
  if (scalar === undefined) throw new Error(`${shown(name)} is of a kind that is not read (${whole(type)})`);
  return scalar;
}

function enumText({ name, value, options }: EnumDescriptor): string {
  return blockText(`enum ${named(name, word)}`, [
    ...(options?.allow_alias === true ? ['option allow_alias = true;'] : []),
    ...value.map((each) => `${named(each.name, word)} = ${whole(each.number)};`),
  ]);
}

function blockText(head: string, lines: readonly string[]): string {
  return `${head} {\n${lines.join('\n')}\n}`;
}

const word = /^[A-Za-z_]\w{0,199}$/;
const typeName = /^\.?[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*$/;
const fileName = /^[\w./+-]{1,300}$/;

function named(name: string, form: RegExp): string {
  if (name.length <= 500 && form.test(name) && !/(?:^|[./])__proto__(?:$|[./])/.test(name)) return name;
  throw new Error(`${shown(name)} is not a name`);
}

function whole(number: number): number {
  if (Number.isInteger(number)) return number;
  throw new Error(`${String(number)} is not a whole number`);
}

function quoted(text: string): string {
  return JSON.stringify(text.toWellFormed());
}

function shown(text: string): string {
  return JSON.stringify(text.slice(0, 100));
}
