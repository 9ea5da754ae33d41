import autocannon from 'autocannon';
import type { StudioWindow } from '../../support/studio-window.ts';
import { until } from '../../support/until.ts';
import { residentMemory } from '../side.ts';
import { print, type Times } from './figures.ts';
import { mebibytes, processOf } from './idle.ts';
import { openFile, timed } from './timed.ts';

const runs = 30;
const flood = 10_000;
/** Milliseconds between runs that come by themselves: the page shows one of a flood for a quarter of a second. */
const apart = 300;
/** Milliseconds until memory is read. */
const quiet = 20_000;

/** From the answer of a run that did not stop to the timeline of it on the screen; what 10,000 runs leave in a window. */
export async function measureRuns({ page, context }: StudioWindow, address: string, empty: string): Promise<void> {
  const other = await context.newPage();
  await other.goto(empty);
  await page.bringToFront();
  await openFile(page, 'count.hcl');
  await page.keyboard.press('F5');
  await page.getByRole('button', { name: /^Trust .+ and start it$/ }).click();
  await page.getByRole('button', { name: /^Service: Running/ }).waitFor();
  await page.getByRole('toolbar', { name: 'Debug' }).getByText('Running', { exact: true }).waitFor();
  await page.getByRole('tab', { name: 'Timeline' }).click();
  const arrived: number[] = [];
  const shown: number[] = [];
  for (let run = 1; run <= runs; run++) {
    const is = `document.querySelector('[aria-label="Stages of count #${run}"]') !== null`;
    const both = `Promise.all([probe.there(() => ${is}), probe.painted(() => ${is})]).then((times) => times.map((at) => performance.timeOrigin + at))`;
    let answered = 0;
    const [there = 0, painted = 0] = await timed<number[]>(page, both, async () => {
      await fetch(`${address}/count/word${run}`).then((response) => response.text());
      answered = performance.timeOrigin + performance.now();
    });
    arrived.push(Math.max(0, there - answered));
    shown.push(Math.max(0, painted - answered));
    await page.evaluate(`new Promise((resolve) => setTimeout(resolve, ${apart}))`);
  }
  print('end of a run to its timeline in the page', arrived, '16 ms');
  print('end of a run to the paint of its timeline', shown, '16 ms and a frame', [
    'a key that does nothing to its paint',
    await keysOf(page),
  ]);

  const [own, beside] = [await processOf(page), await processOf(other)];
  await autocannon({ url: `${address}/count/word`, connections: 4, amount: flood });
  const most = mebibytes(own);
  // Of a flood some runs are left out by the service. The one behind it is shown.
  await fetch(`${address}/count/behind`).then((response) => response.text());
  await until(async () => (await page.evaluate("probe.says('[role=tree][aria-label=Variables]', 'behind')")) === true);
  // The browser frees what threads of the page left as soon as it has time.
  await page.waitForTimeout(quiet);
  const session = await context.newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  console.log(
    `  ${quiet / 1000} s after ${flood} runs: window ${mebibytes(own)} (target: 300 MB), of it scripts ` +
      `${Math.round(usedSize / 2 ** 20)} MiB; when the last of them ended ${most}; an empty page ${mebibytes(beside)}`,
  );
  if (residentMemory(own) === undefined) console.log('    NOT MEASURED: this system does not say what a process holds');
  await other.close();
}

async function keysOf(page: StudioWindow['page']): Promise<Times> {
  const keys: number[] = [];
  for (let run = 0; run < runs; run++)
    keys.push(await timed(page, 'probe.keyToPaint()', () => page.keyboard.press('Shift')));
  return keys;
}
