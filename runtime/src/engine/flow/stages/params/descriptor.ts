import { describeStage } from '../../pipeline/descriptor.ts';

export const params = describeStage({ key: 'params' });
