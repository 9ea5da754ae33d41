import type { Declaration, Project } from '@svc/protocol/model';
import type { Values } from '@svc/protocol/schema';
import { compileGlob } from './glob.ts';
import { aspect, type Phase } from './spec.ts';

export type AspectDeclaration = Declaration<Values<typeof aspect>>;

/** The aspects of one flow by phase, each in the order in which they run; those around it from the outside inwards. */
export type SelectedAspects = Readonly<Record<Phase, readonly AspectDeclaration[]>>;

/** The aspects whose patterns match the name of a flow; undefined when no aspect matches. */
export function aspectsOf(flow: string, project: Project): SelectedAspects | undefined {
  const matching = project
    .all('aspect', aspect)
    .filter((each) => matches(each, flow))
    .sort((a, b) => a.values.priority - b.values.priority);
  if (matching.length === 0) return undefined;
  const of = (phase: Phase) => matching.filter(({ values }) => values.when === phase);
  return {
    before: of('before'),
    after: of('after').reverse(),
    around: of('around'),
    on_error: of('on_error'),
    on_drop: of('on_drop'),
  };
}

/** Whether an aspect applies to flows of this name. Invalid patterns were refused when the project was checked. */
export function matches({ values }: AspectDeclaration, flow: string): boolean {
  // A refused attribute is absent, although it is required.
  const patterns: readonly string[] | undefined = values.on;
  return (patterns ?? []).some((pattern) => {
    const glob = compileGlob(pattern);
    return 'matches' in glob && glob.matches(flow);
  });
}
