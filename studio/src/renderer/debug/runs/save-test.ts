import { tabOf } from '../../shell/layout.ts';
import { clockTime } from '../../values/values.ts';
import type { Debugger } from '../debugger.ts';
import type { Thread } from '../session/thread.ts';
import type { RunAction } from './actions.ts';
import { wholeness } from './kept-whole.ts';
import { type MadeCall, testOf } from './test-text.ts';

/** Writes a run down as a test, and opens it. */
export function saveAsTest(owner: Debugger): RunAction {
  const { studio } = owner;
  return {
    id: 'test',
    title: 'Save as test',
    icon: 'test',
    refused: (thread) => {
      if (thread.ended === undefined || thread.cut) return 'The run has not ended.';
      const parts = [thread.input, thread.ended.output, ...callsOf(owner, thread).map(({ run }) => run.output)];
      return parts.some((part) => wholeness(part).isCut) ? 'Its values are too large to be kept whole.' : undefined;
    },
    run: async (thread) => {
      const { project, language, layout } = studio;
      const taken = new Set(project.entries.value.map(({ path }) => path));
      const base = `tests/${thread.flow.replaceAll(/\W+/g, '-')}`;
      let number = 1;
      while (taken.has(`${base}-${number}.hcl`)) number++;
      const path = `${base}-${number}.hcl`;
      const how = thread.ended?.error ? 'fails' : thread.ended?.dropped ? 'drops its message' : 'answers';
      const name = `${thread.flow} ${how} as it did at ${clockTime(thread.startedAt)}`;
      const document = await project.create(path, testOf(thread, callsOf(owner, thread), name));
      layout.open(tabOf('text', path));
      // Laid out as `svc fmt` does.
      document.apply(await language.ask('formatting', [path]));
      await project.save(path);
      studio.announce(`Saved as ${path}.`);
    },
  };
}

/** The calls of a run in their order: stages that name a connector of the project. */
function callsOf({ flows }: Debugger, { flow, stages }: Thread): readonly MadeCall[] {
  return stages.flatMap((run) => {
    const written = flows.stage(flow, run.stage, run.name);
    const connector = written && flows.connectorOf(written);
    const isCall = written?.family === 'gather' || run.stage === 'read' || run.stage === 'write';
    if (connector === undefined || !isCall || run.durationUs === undefined) return [];
    return [{ connector: connector.name, run, writes: run.stage === 'write' }];
  });
}
