import type { StagePlace } from '@svc/protocol/language';
import type { StageName } from './part.ts';

/** Where each stage is written and what it is for, in the order of `partsOf`; what surrounds the work stands last. */
export const lanes: readonly (StagePlace & { readonly stages: readonly StageName[] })[] = [
  { path: ['from'], word: 'from', family: 'gate', stages: ['input'], detail: 'connector' },
  { path: ['when'], word: 'when', family: 'gate', stages: [], detail: 'schedule' },
  { path: ['require'], word: 'require', family: 'gate', stages: [], detail: 'roles' },
  { path: ['from', 'filter'], word: 'filter', family: 'gate', stages: ['filter'], detail: 'on_reject' },
  { path: ['accept'], word: 'accept', family: 'gate', stages: ['accept'], detail: 'on_reject' },
  { path: ['validate', 'input'], word: 'validate', family: 'gate', stages: ['validate_input'] },
  { path: ['async'], word: 'async', family: 'gate', stages: ['async'], detail: 'storage' },
  { path: ['idempotency'], word: 'idempotency', family: 'gate', stages: ['idempotency'], detail: 'storage' },
  { path: ['lock'], word: 'lock', family: 'gate', stages: ['lock'], detail: 'key' },
  { path: ['semaphore'], word: 'semaphore', family: 'gate', stages: ['semaphore'], detail: 'key' },
  { path: ['coordinate'], word: 'coordinate', family: 'gate', stages: ['coordinate'], detail: 'on_timeout' },
  {
    path: ['sequence_guard'],
    word: 'sequence_guard',
    family: 'gate',
    stages: ['sequence_guard'],
    detail: 'on_older',
  },
  { path: ['cache'], word: 'cache', family: 'gate', stages: ['cache_hit', 'cache_miss'], detail: 'storage' },
  { path: ['step'], word: 'step', family: 'gather', stages: ['step'], detail: 'connector' },
  { path: ['enrich'], word: 'enrich', family: 'gather', stages: ['enrich'], detail: 'connector' },
  { path: ['transform', 'enrich'], word: 'enrich', family: 'gather', stages: ['enrich'], detail: 'connector' },
  { path: ['transform'], word: 'transform', family: 'shape', stages: ['transform'] },
  { path: ['batch'], word: 'batch', family: 'deliver', stages: ['read', 'transform', 'write'], detail: 'source' },
  {
    path: ['state_transition'],
    word: 'state_transition',
    family: 'deliver',
    stages: ['state_transition'],
    detail: 'machine',
  },
  { path: ['dedupe'], word: 'dedupe', family: 'gate', stages: ['dedupe'], detail: 'cache' },
  { path: ['to'], word: 'to', family: 'deliver', stages: ['read', 'write'], detail: 'connector' },
  { path: ['response'], word: 'response', family: 'deliver', stages: ['response'], detail: 'http_status_code' },
  { path: ['validate', 'output'], word: 'validate', family: 'deliver', stages: ['validate_output'] },
  { path: ['after'], word: 'after', family: 'deliver', stages: [] },
  { path: ['error_handling'], word: 'error_handling', family: 'deliver', stages: [] },
];

/** The same for sagas, in the order in which their blocks can run. */
export const sagaLanes: readonly (StagePlace & { readonly stages: readonly StageName[] })[] = [
  { path: ['from'], word: 'from', family: 'gate', stages: ['input'], detail: 'connector' },
  { path: ['from', 'filter'], word: 'filter', family: 'gate', stages: ['filter'], detail: 'on_reject' },
  { path: ['step', 'action'], word: 'action', family: 'gather', stages: ['step'], detail: 'connector' },
  { path: ['step', 'delay'], word: 'delay', family: 'shape', stages: [] },
  { path: ['step', 'await'], word: 'await', family: 'shape', stages: [] },
  { path: ['on_complete'], word: 'on_complete', family: 'deliver', stages: ['step'], detail: 'connector' },
  { path: ['step', 'compensate'], word: 'compensate', family: 'deliver', stages: ['step'], detail: 'connector' },
  { path: ['on_failure'], word: 'on_failure', family: 'deliver', stages: ['step'], detail: 'connector' },
];
