import type { AttributeSpec } from './attribute.ts';
import { type BlockSpec, type BodyRule, writtenName } from './block.ts';
import { type ConnectorSpec, pathsOf, type SentField, type SourceSpec, type WhereWritten } from './connector.ts';

/** How a value of this attribute is written, in a few words: `duration`, `list of text`, `"a" or "b"`. */
export function kindText(spec: AttributeSpec): string {
  switch (spec.kind) {
    case 'flag':
      return 'bool';
    case 'oneOf':
      return (spec.choices ?? []).map((choice) => JSON.stringify(choice)).join(', ');
    case 'reference':
      return spec.refersTo === 'storage' ? 'name of a cache connector' : `name of a ${spec.refersTo}`;
    case 'list':
      return `list of ${kindText(spec.element as AttributeSpec)}`;
    case 'map':
      return `map of ${kindText(spec.element as AttributeSpec)}`;
    case 'cel':
      return spec.gives === undefined ? 'CEL' : `CEL giving ${spec.gives}`;
    case 'argument':
      if (spec.form === 'key') return 'text, or CEL where it reads the message or holds `+`, `(` or quotes';
      return spec.marked ? 'constants, CEL in `cel("…")`' : 'constants, CEL where the message is read';
    case 'template':
      return spec.orExpression ? 'CEL, or text with `${CEL}` parts' : 'text with `${CEL}` parts';
    case 'value':
      return 'any constant';
    default:
      return spec.kind;
  }
}

/** The default as it would be written, or undefined when it is absent. */
export function defaultText(spec: AttributeSpec): string | undefined {
  if (spec.default === undefined) return undefined;
  if (spec.kind === 'duration' && typeof spec.default === 'number') return `"${durationText(spec.default)}"`;
  if (spec.kind === 'size' && typeof spec.default === 'number') return `"${sizeText(spec.default)}"`;
  return JSON.stringify(spec.default);
}

/** Milliseconds as they would be written. */
export function durationText(milliseconds: number): string {
  for (const [unit, factor] of [
    ['d', 86_400_000],
    ['h', 3_600_000],
    ['m', 60_000],
    ['s', 1000],
  ] as const)
    if (milliseconds >= factor && milliseconds % factor === 0) return `${milliseconds / factor}${unit}`;
  return milliseconds === 0 ? '0s' : `${milliseconds}ms`;
}

function sizeText(bytes: number): string {
  for (const [unit, factor] of [
    ['GB', 1024 ** 3],
    ['MB', 1024 ** 2],
    ['KB', 1024],
  ] as const)
    if (bytes >= factor && bytes % factor === 0) return `${bytes / factor}${unit}`;
  return String(bytes);
}

/** One attribute as Markdown: a heading line, how it is written, what it means. */
export function describeAttribute(name: string, spec: AttributeSpec): string {
  const facts = [
    kindText(spec),
    spec.required ? 'required' : undefined,
    defaultText(spec) === undefined ? undefined : `default \`${defaultText(spec)}\``,
    spec.min === undefined ? undefined : `at least ${boundText(spec, spec.min)}`,
    spec.max === undefined ? undefined : `at most ${boundText(spec, spec.max)}`,
    spec.secret ? 'secret' : undefined,
    spec.aliases.length === 0 ? undefined : `also written ${spec.aliases.map((alias) => `\`${alias}\``).join(', ')}`,
    spec.reads === undefined || spec.reads.length === 0
      ? undefined
      : `reads ${spec.reads.map((variable) => `\`${variable}\``).join(', ')}`,
  ].filter((fact) => fact !== undefined);
  const example = spec.example === undefined ? '' : ` Example: \`${name} = ${spec.example}\`.`;
  return `- \`${name}\` (${facts.join('; ')}): ${spec.doc}${example}`;
}

function boundText(spec: AttributeSpec, bound: number): string {
  return spec.kind === 'duration' ? durationText(bound) : spec.kind === 'size' ? sizeText(bound) : String(bound);
}

