import type { MetricsEntry } from '@svc/protocol/wire';
import type { DebugSession } from '../../debug/session/session.ts';
import { Store } from '../../state/store.ts';
import { LiveAnswer } from '../live-answer.ts';
import { figuresOf, type Look, looksWith } from './history.ts';
import { shownRate } from './look.ts';

/** What flows of the attached service do, as long as it is looked at. */
export class Metrics {
  readonly entry: LiveAnswer<MetricsEntry>;
  /** Of the last two minutes, the earliest first. */
  readonly looks = new Store<readonly Look[]>([]);
  /** `34 requests/s`. */
  readonly summary = new Store<string | undefined>(undefined);

  constructor(debug: Pick<DebugSession, 'call' | 'model' | 'isAttached'>, elapsed = () => performance.now()) {
    this.entry = new LiveAnswer(debug, 'metrics', () => debug.call('inspect.metrics', {}));
    let last: MetricsEntry | undefined;
    this.entry.state.subscribe(() => {
      const { value } = this.entry.state.value;
      if (value === last) return;
      last = value;
      this.looks.update((looks) => (value === undefined ? [] : looksWith(looks, { at: elapsed(), entry: value })));
      const { handledRate } = figuresOf(this.looks.value);
      this.summary.set(handledRate === undefined ? undefined : `${shownRate(handledRate)} requests/s`);
    });
  }
}
