import { type CelProgram, kindOf } from '@svc/protocol/cel';
import type { Reading, ReadValue } from '@svc/protocol/wire';
import type { Limits } from './limits.ts';
import { askedLimits, type Secrecy } from './snapshot.ts';

/** All parts of an expression share these: their number is not that of the variables. */
const partLimits: Limits = { ...askedLimits, text: 4_096 };

/** The value of every part of an expression and of the whole, as a client is shown them. */
export function readingOf(program: CelProgram, scope: object, secrecy: Secrecy): Reading {
  const { source: expression } = program;
  const result = shown(() => program.evaluate(scope), secrecy.shower(askedLimits));
  const show = secrecy.shower(partLimits);
  const parts = program.read(scope).map(({ start, end, depth, value, error }) => {
    const read = () => {
      if (error !== undefined) throw error;
      return value;
    };
    return { start, end, depth, text: expression.slice(start, end), ...shown(read, show) };
  });
  return { expression, parts, result };
}

function shown(read: () => unknown, show: (value: unknown) => unknown): ReadValue {
  try {
    const value = read();
    return { value: show(value) ?? null, type: kindOf(value), error: '' };
  } catch (error) {
    return { value: null, type: '', error: error instanceof Error ? error.message : String(error) };
  }
}
