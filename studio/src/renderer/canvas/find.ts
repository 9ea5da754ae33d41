import type { Canvas } from './canvas.ts';
import type { OutlinePlace } from './graph/places.ts';

/** Whether a text holds what is sought, whatever the case of either. */
export function holds(text: string, sought: string): boolean {
  return text.toLowerCase().includes(sought.toLowerCase());
}

/** The ids of connectors, flows and stages whose words hold what is sought, in the order in which they are drawn. */
export function foundPlaces({ places }: Pick<Canvas, 'places'>, sought: string): readonly string[] {
  if (sought === '') return [];
  const isFound = (place: OutlinePlace) => holds(wordsOf(place), sought);
  return [...places.values()].filter(isFound).map(({ id }) => id);
}

function wordsOf({ connector, flow, stage, rule, aspect }: OutlinePlace): string {
  if (rule) return rule.target;
  if (stage) return `${stage.word} ${stage.name}`;
  if (flow) return `${flow.name} ${flow.source?.operation ?? ''}`;
  if (aspect) return `aspect ${aspect.name}`;
  return `${connector?.name} ${connector?.detail}`;
}
