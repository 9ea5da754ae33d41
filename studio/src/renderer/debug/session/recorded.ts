import type { Variables } from '@svc/protocol/wire';
import type { Thread } from './thread.ts';

/**
 * What a run that has ended held, as its events said: its input, what its steps and enrichments gave, what its rules
 * made of them, and what was answered. Lists and maps of events are cut earlier than those of a stop.
 */
export function recordedVariables({ input, stages, values, ended }: Thread): Variables {
  const made: Record<string, unknown> = {};
  for (const { stage, target, result, error } of values.values())
    if (stage === 'transform' && error === '') made[target] = result;
  const results = (stage: string) => {
    const done = stages.filter((run) => run.stage === stage && run.durationUs !== undefined && run.error === '');
    return Object.fromEntries(done.map(({ name, output }) => [name, output]));
  };
  return {
    input,
    output: made,
    steps: results('step'),
    enriched: results('enrich'),
    forced: [],
    ...(ended !== undefined && ended.error === '' && ended.dropped === undefined
      ? { others: { answer: ended.output } }
      : {}),
  };
}
