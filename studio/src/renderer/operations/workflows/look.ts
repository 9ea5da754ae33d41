import type { WorkflowEvent, WorkflowStatus, WorkflowStep } from '@svc/protocol/wire';
import type { IconName } from '../../theme/icon.tsx';

interface Look {
  readonly icon: IconName;
  /** The class of its ink. */
  readonly ink: string;
  readonly text: string;
}

const looks: Readonly<Record<WorkflowStatus, Look>> = {
  running: { icon: 'play', ink: 'accent', text: 'Running' },
  waiting: { icon: 'hourglass', ink: 'info', text: 'Waiting' },
  compensating: { icon: 'undo', ink: 'warning', text: 'Being undone' },
  completed: { icon: 'okc', ink: 'ok', text: 'Completed' },
  failed: { icon: 'error', ink: 'error', text: 'Failed' },
  cancelled: { icon: 'stop', ink: 'faint', text: 'Cancelled' },
  compensation_failed: { icon: 'error', ink: 'error', text: 'Not undone' },
};

export function lookOf(status: WorkflowStatus): Look {
  return looks[status];
}

const stepLooks: Readonly<Record<WorkflowStep['status'], Look>> = {
  pending: { icon: 'minus', ink: 'faint', text: 'Not reached' },
  running: { icon: 'play', ink: 'accent', text: 'Running' },
  waiting: { icon: 'hourglass', ink: 'info', text: 'Waiting' },
  done: { icon: 'check', ink: 'ok', text: 'Done' },
  skipped: { icon: 'step-over', ink: 'warning', text: 'Skipped' },
  failed: { icon: 'close', ink: 'error', text: 'Failed' },
  cancelled: { icon: 'stop', ink: 'faint', text: 'Cancelled' },
  compensating: { icon: 'undo', ink: 'warning', text: 'Being undone' },
  compensated: { icon: 'undo', ink: 'faint', text: 'Undone' },
  not_compensated: { icon: 'error', ink: 'error', text: 'Not undone' },
};

export function lookOfStep(status: WorkflowStep['status']): Look {
  return stepLooks[status];
}

const happened: Readonly<Record<WorkflowEvent['kind'], string>> = {
  waiting: 'waits',
  signalled: 'was signalled',
  resumed: 'continues',
  done: 'done',
  skipped: 'failed, skipped',
  failed: 'failed',
  cancelled: 'cancelled',
  compensated: 'undone',
  not_compensated: 'not undone',
  ended: 'Ended',
};

/** What happened, behind the name of the step. */
export function textOfEvent({ kind, tries }: Pick<WorkflowEvent, 'kind' | 'tries'>): string {
  return tries !== null && tries > 1 ? `${happened[kind]}, ${tries} tries` : happened[kind];
}
