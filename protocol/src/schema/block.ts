import type { AttributeSpec } from './attribute.ts';
import type { DependentWords } from './dependent.ts';

/** Rules between the attributes and blocks of one body that every reader of a spec understands. */
export type BodyRule =
  | { readonly rule: 'exactlyOneOf' | 'atLeastOneOf' | 'atMostOneOf'; readonly names: readonly string[] }
  /** When `name` is written, every one of `needs` must be too. */
  | { readonly rule: 'together'; readonly name: string; readonly needs: readonly string[] }
  /**
   * `name` is required when attribute `when` has one of the values, where `beside` is written too if it is named; undefined is
   * the value of one that is not written.
   */
  | {
      readonly rule: 'requiredWhen';
      readonly name: string;
      readonly when: string;
      readonly is: readonly unknown[];
      readonly beside?: string;
    }
  /** `name`, or that of the block `within`, may be written only where attribute `when` has one of the values: it has no effect elsewhere. */
  | {
      readonly rule: 'onlyWhen';
      readonly name: string;
      readonly within?: string;
      readonly when: string;
      readonly is: readonly unknown[];
    }
  /** Where both are written, `low` is not above `high`. */
  | { readonly rule: 'inOrder'; readonly low: string; readonly high: string }
  /** `name` may not have this value, or may not be written where there is no \`is\`; `says` is why. */
  | { readonly rule: 'refused'; readonly name: string; readonly is?: unknown; readonly says: string };

/** The name of an attribute with that of its block. */
export function writtenName({ name, within }: { readonly name: string; readonly within?: string }): string {
  return within === undefined ? name : `${within}.${name}`;
}

/** What the label of a block means. */
export interface BlockLabel {
  readonly name: string;
  readonly doc: string;
  /** It names a block of this kind (`mock "db"`), which several blocks may do; absent: it is the block's own name. */
  readonly refersTo?: string | undefined;
}

/** What may be written in one block. */
export interface BlockSpec {
  readonly doc: string;
  /** What the label means (`step "name"`). Absent: the block has no label. */
  readonly label?: BlockLabel | undefined;
  /** The block is written `word "name" in "expression"`; this is how the expression is read. */
  readonly over?: AttributeSpec | undefined;
  readonly required: boolean;
  /** The variable that has the block's label as a field: `step` where `step "user"` is read as `step.user`. */
  readonly result?: string | undefined;
  /** The variable that its fields build, one after another, so that each sees those above it. */
  readonly builds?: string | undefined;
  /** May be written several times; the code reads a list in written order, with unique labels when there are labels. */
  readonly repeated: boolean;
  readonly attributes: Readonly<Record<string, AttributeSpec>>;
  readonly blocks: Readonly<Record<string, BlockSpec>>;
  /** How attributes with names of the author's own choosing are read (mappings). Absent: such names are refused. */
  readonly fields?: AttributeSpec | undefined;
  /** A block in it whose word is not known is this one of its blocks, with the word as its label: `orders { … }`. */
  readonly entries?: string | undefined;
  /** What its fields are: parameters of what the block around it asks a connector for. */
  readonly keys?: 'parameters' | undefined;
  /** The same block may be written as an attribute with an object (`headers = { … }`). */
  readonly asAttribute: boolean;
  /** The block may be written as an attribute with the value of this one of its attributes: `filter = "…"`. */
  readonly shorthand?: string | undefined;
  /** A root block of the same name with a label is a definition that `use` refers to. */
  readonly reusable: boolean;
  /** Attributes and blocks that a reusable definition must carry. */
  readonly definitionNeeds: readonly string[];
  readonly rules: readonly BodyRule[];
  /** Further words come from the connector that one of its attributes names. */
  readonly dependent?: DependentWords | undefined;
  /** Words of the language that are not built: refused by name, never ignored. */
  readonly unavailable: readonly string[];
  readonly example?: string | undefined;
}

interface BlockOptions {
  readonly doc: string;
  readonly label?: BlockLabel;
  readonly over?: AttributeSpec;
  readonly result?: string;
  readonly builds?: string;
  readonly required?: boolean;
  readonly repeated?: boolean;
  readonly attributes?: Readonly<Record<string, AttributeSpec>>;
  readonly blocks?: Readonly<Record<string, BlockSpec>>;
  readonly fields?: AttributeSpec;
  readonly entries?: string;
  readonly keys?: 'parameters';
  readonly asAttribute?: boolean;
  readonly shorthand?: string;
  readonly reusable?: boolean;
  readonly definitionNeeds?: readonly string[];
  readonly rules?: readonly BodyRule[];
  readonly dependent?: DependentWords;
  readonly unavailable?: readonly string[];
  readonly example?: string;
}

const defaults = {
  required: false,
  repeated: false,
  attributes: {},
  blocks: {},
  asAttribute: false,
  reusable: false,
  definitionNeeds: [],
  rules: [],
  unavailable: [],
} as const;

/** Declares a block; what is left out of `options` is empty, optional and single. */
export function block<const O extends BlockOptions>(options: O): Omit<typeof defaults, keyof O> & O {
  return Object.freeze({ ...defaults, ...options }) as Omit<typeof defaults, keyof O> & O;
}
