import type { BlockSpec, Values } from '@svc/protocol/schema';
import type { saga } from '../sagas/spec.ts';
import type { flow } from '../spec.ts';

/** A block whose result expressions read by its label. */
export interface ResultBlock {
  /** The variable that has the label as a field: `step`, `enriched`. */
  readonly variable: string;
  readonly values: { readonly label: string } & Values<BlockSpec>;
}

type Body = Values<typeof flow> | Values<typeof saga>;

/** Every block of a decoded flow or saga whose result is kept by its label, in the order of its spec, those inside too. */
export function resultBlocks(values: Body, spec: typeof flow | typeof saga): readonly ResultBlock[] {
  return inside(values as object, spec);
}

function inside(values: object, { blocks }: BlockSpec): readonly ResultBlock[] {
  return Object.entries(blocks).flatMap(([word, spec]) => {
    if (!holdsResults(spec)) return [];
    const written = (values as Readonly<Record<string, object | readonly object[] | undefined>>)[word] ?? [];
    const bodies: readonly object[] = Array.isArray(written) ? written : [written];
    const own = spec.result === undefined ? [] : bodies.map((body) => resultOf(body, spec.result as string));
    return [...own, ...bodies.flatMap((body) => inside(body, spec))];
  });
}

function resultOf(values: object, variable: string): ResultBlock {
  return { variable, values: values as ResultBlock['values'] };
}

/** Whether something of a block has a result; most blocks need not be looked into. */
function holdsResults(spec: BlockSpec): boolean {
  let known = holding.get(spec);
  if (known === undefined)
    holding.set(spec, (known = spec.result !== undefined || Object.values(spec.blocks).some(holdsResults)));
  return known;
}

const holding = new WeakMap<BlockSpec, boolean>();