/** One block as Markdown with all blocks inside it; `level` is the depth of its heading. */
export function describeBlock(path: readonly string[], spec: BlockSpec, level = 1): string {
  const word = path.at(-1) ?? '';
  const label = spec.over ? ' "name" in "expression"' : spec.label === undefined ? '' : ` "${spec.label.name}"`;
  const lines = [
    `${'#'.repeat(Math.min(level, 6))} ${level === 1 ? '' : `${path.slice(1).join(' › ')}: `}\`${word}${label}\``,
    '',
    spec.doc,
  ];
  if (spec.label) lines.push('', `The label: ${spec.label.doc}`);
  const notes = [
    spec.required ? 'It must be written.' : undefined,
    spec.repeated && spec.label ? 'It may be written several times.' : undefined,
    spec.asAttribute ? `It may be written as an attribute too: \`${word} = { … }\`.` : undefined,
    spec.shorthand ? `\`${word} = …\` sets its \`${spec.shorthand}\` alone.` : undefined,
    spec.reusable
      ? `\`use = "${word}.<name>"\` takes over a definition written at the root as \`${word} "<name>" { … }\`.`
      : undefined,
  ].filter((note) => note !== undefined);
  if (notes.length > 0) lines.push('', notes.join(' '));
  lines.push(...describeBody(spec));
  for (const [name, inner] of Object.entries(spec.blocks))
    if (!path.includes(name)) lines.push('', describeBlock([...path, name], inner, level + 1));
  return lines.join('\n');
}

function describeBody(spec: BlockSpec): string[] {
  const lines: string[] = [];
  const attributes = Object.entries(spec.attributes);
  if (attributes.length > 0)
    lines.push('', ...attributes.map(([name, attribute]) => describeAttribute(name, attribute)));
  if (spec.fields) lines.push('', `Any other attribute (${kindText(spec.fields)}): ${spec.fields.doc}`);
  if (spec.dependent)
    lines.push('', 'Further words come from the connector that it names; the page of each connector lists them.');
  if (spec.rules.length > 0) lines.push('', ...spec.rules.map((rule) => `- ${ruleText(rule)}`));
  if (spec.example !== undefined) lines.push('', '```hcl', spec.example.trim(), '```');
  return lines;
}

/** The words that a connector adds, each body once with all places that have it. */
function placesOfWords({ words }: ConnectorSpec): ReadonlyMap<BlockSpec, readonly string[]> {
  const places = new Map<BlockSpec, string[]>();
  for (const [at, body] of Object.entries(words)) places.set(body, [...(places.get(body) ?? []), `\`${at}\``]);
  return places;
}

function describeInner({ blocks }: BlockSpec): string[] {
  return Object.entries(blocks).flatMap(([name, inner]) => ['', describeBlock(['', name], inner, 3)]);
}

function alternatives(values: readonly unknown[]): string {
  return values.map((value) => JSON.stringify(value) ?? 'not written').join(' or ');
}

function ruleText(rule: BodyRule): string {
  const names = 'names' in rule ? rule.names.map((name) => `\`${name}\``).join(', ') : '';
  switch (rule.rule) {
    case 'exactlyOneOf':
      return `Exactly one of ${names} is written.`;
    case 'atLeastOneOf':
      return `At least one of ${names} is written.`;
    case 'atMostOneOf':
      return `At most one of ${names} is written.`;
    case 'together':
      return `\`${rule.name}\` needs ${rule.needs.map((name) => `\`${name}\``).join(', ')} beside it.`;
    case 'requiredWhen':
      return `\`${rule.name}\` is required when \`${rule.when}\` is ${alternatives(rule.is)}${rule.beside === undefined ? '' : ` and \`${rule.beside}\` is written`}.`;
    case 'onlyWhen':
      return `\`${writtenName(rule)}\` is written only when \`${rule.when}\` is ${alternatives(rule.is)}.`;
    case 'inOrder':
      return `\`${rule.low}\` is not above \`${rule.high}\`.`;
    case 'refused':
      return `\`${rule.name}\` cannot be ${'is' in rule ? alternatives([rule.is]) : 'written'}: ${rule.says}.`;
  }
}

