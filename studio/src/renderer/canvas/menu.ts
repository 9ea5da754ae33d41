import type { MenuItem } from '../shell/menus.ts';
import type { Studio } from '../shell/studio.ts';
import { fixesAt } from './building/fixes.ts';
import type { Canvas } from './canvas.ts';
import { type OutlinePlace, stopPlaceOf } from './graph/places.ts';

/** What can be done with a place of the canvas, and with the canvas. */
export function placeMenu(studio: Studio, canvas: Canvas, place: OutlinePlace | undefined, x: number, y: number): void {
  const fixes = place === undefined ? Promise.resolve([]) : fixesAt(studio, place);
  fixes.then(
    (found) => showMenu(studio, canvas, place, found, x, y),
    (error: unknown) => studio.notices.failed(error),
  );
}

/** Shows what can be done about the problems of a place. */
export async function fixMenu(studio: Studio, place: OutlinePlace, x: number, y: number): Promise<void> {
  const items = await fixesAt(studio, place);
  if (items.length > 0) studio.menus.show({ label: 'Quick fixes', x, y, items });
  else studio.notices.show('info', 'There is no fix for a problem of this place that could be made here.');
}

function showMenu(
  { menus, commands }: Studio,
  canvas: Canvas,
  place: OutlinePlace | undefined,
  fixes: readonly MenuItem[],
  x: number,
  y: number,
): void {
  const run = (id: string, argument?: unknown) => () => commands.run(id, argument);
  const flow = place?.flow;
  const items: (MenuItem | undefined)[] = fixes.length > 0 ? [...fixes, undefined] : [];
  if (place) {
    items.push({ title: 'Show in text', icon: 'code', keys: 'escape', run: run('canvas.showText') });
    items.push({ title: 'Properties', icon: 'gear', run: run('canvas.properties') });
  }
  if (flow) {
    const isOpen = canvas.open.value.has(flow.id);
    items.push({
      title: isOpen ? 'Close flow' : 'Open flow',
      icon: 'flow',
      run: () => canvas.setOpen(flow.id, !isOpen),
    });
  }
  if (flow) items.push({ title: 'Add stage here …', icon: 'plus', keys: 'a', run: run('canvas.addStage') });
  if (place?.connector?.word === 'connector')
    items.push({ title: 'New flow from here …', icon: 'flow', keys: 'n', run: run('canvas.flowFrom') });
  if (place && stopPlaceOf(place))
    items.push({
      title: 'Toggle breakpoint',
      icon: 'breakpoint',
      keys: 'b',
      run: () => canvas.toggleBreakpoint(place.id),
    });
  if (items.length > 0) items.push(undefined);
  items.push(
    { title: 'Add connector', icon: 'plus', run: run('canvas.addConnector') },
    { title: 'Add flow', icon: 'plus', run: run('canvas.addFlow') },
    undefined,
    { title: 'Tidy', icon: 'graph', run: run('canvas.tidy') },
  );
  menus.show({ label: place === undefined ? 'Canvas' : ((flow ?? place.connector)?.name ?? 'Canvas'), x, y, items });
}
