import type { Declaration } from '@svc/protocol/model';
import type { Values } from '@svc/protocol/schema';
import type { saga, sagaStep } from './spec.ts';

export type SagaValues = Values<typeof saga>;

export type SagaDeclaration = Declaration<SagaValues>;

export type SagaStepValues = Values<typeof sagaStep>;
