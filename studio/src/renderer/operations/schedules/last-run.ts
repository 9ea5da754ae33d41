import { debugOf } from '../../debug/session/session.ts';
import type { Thread } from '../../debug/session/thread.ts';
import type { Studio } from '../../shell/studio.ts';

/** Looks at the last run of a flow that is kept, as at a thread that has ended. Rejects when none is kept. */
export async function showLastRun(studio: Studio, flow: string): Promise<void> {
  const { language, layout } = studio;
  const { model } = debugOf(studio);
  const [run] = await language.askValues('runs', `flow == ${JSON.stringify(flow)}`);
  const kept = run && (model.thread(run.id) ?? (await language.askValues('run', run.id))?.thread);
  if (kept === undefined)
    throw new Error(`No run of ${flow} is kept: those are that end while this window is attached.`);
  model.lookAt(kept as Thread);
  layout.showPanel('timeline', 'left');
}
