import type { Storage } from '../../../foundation/contracts/storage.ts';
import type { ReportSimulated } from './simulated-call.ts';

/** A cache that can be read; storing and deleting succeed and change nothing. */
export function simulatedStorage(connector: string, storage: Storage, report: ReportSimulated): Storage {
  const simulate = <T>(operation: string, what: Readonly<Record<string, unknown>>, result: T): T => {
    report({ connector, operation: `cache ${operation}`, answer: { dry_run: true, operation, ...what } });
    return result;
  };
  const { processLocal } = storage;
  return {
    get: (key) => storage.get(key),
    set: (key, value, ttl) => simulate('set', { key, value, ttl }, undefined),
    delete: (keys) => simulate('delete', { keys }, 0),
    has: (key) => storage.has(key),
    remaining: (key) => storage.remaining(key),
    add: (key, by, ttl) => simulate('add', { key, by, ttl }, { value: by, allowed: true }),
    setIfAbsent: (key, value, ttl) => simulate('set', { key, value, ttl }, true),
    replace: (key, _expected, value, ttl) => simulate('set', { key, value, ttl }, true),
    deleteIf: (key) => simulate('delete', { keys: [key] }, true),
    deleteMatching: (pattern) => simulate('delete', { pattern }, 0),
    size: () => storage.size?.(),
    processLocal,
  };
}
