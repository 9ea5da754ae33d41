import { flowsOf } from '../debug/session/flow-map.ts';
import { revealOffsets } from '../editor/reveal.ts';
import type { Studio } from '../shell/studio.ts';

/** Shows where a flow, or one of its stages, is written; undefined: the text does not have it. */
export function textOf(studio: Studio, flow: string, step?: string): (() => void) | undefined {
  const flows = flowsOf(studio);
  const found = flows.flow(flow);
  const stage =
    step === undefined ? undefined : found?.stages.find(({ word, name }) => word === 'step' && name === step);
  const place = step === undefined ? found && { file: found.file, range: found.selection } : stage;
  if (place === undefined) return undefined;
  const { file, range } = place;
  return () =>
    void revealOffsets(studio, file, range.start, range.end).catch((error: unknown) => studio.notices.failed(error));
}
