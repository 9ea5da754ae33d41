import { flowsOf, type OutlineFlow } from '../debug/session/flow-map.ts';
import { revealOffsets } from '../editor/reveal.ts';
import type { Studio } from '../shell/studio.ts';

/** Shows where a flow, or a step of it, is written; undefined: the text does not have the flow. */
export function textOf(studio: Studio, flow: string, step?: string): (() => void) | undefined {
  const found = flowsOf(studio).flow(flow);
  if (found === undefined) return undefined;
  const show = async () => {
    const { start, end } = step === undefined ? found.selection : await stepIn(studio, found, step);
    await revealOffsets(studio, found.file, start, end);
  };
  return () => void show().catch((error: unknown) => studio.notices.failed(error));
}

/** The label of a step. */
async function stepIn({ language }: Studio, { file, range, name }: OutlineFlow, step: string) {
  const items = await language.ask('structure', [file]);
  const flow = items.find((item) => item.range.start >= range.start && item.range.end <= range.end);
  const found = flow?.children.find((item) => item.word === 'step' && item.name === step);
  if (found === undefined) throw new Error(`The text of ${name} has no step ${step}.`);
  return found.selection;
}
