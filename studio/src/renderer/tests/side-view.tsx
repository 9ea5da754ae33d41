import { useMemo, useState } from 'react';
import { useStudio } from '../shell/studio.ts';
import { CommandButton } from '../shell/window/icon-button.tsx';
import { Section } from '../shell/window/section.tsx';
import type { Store } from '../state/store.ts';
import { useStore } from '../state/use-store.ts';
import type { TestActions } from './actions.ts';
import { coverageOf } from './coverage.ts';
import { tookText, totalsOf } from './results.ts';
import { testRows } from './rows.ts';
import { type TestRuns, testsOf } from './test-runs.ts';
import { TestTree } from './tree.tsx';
import type { TestWatch } from './watching.ts';

interface Shown {
  readonly actions: TestActions;
  readonly watch: TestWatch;
  readonly onlyFailed: Store<boolean>;
}

/** Makes the side view: the tests as they are written, and how each ended. */
export function testsSide({ actions, watch, onlyFailed }: Shown) {
  return function TestsSide() {
    const studio = useStudio();
    const runs = testsOf(studio);
    const tests = useStore(runs.catalog.tests);
    const states = useStore(runs.states);
    const activity = useStore(runs.activity);
    const selected = useStore(runs.selected);
    const isFiltered = useStore(onlyFailed);
    const isWatching = useStore(watch.isOn);
    const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
    const rows = useMemo(() => testRows(tests, states, closed, isFiltered), [tests, states, closed, isFiltered]);
    const toggle = (id: string) => setClosed((all) => (all.has(id) ? without(all, id) : new Set([...all, id])));
    const isBusy = activity !== 'none';
    return (
      <Section
        title="Tests"
        sub={tests.length === 0 ? undefined : String(tests.length)}
        fill
        tools={
          <>
            {isBusy ? (
              <CommandButton command="tests.stop" icon="stop" />
            ) : (
              <CommandButton command="tests.runAll" icon="play" />
            )}
            <CommandButton command="tests.watch" icon="eye" pressed={isWatching} />
            <CoverageButton />
          </>
        }
      >
        {tests.length === 0 ? (
          <NoTests />
        ) : (
          <>
            <Summary runs={runs} onlyFailed={onlyFailed} />
            {rows.length === 0 ? (
              <p className="section-empty">No test failed.</p>
            ) : (
              <TestTree {...{ rows, selected, isBusy, actions }} onToggle={toggle} />
            )}
          </>
        )}
      </Section>
    );
  };
}

function CoverageButton() {
  const isShown = useStore(coverageOf(useStudio()).isShown);
  return <CommandButton command="tests.coverage" icon="graph" pressed={isShown} />;
}

function Summary({ runs, onlyFailed }: { readonly runs: TestRuns; readonly onlyFailed: Store<boolean> }) {
  const isFiltered = useStore(onlyFailed);
  const coverage = coverageOf(useStudio());
  const states = useStore(runs.states);
  const activity = useStore(runs.activity);
  const last = useStore(coverage.last);
  const isShown = useStore(coverage.isShown);
  const { total, passed, failed, milliseconds } = totalsOf(runs.catalog.tests.value, states);
  const left = total - passed - failed;
  return (
    <div className="test-summary">
      <p role="status">
        {activity === 'run' && <span className="info ink">Running </span>}
        {activity === 'debug' && <span className="info ink">Debugging </span>}
        <button
          type="button"
          className={failed > 0 ? 'test-filter error ink' : 'test-filter'}
          aria-pressed={isFiltered}
          title="Show failed tests only"
          onClick={() => onlyFailed.set(!isFiltered)}
        >
          {failed} failed
        </button>
        <span className={passed > 0 ? 'ok ink' : ''}>{passed} passed</span>
        {left > 0 && `, ${left} not run`}
        {milliseconds > 0 && <small className="numeric"> {tookText(milliseconds)}</small>}
      </p>
      {isShown && last === undefined && <p className="aside">Coverage comes with the next run.</p>}
      {isShown && last !== undefined && (
        <dl className="test-coverage" aria-label="Coverage">
          {(['flows', 'stages', 'rules', 'conditions'] as const).map((kind) => (
            <div key={kind} title={`${last[kind].covered} of ${last[kind].total}`}>
              <dt>{kind === 'conditions' ? 'sides' : kind}</dt>
              <dd className="numeric">
                {last[kind].total === 0 ? '–' : `${Math.floor((100 * last[kind].covered) / last[kind].total)}%`}
              </dd>
            </div>
          ))}
        </dl>
      )}
    </div>
  );
}

function NoTests() {
  return (
    <div className="empty">
      <p>
        There is no test below <code>tests/</code> yet. A run of a flow becomes one with <em>Save as test</em> in its
        menu.
      </p>
      <code className="command-line">svc test</code>
    </div>
  );
}

function without(all: ReadonlySet<string>, id: string): ReadonlySet<string> {
  return new Set([...all].filter((each) => each !== id));
}
