import type { OutlineFlow, OutlineStage, StageFamily } from '@svc/protocol/language';

/** The lanes of an open flow, in the order in which they are drawn. */
export const families: readonly StageFamily[] = ['gate', 'gather', 'shape', 'deliver'];

export const familyTitles: Readonly<Record<StageFamily, string>> = {
  gate: 'Gate',
  gather: 'Gather',
  shape: 'Shape',
  deliver: 'Deliver',
};

export function stagesByFamily({ stages }: OutlineFlow): ReadonlyMap<StageFamily, readonly OutlineStage[]> {
  return new Map(families.map((family) => [family, stages.filter((stage) => stage.family === family)]));
}
