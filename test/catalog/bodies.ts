import type { AttributeSpec, BlockSpec } from '@svc/protocol/schema';
import { vocabulary } from '@svc/runtime/vocabulary';

/** One block that may be written somewhere, with what has to be around it. */
export interface Body {
  /** `flow step`, `connector http retry`. */
  readonly title: string;
  readonly spec: BlockSpec;
  /** A configuration that holds the block with this content. */
  readonly around: (content: string) => string;
  /** A configuration that holds this whole block as it is written. */
  readonly holding: (block: string) => string;
}

/** A value that an attribute accepts, as it is written. */
export function sample(spec: AttributeSpec): string {
  if (spec.example !== undefined) return spec.example;
  switch (spec.kind) {
    case 'int':
    case 'float':
      return String(Math.max(spec.min ?? 1, 1));
    case 'flag':
      return 'true';
    case 'oneOf':
      return JSON.stringify(spec.choices?.[0]);
    case 'duration':
      return '"5s"';
    case 'size':
      return '"4KB"';
    case 'list':
      return `[${sample(spec.element as AttributeSpec)}]`;
    case 'map':
      return `{ a = ${sample(spec.element as AttributeSpec)} }`;
    case 'reference':
      return JSON.stringify(references[spec.refersTo ?? ''] ?? 'db');
    default:
      return '"a"';
  }
}

const references: Readonly<Record<string, string>> = {
  connector: 'db',
  storage: 'memory',
  type: 'order',
  flow: 'get_order',
  state_machine: 'ticket',
};

/** Attributes that repeat the label of a block. */
const names: Readonly<Record<string, string>> = { initial: '"name"', transition_to: '"name"' };

/** The attributes and blocks that must be written, but for one. */
function required(spec: BlockSpec, except: string): string {
  if (['flow', 'saga'].some((word) => spec === vocabulary.blocks[word]?.blocks['from']))
    return except === 'connector' ? '' : `connector = "api"\n${except === 'operation' ? '' : 'operation = "GET /x"\n'}`;
  // Tokens need a key: this preset makes one.
  if (spec === vocabulary.blocks['auth']) {
    // Identity providers send browsers back to it.
    const address = except === 'base_url' ? '' : 'base_url = "https://a.example.test"\n';
    return `${except === 'preset' ? 'secret = "a"' : 'preset = "strict"'}\n${address}`;
  }
  const attributes = Object.entries(spec.attributes)
    .filter(([name, attribute]) => (attribute.required || isFirstChoice(name, spec, except)) && name !== except)
    .map(([name, attribute]) => `${name} = ${names[name] ?? sample(attribute)}\n`);
  const blocks = Object.entries(spec.blocks)
    .filter(([word, block]) => (block.required || isFirstChoice(word, spec, except)) && word !== except)
    .map(([word, block]) => written(word, block, required(block, '')));
  return [...attributes, ...blocks].join('');
}

/** Whether a block or an attribute represents those of which one at least must be written, unless another of them is. */
function isFirstChoice(word: string, { rules }: BlockSpec, except: string): boolean {
  return rules.some(({ rule, ...each }) => {
    const names = 'names' in each ? each.names : [];
    return (rule === 'atLeastOneOf' || rule === 'exactlyOneOf') && names[0] === word && !names.includes(except);
  });
}

function written(word: string, { label, over }: BlockSpec, content: string): string {
  const labels = over ? ' "name" in "[1]"' : label ? ' "name"' : '';
  return `${word}${labels} {\n${content}}\n`;
}

function inside(parent: Body, word: string, spec: BlockSpec): Body {
  const holding = (block: string) => parent.around(`${required(parent.spec, word)}${block}\n`);
  return {
    title: `${parent.title} ${word}`,
    spec,
    around: (content) => holding(written(word, spec, content)),
    holding,
  };
}

/** A body and all blocks inside it, each once. */
function withInner(body: Body, seen: readonly BlockSpec[] = []): Body[] {
  if (seen.includes(body.spec)) return [];
  return [
    body,
    ...Object.entries(body.spec.blocks).flatMap(([word, spec]) =>
      withInner(inside(body, word, spec), [...seen, body.spec]),
    ),
  ];
}

/** Every block that may be written anywhere. */
export function bodies(): Body[] {
  const roots = Object.entries(vocabulary.blocks).map(([word, spec]) => ({
    title: word,
    spec,
    around: (content: string) => written(word, spec, content),
    holding: (block: string) => block,
  }));
  const connectors = vocabulary.connectors.flatMap((spec) => {
    const driver = spec.driver === undefined ? '' : `${spec.driverWord ?? 'driver'} = "${spec.driver}"\n`;
    const head = `type = "${spec.type}"\n${driver}`;
    const config: Body = {
      title: `connector ${spec.type} ${spec.driver ?? ''}`.trim(),
      spec: spec.config,
      around: (content) => `connector "name" {\n${head}${content}}\n`,
      holding: (block) => block,
    };
    const operation = spec.operation && inside(config, 'operation', spec.operation);
    return [...withInner(config), ...(operation ? withInner(operation) : [])];
  });
  const profiled: Body = {
    title: 'connector with profiles',
    spec: vocabulary.profiled,
    around: (content) => `connector "name" {\n${content}profile "a" {\ntype = "rest"\n}\n}\n`,
    holding: (block) => block,
  };
  const profile: Body = {
    title: 'profile',
    spec: vocabulary.everyProfile,
    around: (content) =>
      `connector "name" {\ndefault = "a"\nprofile "a" {\ntype = "http"\nbase_url = "http://a"\n${content}}\n}\n`,
    holding: (block) =>
      `connector "name" {\ndefault = "a"\nprofile "a" {\ntype = "http"\nbase_url = "http://a"\n${block}\n}\n}\n`,
  };
  return [...roots.flatMap((root) => withInner(root)), ...connectors, profiled, ...withInner(profile)];
}

/** The configuration that writes `name = value` in a body, and what else the body needs. */
export function writing(body: Body, name: string, value: string): string {
  return body.around(`${name} = ${value}\n${required(body.spec, name)}`);
}
