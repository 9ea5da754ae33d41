import type { WorkflowDetail, WorkflowStep } from '@svc/protocol/wire';
import { flowsOf } from '../../debug/session/flow-map.ts';
import { useStudio } from '../../shell/studio.ts';
import { useStore } from '../../state/use-store.ts';
import { Icon } from '../../theme/icon.tsx';
import { fromNow, localTime, span } from '../moments.ts';
import { textOf } from '../place.ts';
import { lookOfStep } from './look.ts';

/** The steps of a workflow as they are written, each with how far it is; a click shows its text. */
export function Steps({ workflow, now }: { readonly workflow: WorkflowDetail; readonly now: number }) {
  const studio = useStudio();
  useStore(flowsOf(studio).outline);
  const { steps, flow } = workflow;
  if (steps.length === 0)
    return <p className="section-empty">The running configuration has no saga {flow}, so that it does not continue.</p>;
  return (
    <ol className="workflow-steps" aria-label="Steps">
      {steps.map((step) => (
        <Step key={step.name} step={step} workflow={workflow} now={now} open={textOf(studio, flow, step.name)} />
      ))}
    </ol>
  );
}

interface StepProps {
  readonly step: WorkflowStep;
  readonly workflow: WorkflowDetail;
  readonly now: number;
  readonly open: (() => void) | undefined;
}

function Step({ step, workflow, now, open }: StepProps) {
  const { name, status, at, tries, error } = step;
  const { icon, ink, text } = lookOfStep(status);
  const time = at === null ? undefined : Date.parse(at);
  return (
    <li className={`${ink} ${status}`}>
      <span className="step-mark">
        <Icon name={icon} size="small" />
      </span>
      <button
        type="button"
        className="step-name mono ellipsis"
        disabled={open === undefined}
        title={open === undefined ? 'The text has no such saga' : 'Show its text'}
        onClick={open}
      >
        {name}
      </button>
      <span className="step-status">
        {text}
        {tries !== null && tries > 1 && `, ${tries} tries`}
      </span>
      {time !== undefined && (
        <time className="numeric" dateTime={at ?? undefined} title={fromNow(time, now)}>
          {localTime(time, now)}
        </time>
      )}
      <WaitText step={step} workflow={workflow} now={now} />
      {error !== null && error !== workflow.error && <small className="step-error">{error}</small>}
    </li>
  );
}

/** What it waits for, or will wait for. */
function WaitText({ step, workflow, now }: Omit<StepProps, 'open'>) {
  const { status, awaits, delayMs } = step;
  if (status !== 'waiting' && status !== 'pending') return null;
  const until = (at: string | null) => (at === null ? 'never' : fromNow(Date.parse(at), now));
  const said =
    status === 'pending'
      ? [awaits && `waits for ${awaits}`, delayMs !== null && `waits for ${span(delayMs)}`]
      : [
          workflow.awaits && `for ${workflow.awaits}, times out ${until(workflow.expiresAt)}`,
          workflow.resumesAt !== null && `continues ${until(workflow.resumesAt)}`,
        ];
  const text = said.filter(Boolean).join('; ');
  return text === '' ? null : <small className="step-wait">{text}</small>;
}
