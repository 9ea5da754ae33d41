import type { StagePlace } from '@svc/protocol/language';
import type { StageName } from './part.ts';

/** Where each stage is written and what it is for, in the order of `partsOf`; what surrounds the work stands last. */
export const lanes: readonly (StagePlace & { readonly stages: readonly StageName[] })[] = [
  { path: ['from'], word: 'from', family: 'gate', stages: ['input'], detail: 'connector' },
  { path: ['require'], word: 'require', family: 'gate', stages: [], detail: 'roles' },
  { path: ['from', 'filter'], word: 'filter', family: 'gate', stages: ['filter'], detail: 'on_reject' },
  { path: ['accept'], word: 'accept', family: 'gate', stages: ['accept'], detail: 'on_reject' },
  { path: ['validate', 'input'], word: 'validate', family: 'gate', stages: ['validate_input'] },
  { path: ['async'], word: 'async', family: 'gate', stages: ['async'], detail: 'storage' },
  { path: ['idempotency'], word: 'idempotency', family: 'gate', stages: ['idempotency'], detail: 'storage' },
  { path: ['cache'], word: 'cache', family: 'gate', stages: ['cache_hit', 'cache_miss'], detail: 'storage' },
  { path: ['step'], word: 'step', family: 'gather', stages: ['step'], detail: 'connector' },
  { path: ['enrich'], word: 'enrich', family: 'gather', stages: ['enrich'], detail: 'connector' },
  { path: ['transform', 'enrich'], word: 'enrich', family: 'gather', stages: ['enrich'], detail: 'connector' },
  { path: ['transform'], word: 'transform', family: 'shape', stages: ['transform'] },
  { path: ['dedupe'], word: 'dedupe', family: 'gate', stages: ['dedupe'], detail: 'cache' },
  { path: ['to'], word: 'to', family: 'deliver', stages: ['read', 'write'], detail: 'connector' },
  { path: ['response'], word: 'response', family: 'deliver', stages: ['response'], detail: 'http_status_code' },
  { path: ['validate', 'output'], word: 'validate', family: 'deliver', stages: ['validate_output'] },
  { path: ['after'], word: 'after', family: 'deliver', stages: [] },
  { path: ['error_handling'], word: 'error_handling', family: 'deliver', stages: [] },
];
