import type { StudioWindow } from '../../support/studio-window.ts';
import { milliseconds, percentile } from './figures.ts';
import { openFile } from './timed.ts';
import { type Traced, traced } from './tracing.ts';

type Page = StudioWindow['page'];

/** Opens, drags and zooms a picture of 300 flows, beside a graph of the library alone that is moved the same way. */
export async function measureMap({ page, context }: StudioWindow, bareFlow: string): Promise<void> {
  const bare = await context.newPage();
  await bare.goto(bareFlow);
  await bare.locator('.react-flow__node').first().waitFor();
  const dragged = await traced(bare, () => drag(bare));
  const zoomed = await traced(bare, () => zoom(bare));
  await bare.close();
  await page.bringToFront();
  await openFile(page, 'flow_150.hcl');
  // While something moves, as it does where a person works, every frame ends: what is done in slices is not one long one.
  await page.evaluate('probe.frames()');
  const opened = await traced(page, () => open(page));
  print('opened at the current flow', opened);
  await page.evaluate('probe.stop()');
  const near = await traced(page, () => drag(page));
  print('dragged among flows', near, dragged);
  const levels = await traced(page, () => zoom(page));
  print('zoomed from flows to groups and back', levels, zoomed);
  await page.locator('.canvas').focus();
  await page.keyboard.press('0');
  await page.locator('.group-box.far').first().waitFor();
  await settled(page);
  const far = await traced(page, () => drag(page));
  print('dragged from afar', far, dragged);
  const all = [opened, near, levels, far];
  print('all of this', {
    frames: all.flatMap(({ frames }) => frames),
    longest: Math.max(...all.map(({ longest }) => longest)),
    longestByClock: Math.max(...all.map(({ longestByClock }) => longestByClock)),
  });
}

function print(what: string, { frames, longest, longestByClock }: Traced, beside?: Traced): void {
  const of = (traced: Traced['frames']) => milliseconds(traced.length === 0 ? 0 : percentile(traced, 0.95));
  const reference =
    beside === undefined
      ? ''
      : `; the library alone with 1000 boxes: ${of(beside.frames)}, longest task ${milliseconds(beside.longest)}`;
  console.log(
    `  300 flows, ${what}: scripts and layout of a frame, 95th percentile ${of(frames)} of ${frames.length} (target: 8 ms), ` +
      `longest task ${milliseconds(longest)}, by the clock ${milliseconds(longestByClock)} (target: 50 ms)${reference}`,
  );
}

async function open(page: Page): Promise<void> {
  await page.keyboard.press('Control+Alt+c');
  await page.locator('.flow-node').filter({ hasText: 'flow_150' }).first().waitFor();
  await settled(page);
}

async function drag(page: Page): Promise<void> {
  const box = (await page.locator('.react-flow__pane').first().boundingBox())!;
  const [x, y] = [box.x + 12, box.y + box.height - 12];
  await page.mouse.move(x, y);
  await page.mouse.down();
  for (let step = 0; step < 100; step++) await page.mouse.move(x + 4 * (step % 50), y - 2 * (step % 50));
  await page.mouse.up();
  await settled(page);
}

async function zoom(page: Page): Promise<void> {
  const box = (await page.locator('.react-flow__pane').first().boundingBox())!;
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  for (let step = 0; step < 80; step++) await page.mouse.wheel(0, step % 40 < 20 ? 60 : -60);
  await settled(page);
}

/** As many frames as slices of what is in sight take. */
async function settled(page: Page): Promise<void> {
  await page.evaluate(
    'new Promise((resolve) => { let left = 30; const look = () => (--left > 0 ? requestAnimationFrame(look) : resolve()); look(); })',
  );
}
