import { layoutGraph } from '../../../studio/src/worker/layout-graph.ts';
import type { StudioWindow } from '../../support/studio-window.ts';
import { print, repeated } from './figures.ts';
import { timed } from './timed.ts';

type Page = StudioWindow['page'];

const connectors = 20;
const flows = 980;
/** Flows that lead somewhere, too: with these there are 1500 lines. */
const leading = 520;

/** A service whose picture has 1000 boxes and 1500 lines. */
export const largeService = {
  'service.hcl': `service {
  name = "large"
}
${Array.from({ length: connectors }, (_, index) => (index % 2 === 0 ? rest(index) : database(index))).join('')}`,
  'flows.hcl': Array.from({ length: flows }, (_, index) => flow(index)).join(''),
};

/** Moves the picture at the size at which all of it is in sight, beside a graph of the library alone. */
export async function measurePicture({ page, context }: StudioWindow, bareFlow: string): Promise<void> {
  const boxes = Array.from({ length: 1_000 }, (_, index) => {
    const column = index < connectors ? (index % 2 === 0 ? 0 : 2) : 1;
    return { id: String(index), width: 200, height: 40, column } as const;
  });
  const edges = Array.from({ length: 1_500 }, (_, index) =>
    index < flows
      ? { source: String((index % 10) * 2), target: String(connectors + index) }
      : { source: String(connectors + index - flows), target: String((index % 10) * 2 + 1) },
  );
  const layouts = await repeated(30, async () => {
    const began = performance.now();
    layoutGraph({ id: 1, nodes: boxes, edges });
    return performance.now() - began;
  });
  print('layout of 1000 boxes and 1500 lines', layouts, '400 ms, in a worker');

  const bare = await context.newPage();
  await bare.goto(bareFlow);
  await bare.locator('.react-flow__node').first().waitFor();
  const besideFrames = await moved(bare);
  await bare.close();
  await page.bringToFront();
  await page.getByRole('tree', { name: 'Files' }).waitFor();
  const drawn = await timed(page, "probe.since('keydown', '.react-flow__node')", () =>
    page.keyboard.press('Control+Alt+c'),
  );
  console.log(`  command to the picture: ${Math.round(drawn)} ms`);
  // Each flow by itself, as in the graph beside it.
  await page.getByRole('combobox', { name: 'Group flows' }).selectOption('No groups');
  await page.locator('.flow-node').first().waitFor();
  const frames = await moved(page);
  print('frame while it is dragged', frames.dragged, '16.7 ms', ['the library alone', besideFrames.dragged]);
  print('frame while it is zoomed', frames.zoomed, '16.7 ms', ['the library alone', besideFrames.zoomed]);
}

/** Milliseconds between frames while the pane is dragged, then zoomed by the wheel. */
async function moved(page: Page) {
  const box = (await page.locator('.react-flow__pane').first().boundingBox())!;
  const [x, y] = [box.x + 12, box.y + box.height - 12];
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.evaluate('probe.frames()');
  for (let step = 0; step < 100; step++) await page.mouse.move(x + 4 * (step % 50), y - 2 * (step % 50));
  const dragged = await page.evaluate<number[]>('probe.stop()');
  await page.mouse.up();
  await page.evaluate('probe.frames()');
  for (let step = 0; step < 60; step++) await page.mouse.wheel(0, step % 20 < 10 ? 60 : -60);
  return { dragged, zoomed: await page.evaluate<number[]>('probe.stop()') };
}

function rest(index: number): string {
  return `connector "c${index}" {
  type = "rest"
  port = ${3_000 + index}
}
`;
}

function database(index: number): string {
  return `connector "c${index}" {
  type     = "database"
  driver   = "sqlite"
  database = "c${index}.db"
}
`;
}

function flow(index: number): string {
  const to = `  to {
    connector = "c${(index % 10) * 2 + 1}"
    target    = "t${index}"
  }
`;
  return `flow "f${index}" {
  from {
    connector = "c${(index % 10) * 2}"
    operation = "POST /f${index}"
  }
${index < leading ? to : ''}}
`;
}
