import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { folderWith } from '../support/folder.ts';
import { freePort } from '../support/free-port.ts';
import { chromium } from '../support/servers/chromium.ts';
import { bringUp } from '../support/servers/index.ts';
import { openStudio, type StudioWindow } from '../support/studio-window.ts';
import { measureEditing } from './studio/editing.ts';
import { measureIdle } from './studio/idle.ts';
import { largeMap } from './studio/large-map.ts';
import { measureMap } from './studio/map.ts';
import { measureOpening } from './studio/opening.ts';
import { servePages } from './studio/pages.ts';
import { largeService, measurePicture } from './studio/picture.ts';
import { projectOf } from './studio/project.ts';
import { measureRuns } from './studio/runs.ts';
import { measureLargeStart, measureStart } from './studio/start.ts';
import { measureStops, stoppingService } from './studio/stops.ts';

/*
 * What the built studio costs in a real browser, beside references of the same run. Run with `node test/bench/studio.ts`;
 * words choose parts: `node test/bench/studio.ts start idle`.
 */

type Pages = Awaited<ReturnType<typeof servePages>>;
type Measure = (browser: string, pages: Pages) => Promise<void>;

const parts: Readonly<Record<string, Measure>> = {
  start: (browser, { empty }) => withStudio(browser, projectOf(100, 1), (studio) => measureStart(studio, empty)),
  large: (browser, { empty }) =>
    withStudio(browser, folderWith(largeMap), (studio) => measureLargeStart(studio, empty)),
  opening: (browser) => withStudio(browser, projectOf(3, 3), measureOpening),
  editing: (browser, { bareEditor }) =>
    withStudio(browser, projectOf(100, 0), (studio) => measureEditing(studio, bareEditor)),
  picture: (browser, { bareFlow }) =>
    withStudio(browser, folderWith(largeService), (studio) => measurePicture(studio, bareFlow)),
  map: (browser, { bareFlow }) => withStudio(browser, folderWith(largeMap), (studio) => measureMap(studio, bareFlow)),
  stops: async (browser) => {
    const port = await freePort();
    const work = (studio: StudioWindow) => measureStops(studio, `http://127.0.0.1:${port}`);
    await withStudio(browser, folderWith(stoppingService), work, { PORT: String(port) });
  },
  runs: async (browser, { empty }) => {
    const port = await freePort();
    const work = (studio: StudioWindow) => measureRuns(studio, `http://127.0.0.1:${port}`, empty);
    await withStudio(browser, folderWith(stoppingService), work, { PORT: String(port) });
  },
  idle: (browser, { empty }) => withStudio(browser, projectOf(100, 1), (studio) => measureIdle(studio, empty)),
};

const words = process.argv.slice(2);
const ground = await bringUp([chromium]);
const [found] = ground.found;
if (found === undefined || 'missing' in found) {
  console.log(`  NOT MEASURED: there is no Chromium here: ${found?.missing}`);
} else {
  const pages = await servePages();
  try {
    for (const [name, measure] of Object.entries(parts))
      if (words.length === 0 || words.includes(name)) await measure(found.address, pages);
  } finally {
    await pages.close();
    await ground.tearDown();
  }
}

/** A window on a folder, which goes with it. */
async function withStudio(
  browser: string,
  directory: string,
  work: (studio: StudioWindow) => Promise<void>,
  env: Readonly<Record<string, string>> = {},
): Promise<void> {
  const script = join(import.meta.dirname, 'studio', 'probe.js');
  const studio = await openStudio({ directory, browser, script, env });
  try {
    await work(studio);
  } finally {
    await studio.close();
    rmSync(directory, { recursive: true, force: true });
  }
}
