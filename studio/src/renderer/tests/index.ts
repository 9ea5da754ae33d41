import type { Studio } from '../shell/studio.ts';
import { Store } from '../state/store.ts';
import { TestActions } from './actions.ts';
import { coverageOf } from './coverage.ts';
import { testResult } from './result-view.tsx';
import { testsSide } from './side-view.tsx';
import { testsOf } from './test-runs.ts';
import { TestWatch } from './watching.ts';

/** The tests of the project: run, debugged, compared, accepted, and what they reach. */
export function contributeTests(studio: Studio): void {
  const { contributions, commands, layout, announce } = studio;
  const runs = testsOf(studio);
  const coverage = coverageOf(studio);
  const actions = new TestActions(studio);
  const watch = new TestWatch(studio, runs);
  const onlyFailed = new Store(false);
  const badge = new Store<{ readonly count: number } | undefined>(undefined);
  const count = () => {
    const { length } = runs.failed;
    if (length !== (badge.value?.count ?? 0)) badge.set(length === 0 ? undefined : { count: length });
  };
  runs.states.subscribe(count);
  runs.catalog.tests.subscribe(count);
  contributions.addSideView({
    id: 'tests',
    title: 'Tests',
    icon: 'test',
    order: 35,
    view: testsSide({ actions, watch, onlyFailed }),
    badge,
  });
  contributions.addPanel({
    id: 'test-result',
    title: 'Test result',
    order: 30,
    place: 'left',
    view: testResult(actions),
  });
  // What is drawn in texts comes with them.
  void import('./text-marks.ts').then(({ markTexts }) => markTexts(studio, actions));
  const isIdle = () => runs.activity.value === 'none';
  const hasTests = () => runs.catalog.tests.value.length > 0;
  const whyNot = () => (isIdle() ? 'there is no test' : 'tests run already');
  const atCaret = { enabled: () => isIdle() && actions.atCaret() !== undefined, whyNot };
  commands.add(
    { id: 'tests.show', title: 'View: Tests', run: () => layout.showSide('tests') },
    {
      id: 'tests.runAll',
      title: 'Tests: Run All',
      keys: 'alt+shift+r',
      enabled: () => isIdle() && hasTests(),
      whyNot,
      run: () => {
        layout.showSide('tests');
        return runs.run();
      },
    },
    {
      id: 'tests.runFailed',
      title: 'Tests: Run Failed',
      enabled: () => isIdle() && runs.failed.length > 0,
      whyNot: () => (isIdle() ? 'no test failed' : 'tests run already'),
      run: () => runs.run(runs.failed),
    },
    {
      id: 'tests.runAtCaret',
      title: 'Tests: Run the Test at the Caret',
      keys: 'alt+r',
      ...atCaret,
      run: () => {
        const test = actions.atCaret();
        if (test === undefined) return;
        actions.select(test);
        return runs.run([test]);
      },
    },
    {
      id: 'tests.debugAtCaret',
      title: 'Tests: Debug the Test at the Caret',
      keys: 'alt+shift+d',
      ...atCaret,
      run: () => {
        const test = actions.atCaret();
        return test && runs.debug(test);
      },
    },
    {
      id: 'tests.stop',
      title: 'Tests: Stop',
      enabled: () => !isIdle(),
      whyNot: () => 'no test runs',
      run: () => runs.stop(),
    },
    {
      id: 'tests.watch',
      title: 'Tests: Run Again When Files Are Saved',
      run: () => {
        watch.set(!watch.isOn.value);
        announce(watch.isOn.value ? 'Tests run when files are saved.' : 'Tests run when you ask for them.');
      },
    },
    {
      id: 'tests.filterFailed',
      title: 'Tests: Show Failed Only',
      run: () => onlyFailed.set(!onlyFailed.value),
    },
    {
      id: 'tests.coverage',
      title: 'Tests: Show Coverage',
      run: async () => {
        coverage.isShown.set(!coverage.isShown.value);
        if (!coverage.isShown.value) return;
        if (coverage.last.value === undefined && isIdle() && hasTests()) await runs.run();
      },
    },
    {
      id: 'tests.accept',
      title: 'Tests: Expect What Came in the Shown Result',
      enabled: () => runs.stateOf(runs.selected.value ?? '').outcome?.problems.some((each) => each.accept) === true,
      whyNot: () => 'nothing of the shown result can be accepted',
      run: async () => {
        const test = runs.testOf(runs.selected.value);
        const problems = runs.stateOf(test?.id ?? '').outcome?.problems.filter((each) => each.accept) ?? [];
        if (test !== undefined) await runs.accept(test, problems);
      },
    },
  );
}
