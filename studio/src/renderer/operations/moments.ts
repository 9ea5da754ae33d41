import { ago } from '../problems/list.ts';
import { clockTime } from '../values/values.ts';

const day = 86_400_000;
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** How long it is until then, or since then: `in 3 min`, `2 h ago`, `now`. */
export function fromNow(at: number, now: number): string {
  const until = at - now;
  if (Math.abs(until) < 1000) return 'now';
  if (until < 0) return `${span(-until)} ago`;
  return `in ${span(until)}`;
}

/** How long it takes: `3 min`, `7 days`. */
export function span(milliseconds: number): string {
  return milliseconds < 2 * day ? ago(milliseconds).replace(' ago', '') : `${Math.floor(milliseconds / day)} days`;
}

/** The time on the clock here; with its date when that is not today. */
export function localTime(at: number, now: number): string {
  const [then, today] = [new Date(at), new Date(now)];
  if (then.toDateString() === today.toDateString()) return clockTime(at);
  const year = then.getFullYear() === today.getFullYear() ? '' : ` ${then.getFullYear()}`;
  return `${then.getDate()} ${months[then.getMonth()]}${year}, ${clockTime(at)}`;
}
