import { workflowStatuses } from '@svc/protocol/wire';
import type { SagaStatus } from '../program.ts';

/** Every status of a workflow, those in progress first. */
export const statuses: readonly SagaStatus[] = workflowStatuses;

export function isStatus(text: string): text is SagaStatus {
  return (statuses as readonly string[]).includes(text);
}
