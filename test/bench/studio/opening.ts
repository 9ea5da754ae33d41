import { rmSync } from 'node:fs';
import type { StudioWindow } from '../../support/studio-window.ts';
import { milliseconds, print, repeated } from './figures.ts';
import { projectOf } from './project.ts';
import { timed } from './timed.ts';

/** A folder opened in place of another, until its problems are on the screen. */
export async function measureOpening({ page }: StudioWindow): Promise<void> {
  const other = projectOf(2, 2);
  try {
    for (const { files, runs, target } of [
      { files: 100, runs: 30, target: '300 ms' },
      { files: 5_000, runs: 5, target: '5000 ms' },
    ]) {
      const directory = projectOf(files, 1);
      await page.evaluate('probe.blocks.length = 0');
      const opened = await repeated(runs, async () => {
        const small = await open(page, other, 2);
        await page.evaluate('probe.blocks.length = 0');
        const time = await open(page, directory, 1);
        return { small, time, blocks: await page.evaluate<number[]>('probe.blocks') };
      });
      const times = opened.map(({ time }) => time);
      print(`folder of ${files} files to its problems`, times, target, [
        'a folder of 2 files',
        opened.map(({ small }) => small),
      ]);
      const blocks = opened.flatMap((each) => each.blocks);
      const longest =
        blocks.length === 0 ? 'never' : `${blocks.length} times, at most ${milliseconds(Math.max(...blocks))}`;
      console.log(`    the window was blocked for more than 50 ms: ${longest} (target: never)`);
      rmSync(directory, { recursive: true, force: true });
    }
  } finally {
    rmSync(other, { recursive: true, force: true });
  }
}

/** Milliseconds from the key that opens a folder to the paint that shows how many errors it has. */
async function open(page: StudioWindow['page'], directory: string, errors: number): Promise<number> {
  await page.keyboard.press('Control+o');
  const field = page.getByLabel('Folder, by its whole path');
  await field.fill(directory);
  const shown = `.problem-counts[title*="${errors} error"]`;
  return timed(page, `probe.since('keydown', '${shown}')`, () => field.press('Enter'));
}
