import { recordOf } from '../preferences/settings.ts';
import { serviceOf } from '../run/service.ts';
import type { Studio } from '../shell/studio.ts';
import type { DebugModel } from './session/model.ts';
import { debugOf } from './session/session.ts';
import { placeOf } from './status.tsx';

const key = 'svc-studio.debugged';
const topic = 'reload';

/** What a page leaves behind for the next one: where it was attached, and the threads that were paused. */
interface Left {
  readonly address: string;
  readonly paused: readonly { readonly id: string; readonly text: string }[];
}

/**
 * Says, after the page was loaded again, what became of the threads that were paused. The host has kept the connection,
 * so they are paused still; where the page does not attach by itself, it is offered.
 */
export function tellAfterReload(studio: Studio): void {
  const { project } = studio;
  const debug = debugOf(studio);
  const left = takeLeft();
  window.addEventListener('pagehide', () => keepLeft(debug.model));
  if (left === undefined) return;
  const stop = project.onFolder(() => {
    stop();
    tell(studio, left).catch(studio.commands.onFailure);
  });
}

async function tell(studio: Studio, { address, paused }: Left): Promise<void> {
  const { notices, bridge } = studio;
  const debug = debugOf(studio);
  const service = serviceOf(studio);
  const { model } = debug;
  await service.refresh();
  const { value: state } = service.state;
  const isOwn = state.kind === 'running' && state.debugAddress === address;
  if (isOwn) await isAnswered(model);
  if (isOwn && debug.isAttached) {
    const lines = paused.map(({ id, text }) =>
      model.thread(id)?.isPaused
        ? `${text} is still paused: the page was loaded again.`
        : `${text} was released while the page was loaded again.`,
    );
    if (lines.length > 0) notices.show('info', lines.join('\n'), [], topic);
    const over = model.state.subscribe(() => {
      if (paused.some(({ id }) => model.thread(id)?.isPaused)) return;
      over();
      notices.end(topic);
    });
    return;
  }
  const attach = async () => {
    await debug.attach(address);
    notices.end(topic);
  };
  const release = async () => {
    await bridge.call('debug.release', {});
    notices.end(topic);
  };
  const failed = (error: unknown) => notices.failed(error);
  const lines = [
    `The debugger was attached to ${address} before the page was loaded again.`,
    ...paused.map(({ text }) => `${text} was paused, and is until you attach again or let it run.`),
  ];
  const actions = [
    { title: 'Attach again', run: () => void attach().catch(failed) },
    { title: 'Let it run', run: () => void release().catch(failed) },
  ];
  notices.show('info', lines.join('\n'), actions, topic);
}

/** Resolves when the attempt to attach has succeeded or failed. */
function isAnswered({ state }: DebugModel): Promise<void> {
  const isOver = () => state.value.connection !== 'connecting';
  if (isOver()) return Promise.resolve();
  return new Promise((resolve) => {
    const stop = state.subscribe(() => {
      if (!isOver()) return;
      stop();
      resolve();
    });
  });
}

function keepLeft({ state }: DebugModel): void {
  const { address, connection, threads } = state.value;
  if (connection !== 'attached' || address === undefined) return;
  const paused = threads
    .filter(({ isPaused }) => isPaused)
    .map((thread) => ({ id: thread.id, text: `${thread.flow}: ${placeOf(thread)}` }));
  sessionStorage.setItem(key, JSON.stringify({ address, paused } satisfies Left));
}

function takeLeft(): Left | undefined {
  const kept = sessionStorage.getItem(key);
  sessionStorage.removeItem(key);
  if (kept === null) return undefined;
  const { address, paused } = recordOf(JSON.parse(kept)) ?? {};
  if (typeof address !== 'string' || !Array.isArray(paused)) return undefined;
  const known = paused
    .map(recordOf)
    .flatMap((each) => (each ? [{ id: String(each['id']), text: String(each['text']) }] : []));
  return { address, paused: known };
}