/** One connector as Markdown: what it is, its block, how flows use it, its operations. */
export function describeConnector(spec: ConnectorSpec): string {
  const driver = spec.driver === undefined ? '' : `, ${spec.driverWord ?? 'driver'} \`${spec.driver}\``;
  const lines = [`# Connector \`${spec.type}\`${driver}`, '', spec.config.doc, ...describeBody(spec.config)];
  for (const [name, inner] of Object.entries(spec.config.blocks))
    lines.push('', describeBlock([spec.type, name], inner, 2));
  if (spec.source) {
    const { operation, input } = spec.source;
    const need =
      typeof operation === 'string'
        ? { required: 'must be written', optional: 'may be written', none: 'is not written' }[operation]
        : `must be written unless ${pathsOf(operation)
            .map((path) => `\`${path.join('.')}\``)
            .join(' or ')} is`;
    lines.push(
      '',
      '## As a source',
      '',
      `\`from.operation\` ${need}.`,
      '',
      ...promisesOf(spec.source).map((promise) => `- ${promise}`),
    );
    const variables = Object.entries(input);
    if (variables.length > 0)
      lines.push('', 'What a flow gets:', '', ...variables.map(([name, doc]) => `- \`input.${name}\`: ${doc}`));
  }
  if (spec.target) {
    const { abilities, needsOneOf, message } = spec.target;
    const facts = [
      `It can ${abilities.join(', ')}.`,
      needsOneOf.length > 0
        ? `A \`to\` names at least one of ${needsOneOf.map((name) => `\`${name}\``).join(', ')}.`
        : undefined,
    ].filter((fact) => fact !== undefined);
    lines.push('', '## As a destination, step or enrichment', '', facts.join(' '));
    if (message !== undefined)
      lines.push('', 'What is sent has these fields:', '', ...Object.entries(message).map(describeField));
  }
  for (const [words, places] of placesOfWords(spec))
    lines.push('', `## Words of its own on ${places.join(', ')}`, ...describeBody(words), ...describeInner(words));
  if (spec.storage) lines.push('', '## As storage', '', 'It may be named where a block asks for a cache connector.');
  if (spec.operation) lines.push('', describeBlock([spec.type, 'operation'], spec.operation, 2));
  return `${lines.join('\n')}\n`;
}

function describeField([name, { doc, spellings = [], required, byTarget }]: readonly [string, SentField]): string {
  const facts = [
    required ? 'required' : undefined,
    spellings.length === 0 ? undefined : `also written ${spellings.map(code).join(', ')}`,
    byTarget ? 'also given by `target`' : undefined,
  ].filter((fact) => fact !== undefined);
  return `- \`${name}\`${facts.length === 0 ? '' : ` (${facts.join('; ')})`}: ${doc}`;
}

/** What a source promises, in sentences: the same data that the program and the suites of tests go by. */
function promisesOf({
  style,
  answers,
  redelivers,
  contiguous,
  pulls,
  placement,
  coexists,
}: SourceSpec): readonly string[] {
  return [
    style === 'request' ? 'Answer: the caller waits for the answer of the flow.' : `Answer: ${heardText(answers)}`,
    ...(style === 'stream' ? [`Delivery: ${deliveryText(redelivers)}`] : []),
    ...(contiguous ? ['Restart: the first message that was not settled comes again, and everything behind it.'] : []),
    ...(style === 'stream'
      ? [
          `Debugger: ${pulls === undefined ? 'it can hold the source back; it cannot take one message on demand.' : `it can hold the source back, and take one message on demand${pulls === true ? '' : ` where ${writtenText(pulls)}`}.`}`,
        ]
      : []),
    `Several workers: ${placementText(placement)}`,
    coexists === false
      ? 'Reload: a changed block closes the connector before its successor opens.'
      : 'Reload: a changed block opens the successor before the connector closes.',
  ];
}

function heardText(answers: SourceSpec['answers']): string {
  if (answers === undefined) return 'no sender waits for the answer of the flow.';
  if ('except' in answers) {
    const unheard = answers.except.length === 0 ? '' : `, but for ${answers.except.map(code).join(', ')}`;
    return `the sender waits for the answer of the flow${unheard}.`;
  }
  const heard = answers.map((operation) => (operation === '*' ? 'flows without an operation' : code(operation)));
  return `the sender waits for the answer of the flow, for ${heard.join(' and ')}.`;
}

function placementText(placement: SourceSpec['placement']): string {
  if (placement === 'one-worker') return 'one of them runs it.';
  const spread = 'each of them runs it, and messages are spread over them';
  return placement === 'every-worker'
    ? `${spread}.`
    : `${spread}, where ${writtenText(placement.everyWorker)}. Otherwise one of them runs it.`;
}

function writtenText({ whereWritten }: WhereWritten): string {
  const names = whereWritten.map((path) => code(path.join('.')));
  return `${names.join(' or ')} is written`;
}

function deliveryText(redelivers: SourceSpec['redelivers']): string {
  const again = 'a message that was not settled is delivered again, so that a flow may see it twice';
  if (redelivers === undefined) return 'at most once. A message whose flow failed is not delivered again.';
  if (redelivers === true) return `at least once: ${again}.`;
  const conditions =
    'whereWritten' in redelivers
      ? [writtenText(redelivers)]
      : Object.entries(redelivers.where).map(
          ([name, values]) => `${code(name)} is ${values.map(String).map(code).join(' or ')}`,
        );
  return `at least once where ${conditions.join(' and ')}: ${again}. Otherwise what was not settled is lost with its connection.`;
}

function code(text: string): string {
  return `\`${text}\``;
}
