import type { StudioWindow } from '../../support/studio-window.ts';
import { cpuSeconds, residentMemory } from '../side.ts';

const seconds = 10;

/** What a window costs that shows a text of 100 files while nothing is done, beside an empty page. */
export async function measureIdle({ page, context, pid }: StudioWindow, empty: string): Promise<void> {
  await page.getByRole('treeitem', { name: 'service.hcl' }).click();
  await page.locator('.view-line').first().waitFor();
  const other = await context.newPage();
  await other.goto(empty);
  await page.bringToFront();
  const [own, beside] = [await processOf(page), await processOf(other)];
  await page.waitForTimeout(5_000);
  const before = [own, pid].map((each) => cpuSeconds(each) ?? 0);
  await page.waitForTimeout(seconds * 1_000);
  const after = [own, pid].map((each) => cpuSeconds(each) ?? 0);
  const [window, host] = after.map(
    (each, index) => `${(((each - (before[index] as number)) / seconds) * 100).toFixed(1)} %`,
  );
  console.log(
    `  100 files, idle: window ${mebibytes(own)}, host ${mebibytes(pid)} (target: together 350 MB); ` +
      `an empty page ${mebibytes(beside)}; processor window ${window}, host ${host} (target: 0.5 %)`,
  );
}

export function mebibytes(pid: number): string {
  return `${Math.round(residentMemory(pid) ?? 0)} MiB`;
}

/** The process of a page: the one that works while the page does. */
export async function processOf(page: StudioWindow['page']): Promise<number> {
  const browser = await page.context().browser()!.newBrowserCDPSession();
  const times = async () => {
    const { processInfo } = await browser.send('SystemInfo.getProcessInfo');
    return new Map(processInfo.filter(({ type }) => type === 'renderer').map(({ id, cpuTime }) => [id, cpuTime]));
  };
  const before = await times();
  await page.evaluate('for (const end = performance.now() + 500; performance.now() < end; );');
  const worked = [...(await times())].map(([id, time]) => ({ id, time: time - (before.get(id) ?? 0) }));
  await browser.detach();
  return worked.toSorted((a, b) => b.time - a.time)[0]!.id;
}
