import type { Studio } from '../shell/studio.ts';
import { keyOf, type Mark } from './breakpoints.ts';
import type { Debugger } from './debugger.ts';
import type { Stops } from './stops.ts';

/** Sets or removes the breakpoint that a line means; says where it went when it is another line. */
export function toggleAt(studio: Studio, stops: Stops, path: string, line: number): void {
  const stop = stops.onLine(path, line);
  if (stop === undefined) return studio.announce('No flow can stop at or below this line.');
  studio.debug.breakpoints.toggle(stop);
  const state = studio.debug.breakpoints.marks.value.has(keyOf(stop)) ? 'set' : 'removed';
  const elsewhere = stop.line === line ? '' : `, the next place where the flow can stop`;
  studio.announce(`Breakpoint ${state} at line ${stop.line}${elsewhere}.`);
}

/** The breakpoint in a line, else the one that a line would mean. */
function markAt({ studio, stops }: Debugger, path: string, line: number): Mark | undefined {
  const stop = stops.onLine(path, line);
  const { value } = studio.debug.breakpoints.marks;
  const here = [...value.values()].find((mark) => {
    const at = stops.find(mark);
    return at?.file === path && at.line === line;
  });
  return here ?? (stop && value.get(keyOf(stop)));
}

/** Opens the form of the breakpoint that a line means, which is set first when it is not. */
export function editAt(owner: Debugger, path: string, line: number): void {
  const { studio, stops, edited } = owner;
  if (markAt(owner, path, line) === undefined) toggleAt(studio, stops, path, line);
  edited.set(markAt(owner, path, line));
}

/** Offers what can be done about the breakpoint of a line. */
export function showMenu(owner: Debugger, path: string, line: number, x: number, y: number): void {
  const { studio, stops } = owner;
  const { breakpoints } = studio.debug;
  const mark = markAt(owner, path, line);
  const edit = {
    title: mark ? 'Edit breakpoint…' : 'Set breakpoint with condition…',
    run: () => editAt(owner, path, line),
  };
  const toggle = {
    title: mark ? 'Remove breakpoint' : 'Set breakpoint',
    keys: 'f9',
    run: () => toggleAt(studio, stops, path, line),
  };
  const flip = mark && {
    title: mark.isEnabled ? 'Turn breakpoint off' : 'Turn breakpoint on',
    run: () => breakpoints.set({ ...mark, isEnabled: !mark.isEnabled }),
  };
  studio.menus.show({ label: `Line ${line}`, x, y, items: [toggle, edit, ...(flip ? [flip] : [])] });
}
