import type { OutlineFlow, OutlineStage } from '@svc/protocol/language';

/** How a stage is called in its lane. */
export interface StageTitle {
  readonly title: string;
  /** What says most about it; empty where there is nothing more to say. */
  readonly detail: string;
}

/** The step that an action of a saga carries out, or that a compensation undoes; undefined elsewhere. */
export function sagaStepOf({ word, name }: OutlineStage): string | undefined {
  return word === 'action' || word === 'compensate' ? name.slice(0, -(word.length + 1)) : undefined;
}

/**
 * A stage in the words of the text: the step by its name, everything else by the word of its block. What one block does
 * at two places, such as a cache, is called by what it does there.
 */
export function titleInLane(stage: OutlineStage, { stages }: OutlineFlow): StageTitle {
  const { word, name, detail, family, range } = stage;
  const step = sagaStepOf(stage);
  if (step !== undefined) return { title: step, detail: word === 'compensate' ? 'compensate' : detail };
  if (family === 'gather' && name !== '') return { title: name, detail };
  if (family === 'deliver' && name !== '' && name !== word) return { title: `${word} ${name}`, detail };
  const isTwice = stages.some((one) => one !== stage && one.word === word && one.range.start === range.start);
  return { title: isTwice && stage.stage !== undefined ? stage.stage.replaceAll('_', ' ') : word, detail };
}
