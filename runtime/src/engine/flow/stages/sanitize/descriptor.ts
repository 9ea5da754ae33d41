import { describeStage } from '../../pipeline/descriptor.ts';
import { security } from './spec.ts';

export const sanitize = describeStage({ key: 'sanitize', root: { security }, stages: { sanitize: {} } });
