import type { Storage } from '../../contracts/storage.ts';
import type { TellSimulated } from './simulation.ts';

/** A cache that can be read; storing and deleting succeed and change nothing. */
export function simulatedStorage(connector: string, storage: Storage, tell: TellSimulated): Storage {
  const told = <T>(operation: string, what: Readonly<Record<string, unknown>>, result: T): T => {
    tell({ connector, operation: `cache ${operation}`, answer: { dry_run: true, operation, ...what } });
    return result;
  };
  const { processLocal } = storage;
  return {
    get: (key) => storage.get(key),
    set: (key, value, ttl) => told('set', { key, value, ttl }, undefined),
    delete: (keys) => told('delete', { keys }, 0),
    setIfAbsent: (key, value, ttl) => told('set', { key, value, ttl }, true),
    replace: (key, _expected, value, ttl) => told('set', { key, value, ttl }, true),
    deleteIf: (key) => told('delete', { keys: [key] }, true),
    deleteMatching: (pattern) => told('delete', { pattern }, 0),
    size: () => storage.size?.(),
    processLocal,
  };
}
