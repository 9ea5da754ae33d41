import { type AttributeKind, type AttributeSpec, type BlockSpec, defaultText } from '../../schema/index.ts';
import { type Attribute, type Block, locate, sourceOf } from '../../syntax/index.ts';
import type { Diagnostic, Range, Severity } from '../../text/index.ts';
import { namesOf } from '../name-lookup.ts';
import { rangeOf } from '../outline/outline-stages.ts';
import type { FileState, ProjectState } from '../states.ts';
import type { WrittenBody } from '../written.ts';
import { type LiteralValue, literalOf } from './literal.ts';

/** `other`: a constant of any kind, or a value with a grammar of its own; it is edited as text. */
export type FieldKind = Exclude<AttributeKind, 'value' | 'expression'> | 'other';

/** What may be written for one attribute. */
export interface FormFact {
  readonly name: string;
  readonly kind: FieldKind;
  readonly required: boolean;
  readonly secret: boolean;
  readonly documentation: string;
  /** As it would be written. */
  readonly default: string | undefined;
  /** Choices, or the names that a reference may take; undefined when it is free. */
  readonly values: readonly (string | number)[] | undefined;
}

/** An attribute that is written. */
export interface FormField extends FormFact {
  /** The source of the value; empty while it is absent. */
  readonly text: string;
  /** What it says when it is a constant, the source of an expression, or that of a template. */
  readonly value: LiteralValue | undefined;
  /** The whole attribute. */
  readonly range: Range;
  readonly valueRange: Range | undefined;
  /** What is wrong with it; the worst when there is more. */
  readonly problem: FormProblem | undefined;
}

export interface FormProblem {
  readonly severity: Severity;
  readonly code: string;
  readonly message: string;
}

export interface FormBlock {
  readonly word: string;
  readonly label: string;
  readonly range: Range;
  readonly documentation: string;
}

export interface AvailableBlock {
  readonly word: string;
  readonly documentation: string;
  readonly required: boolean;
  /** What its label means; undefined when it has no label. */
  readonly label: string | undefined;
}

/** One block with everything that is and may be written in it. */
export interface Form {
  /** `to broker`: its word, with its label or the connector that it names. */
  readonly title: string;
  readonly word: string;
  readonly label: string;
  readonly file: string;
  readonly range: Range;
  readonly documentation: string;
  /** What is wrong with the block itself, such as an attribute that is missing. */
  readonly problems: readonly FormProblem[];
  readonly attributes: readonly FormField[];
  readonly children: readonly FormBlock[];
  /**
   * What may be added. `fields`: how attributes of names of one's own are written; undefined where there are no such
   * attributes.
   */
  readonly available: {
    readonly attributes: readonly FormFact[];
    readonly blocks: readonly AvailableBlock[];
    readonly fields: Omit<FormFact, 'name'> | undefined;
  };
}

/** The innermost block around an offset as a form; undefined outside of blocks. */
export function formAt(file: FileState, offset: number, state: ProjectState): Form | undefined {
  const body = bodyAround(file, offset);
  const { block, spec } = body;
  if (block === undefined) return undefined;
  const path = file.tree.file;
  const label = block.labels[0]?.text ?? '';
  const attributes = block.body.items.flatMap((item) =>
    item.kind === 'attribute' ? [fieldOf(item, body, file, state)] : [],
  );
  const head = { start: block.start, end: (block.labels.at(-1) ?? block.type).end };
  const named = attributes.find(({ kind, value }) => kind === 'reference' && typeof value === 'string')?.value;
  return {
    title: [block.type.text, label || named].filter((part) => part !== undefined && part !== '').join(' '),
    word: block.type.text,
    label,
    file: path,
    range: rangeOf(block),
    documentation: spec?.doc ?? '',
    problems: problemsIn(head, path, state),
    attributes,
    children: block.body.items.flatMap((item) =>
      item.kind === 'block'
        ? [
            {
              word: item.type.text,
              label: item.labels[0]?.text ?? '',
              range: rangeOf(item),
              documentation: spec?.blocks[item.type.text]?.doc ?? '',
            },
          ]
        : [],
    ),
    available: availableIn(block, spec, state),
  };
}

/** What is written of the innermost block around an offset; the root outside of blocks. */
export function bodyAround({ tree, written }: FileState, offset: number): WrittenBody {
  const innermost = locate(tree, offset).blocks.at(-1);
  return written.bodies.findLast(({ block }) => block === innermost) as WrittenBody;
}

function fieldOf(item: Attribute, body: WrittenBody, file: FileState, state: ProjectState): FormField {
  const { text, file: path } = file.tree;
  const { value, name } = item;
  const inner = body.spec?.blocks[name.text];
  const asBlock = inner && value?.kind === 'object';
  const spec = file.written.values.find((one) => one.name === name)?.spec;
  const fact = asBlock ? factOfBlock(name.text, inner) : factOf(name.text, spec, state);
  return {
    ...fact,
    text: value ? sourceOf(value, text) : '',
    value: literalOf(value, asBlock ? { ...unknown, kind: 'map', element: inner.fields } : spec, text),
    range: rangeOf(item),
    valueRange: value && rangeOf(value),
    problem: problemsIn(item, path, state)[0],
  };
}

const unknown: AttributeSpec = { kind: 'value', doc: '', required: false, secret: false, aliases: [] };

function factOf(name: string, spec: AttributeSpec = unknown, state: ProjectState): FormFact {
  const { kind, required, secret, doc, choices, refersTo } = spec;
  // Operations are those of one connector, or words that no connector declares.
  const isFree = refersTo === undefined || refersTo === 'operation';
  const names = isFree ? undefined : [...new Set(namesOf(refersTo, state).map((place) => place.name))];
  return {
    name,
    kind: kind === 'value' || kind === 'expression' ? 'other' : kind,
    required,
    secret,
    documentation: doc,
    default: defaultText(spec),
    values: choices ?? (kind === 'text' && names?.length === 0 ? undefined : names),
  };
}

/** A block that is written as an attribute with an object. */
function factOfBlock(name: string, { doc, required }: BlockSpec): FormFact {
  return { name, kind: 'map', required, secret: false, documentation: doc, default: undefined, values: undefined };
}

function availableIn({ body }: Block, spec: BlockSpec | undefined, state: ProjectState): Form['available'] {
  const written = new Set(body.items.map((item) => (item.kind === 'attribute' ? item.name : item.type).text));
  const attributes = Object.entries(spec?.attributes ?? {})
    .filter(([name, { aliases }]) => !written.has(name) && !aliases.some((alias) => written.has(alias)))
    .map(([name, attribute]) => factOf(name, attribute, state));
  const blocks = Object.entries(spec?.blocks ?? {})
    .filter(([word, { repeated }]) => repeated || !written.has(word))
    .map(([word, { doc, required, label }]) => ({ word, documentation: doc, required, label: label?.doc }));
  const { name: _, ...fields } = factOf('', spec?.fields, state);
  return { attributes, blocks, fields: spec?.fields && fields };
}

const rank: Readonly<Record<Severity, number>> = { error: 0, warning: 1, info: 2 };

/** The problems whose place is inside a range, the worst first. */
function problemsIn({ start, end }: Range, file: string, { diagnostics }: ProjectState): readonly FormProblem[] {
  const inside = (one: Diagnostic) => one.file === file && one.range.start >= start && one.range.end <= end;
  return diagnostics
    .filter(inside)
    .toSorted((a, b) => rank[a.severity] - rank[b.severity])
    .map(({ severity, code, message }) => ({ severity, code, message }));
}
