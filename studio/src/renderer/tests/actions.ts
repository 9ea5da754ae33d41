import { editorsOf } from '../editor/editors.ts';
import { revealOffsets } from '../editor/reveal.ts';
import type { MenuItem } from '../shell/menus.ts';
import type { Studio } from '../shell/studio.ts';
import type { WrittenTest } from './catalog.ts';
import { testsOf } from './test-runs.ts';

/** What people do with tests; failures are shown. */
export class TestActions {
  readonly #studio: Studio;

  constructor(studio: Studio) {
    this.#studio = studio;
  }

  run = (tests?: readonly WrittenTest[]): void => this.#attempt(testsOf(this.#studio).run(tests));

  debug = (test: WrittenTest): void => this.#attempt(testsOf(this.#studio).debug(test));

  stop = (): void => this.#attempt(testsOf(this.#studio).stop());

  /** Opens the text of a test. */
  show = ({ file, start, end }: WrittenTest, takesFocus = true): void =>
    this.#attempt(revealOffsets(this.#studio, file, start, end, takesFocus));

  /** Shows how a test ended. */
  select = ({ id }: WrittenTest): void => {
    const { layout } = this.#studio;
    testsOf(this.#studio).selected.set(id);
    layout.showPanel('test-result', 'left');
  };

  /** The test at the caret of the text that has the focus. */
  atCaret(): WrittenTest | undefined {
    const active = editorsOf(this.#studio).active.value;
    const position = active?.editor.getPosition();
    if (active === undefined || position == null) return undefined;
    return testsOf(this.#studio).catalog.at(active.document.path, active.document.model.getOffsetAt(position));
  }

  menuOf(test: WrittenTest): readonly MenuItem[] {
    const { activity } = testsOf(this.#studio);
    const refused = activity.value === 'none' ? undefined : 'tests run already';
    return [
      { title: 'Run the test', icon: 'play', keys: 'alt+r', refused, run: () => this.run([test]) },
      { title: 'Debug the test', icon: 'bug', keys: 'alt+shift+d', refused, run: () => this.debug(test) },
      { title: 'Show its result', icon: 'test', run: () => this.select(test) },
      { title: 'Show its text', icon: 'code', run: () => this.show(test) },
    ];
  }

  #attempt(work: Promise<void>): void {
    work.catch((error: unknown) => this.#studio.notices.failed(error, 'tests'));
  }
}
