import type { GivingRule, TestPlace, TestProblem } from '../../shared/tests.ts';
import { revealLine } from '../editor/reveal.ts';
import { useStudio } from '../shell/studio.ts';
import { useStore } from '../state/use-store.ts';
import { Icon } from '../theme/icon.tsx';
import type { TestActions } from './actions.ts';
import { Comparison } from './comparison.tsx';
import { looks } from './look.ts';
import { tookText, verdictOf } from './results.ts';
import { testsOf } from './test-runs.ts';

/** Makes the panel that shows how one test ended: what differs, the rule that gave it, and the calls. */
export function testResult(actions: TestActions) {
  return function TestResult() {
    const studio = useStudio();
    const runs = testsOf(studio);
    const tests = useStore(runs.catalog.tests);
    const selected = useStore(runs.selected);
    useStore(runs.states);
    const isBusy = useStore(runs.activity) !== 'none';
    const test = tests.find(({ id }) => id === selected);
    if (test === undefined) return <p className="panel-empty">Choose a test to see how it ended.</p>;
    const state = runs.stateOf(test.id);
    const { outcome } = state;
    const { icon, ink, label } = looks[verdictOf(state)];
    const acceptable = outcome?.problems.filter(({ accept }) => accept !== undefined) ?? [];
    const accept = (problems: readonly TestProblem[]) =>
      void runs.accept(test, problems).catch((error: unknown) => studio.notices.failed(error, 'tests'));
    return (
      <article className="test-result scrolls" aria-label={`Result of ${test.name}`}>
        <header>
          <span className={`ink ${ink}`}>
            <Icon name={icon} label={label} />
          </span>
          <b className="ellipsis">{test.name}</b>
          <span className="aside numeric">
            {label}
            {outcome && !state.isRunning && ` in ${tookText(outcome.milliseconds)}`}
          </span>
          <span className="right" />
          {acceptable.length > 1 && (
            <button type="button" className="button" onClick={() => accept(acceptable)}>
              Expect all {acceptable.length} as they came
            </button>
          )}
          <button type="button" className="button" disabled={isBusy} onClick={() => actions.run([test])}>
            Run
          </button>
          <button type="button" className="button" disabled={isBusy} onClick={() => actions.debug(test)}>
            Debug
          </button>
        </header>
        {outcome?.problems.map((problem, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two problems may be about the same
          <ProblemPart key={at} problem={problem} onAccept={() => accept([problem])} />
        ))}
        {outcome !== undefined && <Lines title="Calls" lines={outcome.calls} />}
        {outcome !== undefined && <Lines title="Log" lines={outcome.log} />}
        {outcome?.passed && outcome.calls.length === 0 && <p className="aside">It passed. The flow called nothing.</p>}
        {outcome === undefined && !state.isRunning && <p className="aside">It did not run yet.</p>}
      </article>
    );
  };
}

interface ProblemPartProps {
  readonly problem: TestProblem;
  readonly onAccept: () => void;
}

function ProblemPart({ problem, onAccept }: ProblemPartProps) {
  const { subject, expected, actual, at, notes, rule, accept } = problem;
  return (
    <section className="test-problem" aria-label={subject}>
      <div className="test-subject">
        <code>{subject}</code>
        <PlaceLink place={at} title="expected at" />
        <span className="right" />
        {accept !== undefined && (
          <button type="button" className="button" onClick={onAccept} title="Changes the text of the test">
            Expect what came
          </button>
        )}
      </div>
      <Comparison expected={expected} actual={actual} />
      {notes.map((note) => (
        <p key={note}>{note}</p>
      ))}
      {rule !== undefined && <RulePart rule={rule} />}
    </section>
  );
}

function RulePart({ rule: { flow, stage, name, target, expression, inputs, at } }: { readonly rule: GivingRule }) {
  return (
    <div className="test-rule">
      <p>
        <span className="aside">from </span>
        {flow} › {[stage, name].filter(Boolean).join(' ')} › {target} {at !== undefined && <PlaceLink place={at} />}
      </p>
      <pre className="mono">{expression}</pre>
      <dl className="mono">
        {Object.entries(inputs).map(([input, value]) => (
          <div key={input}>
            <dt>{input}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

function PlaceLink({
  place: { file, line = 1, column = 1 },
  title,
}: {
  readonly place: TestPlace;
  readonly title?: string;
}) {
  const studio = useStudio();
  const show = () =>
    void revealLine(studio, file, line, column - 1).catch((error: unknown) => studio.notices.failed(error));
  return (
    <button type="button" className="link" onClick={show}>
      {title !== undefined && `${title} `}
      {file}:{line}
    </button>
  );
}

function Lines({ title, lines }: { readonly title: string; readonly lines: readonly string[] }) {
  if (lines.length === 0) return null;
  return (
    <section className="test-lines" aria-label={title}>
      <h3>{title}</h3>
      {lines.map((line, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the same line may come twice
        <pre key={at} className="mono">
          {line}
        </pre>
      ))}
    </section>
  );
}
