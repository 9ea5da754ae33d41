import type { StudioWindow } from '../../support/studio-window.ts';

/** What the main thread of a page did, in milliseconds of the processor: the turns of other programs are left out. */
export interface Traced {
  /** Of each frame that did something: scripts, styles and layout. */
  readonly frames: readonly number[];
  /** The longest task. */
  readonly longest: number;
  /** The longest task by the clock, with the turns of other programs. */
  readonly longestByClock: number;
}

interface TraceEvent {
  readonly name: string;
  /** `X` for what has a duration. */
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  /** Microseconds by the clock. */
  readonly ts: number;
  readonly dur?: number;
  /** Microseconds of the processor. */
  readonly tdur?: number;
}

const marks = { begin: 'the measure begins', end: 'the measure ends' } as const;
/** What ends a frame: the page hands it to the screen. */
const endOfFrame = 'Commit';
const scriptsAndLayout = new Set([
  ...['FunctionCall', 'EvaluateScript', 'FireAnimationFrame', 'EventDispatch', 'TimerFire', 'RunMicrotasks'],
  ...['HandlePostMessage', 'UpdateLayoutTree', 'Layout'],
]);

/** Records what a page does while something is done with it, by the tracing of the browser. */
export async function traced(page: StudioWindow['page'], work: () => Promise<unknown>): Promise<Traced> {
  const browser = await page.context().browser()!.newBrowserCDPSession();
  const events: TraceEvent[] = [];
  browser.on('Tracing.dataCollected', ({ value }) => events.push(...(value as unknown as TraceEvent[])));
  const isComplete = new Promise<void>((resolve) => browser.once('Tracing.tracingComplete', () => resolve()));
  const includedCategories = ['devtools.timeline', 'disabled-by-default-devtools.timeline', 'blink.user_timing'];
  await browser.send('Tracing.start', { transferMode: 'ReportEvents', traceConfig: { includedCategories } });
  await page.evaluate(`performance.mark(${JSON.stringify(marks.begin)})`);
  await work();
  await page.evaluate(`performance.mark(${JSON.stringify(marks.end)})`);
  await browser.send('Tracing.end');
  await isComplete;
  await browser.detach();
  return read(events);
}

function read(events: readonly TraceEvent[]): Traced {
  const begin = events.find(({ name }) => name === marks.begin);
  const end = events.find(({ name }) => name === marks.end);
  if (begin === undefined || end === undefined) throw new Error('the browser recorded nothing of the page');
  const own = events
    .filter(({ pid, tid, ts }) => pid === begin.pid && tid === begin.tid && ts > begin.ts && ts < end.ts)
    .toSorted((a, b) => a.ts - b.ts);
  const tasks = own.filter(({ name, ph }) => name === 'RunTask' && ph === 'X');
  const most = (of: (task: TraceEvent) => number) => tasks.reduce((sum, task) => Math.max(sum, of(task)), 0) / 1000;
  const longest = most(({ tdur, dur = 0 }) => tdur ?? dur);
  return { frames: framesOf(own), longest, longestByClock: most(({ dur = 0 }) => dur) };
}

function framesOf(events: readonly TraceEvent[]): readonly number[] {
  const frames: number[] = [];
  // What is inside of something that is counted is counted with it.
  let [sum, until] = [0, 0];
  for (const { name, ph, ts, dur = 0, tdur = dur } of events) {
    if (name === endOfFrame) {
      frames.push(sum / 1000);
      sum = 0;
    }
    if (ph !== 'X' || !scriptsAndLayout.has(name) || ts < until) continue;
    sum += tdur;
    until = ts + dur;
  }
  return [...frames, sum / 1000].filter((time) => time > 0);
}
