import { createHash } from 'node:crypto';
import type { CelEnvironment } from '../engine.ts';

/** A host whose answers never change: 2025-03-01T08:15:00.250Z, one UUID, and one variable `REGION`. */
export const testEnvironment: CelEnvironment = {
  now: () => Date.UTC(2025, 2, 1, 8, 15, 0, 250),
  uuid: () => '0b8f4bd6-7d0c-4c3c-9d5e-0a3f5f0a1b2c',
  env: (name) => ({ REGION: 'eu', EMPTY: '' })[name],
  sha256: (text) => createHash('sha256').update(text).digest('hex'),
};
