import type { Studio } from '../../shell/studio.ts';
import type { Debugger } from '../debugger.ts';
import { debugOf } from '../session/session.ts';
import { keyOf, type Mark } from './breakpoints.ts';
import type { Stops } from './stops.ts';

/**
 * Removes the breakpoint that is set in a line; else sets the one that the line means, and says where it went when it
 * is another line. One of another line is never removed.
 */
export function toggleAt(studio: Studio, stops: Stops, path: string, line: number): void {
  const { breakpoints } = debugOf(studio);
  const own = markAt(studio, stops, path, line);
  if (own !== undefined) {
    breakpoints.remove(own);
    return studio.announce(`Breakpoint removed at line ${line}.`);
  }
  const stop = stops.onLine(path, line);
  if (stop === undefined) return studio.announce('No flow can stop at or below this line.');
  if (breakpoints.marks.value.has(keyOf(stop)))
    return studio.announce(`No flow can stop at line ${line}; the next place, line ${stop.line}, has a breakpoint.`);
  breakpoints.toggle(stop);
  const elsewhere = stop.line === line ? '' : `, the next place where the flow can stop`;
  const say = () => studio.announce(`Breakpoint set at line ${stop.line}${elsewhere}.`);
  // A request that is sent as soon as it is said stops there.
  const sent = debugOf(studio).whenSent();
  if (sent === undefined) say();
  else void sent.then(say);
}

/** The breakpoint that is set in a line, the outermost where several do. */
function markAt(studio: Studio, stops: Stops, path: string, line: number): Mark | undefined {
  const debug = debugOf(studio);
  const { value } = debug.breakpoints.marks;
  const here = [...value.values()].filter((mark) => {
    const at = stops.find(mark);
    return at?.file === path && at.line === line;
  });
  return here.find(({ ruleIndex }) => ruleIndex === -1) ?? here[0];
}

/** Opens the form of the breakpoint that a line means, which is set first when it is not. */
export function editAt({ studio, stops, edited }: Debugger, path: string, line: number): void {
  const stop = stops.onLine(path, line);
  const at = stop?.line ?? line;
  if (markAt(studio, stops, path, line) === undefined && markAt(studio, stops, path, at) === undefined)
    toggleAt(studio, stops, path, line);
  edited.set(markAt(studio, stops, path, line) ?? markAt(studio, stops, path, at));
}

/** Offers what can be done about the breakpoint of a line. */
export function showMenu(owner: Debugger, path: string, line: number, x: number, y: number): void {
  const { studio, stops } = owner;
  const { breakpoints } = debugOf(studio);
  const mark = markAt(studio, stops, path, line);
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
