import { type BlockSpec, block } from '@svc/protocol/schema';
import { aspect } from './aspects/spec.ts';
import type { StageDescriptor } from './pipeline/descriptor.ts';
import { order } from './pipeline/order.ts';
import { saga } from './sagas/spec.ts';
import { flow } from './spec.ts';

export const constants = block({
  doc: 'Values that every file and every expression reads as `constants.<name>`. Each attribute is one of them.',
  repeated: true,
  example: 'constants {\n  page_size = 50\n}',
});

/** The root form of a reusable block: the same, with a name that `use` refers to. */
type Definition<S> = Omit<S, 'label' | 'repeated' | 'required' | 'example'> & {
  readonly label: { readonly name: 'name'; readonly doc: string };
  readonly repeated: true;
  readonly required: false;
  readonly example: undefined;
};

function definition<S extends BlockSpec>(spec: S): Definition<S> {
  return {
    ...spec,
    label: { name: 'name', doc: 'Name that `use` refers to.' },
    repeated: true,
    required: false,
    example: undefined,
  };
}

type Described = (typeof order)[number];
type Union<U> = (U extends unknown ? (each: U) => void : never) extends (all: infer I) => void ? I : never;
type Reusable<D> = D extends { readonly word: infer W extends string; readonly block: { readonly reusable: true } }
  ? W
  : never;
type Definitions<B> = { readonly [W in keyof B]: Definition<B[W]> };

/** Blocks of their own that stages bring to the root. */
type Roots = Union<NonNullable<Described['root']>>;

/** Blocks of stages that `use` may refer to. */
type Definables = { readonly [D in Described as Reusable<D>]: D['block'] } & Union<NonNullable<Described['reusable']>>;

const stages: readonly StageDescriptor[] = order;
const roots = Object.fromEntries(stages.flatMap(({ root = {} }) => Object.entries(root))) as unknown as Roots;
const definitions = Object.fromEntries(
  stages.flatMap(({ word, block: own, reusable = {} }) => {
    const all = word !== undefined && own?.reusable === true ? { [word]: own, ...reusable } : reusable;
    return Object.entries(all).map(([name, spec]) => [name, definition(spec)]);
  }),
) as unknown as Definitions<Definables>;

/** Root blocks of the flow language by word. */
export const rootBlocks = { flow, aspect, saga, ...roots, constants, ...definitions } as const;

/** Words of root blocks that exist to be referenced. */
export const namedRoots: readonly string[] = Object.entries<BlockSpec>({ ...roots, ...definitions }).flatMap(
  ([word, { label }]) => (label === undefined ? [] : word),
);

/** Root words of the language that are not implemented: refused by name. */
export const unavailableRootBlocks: readonly string[] = [];
