import { toJson } from '@svc/protocol/cel';
import { Content } from '../../../../foundation/contracts/content.ts';
import { Failure } from '../../../../foundation/errors/failure.ts';
import type { Part } from '../../message/part.ts';
import type { FlowModel } from '../../model.ts';
import type { FlowSanitizer } from './flow-sanitizer.ts';
import { Sanitizer } from './sanitizer.ts';

type Fields = Record<string, unknown>;

/** Runs on every message of every flow and cannot be switched off. */
export function sanitize({ limits, sanitizers }: FlowModel): Part[] {
  const sanitizer = new Sanitizer(limits);
  const part = { stage: 'sanitize', name: '', title: 'sanitize' } as const;
  if (sanitizers.length === 0)
    return [
      {
        ...part,
        step: ({ input }) => {
          sanitizer.sanitize(input);
          return undefined;
        },
      },
    ];
  return [
    {
      ...part,
      step: async ({ input }) => {
        sanitizer.sanitize(input);
        for (const each of sanitizers) await apply(each, input);
        // What modules made of it is held to the same limits.
        sanitizer.sanitize(input);
        return undefined;
      },
    },
  ];
}

async function apply({ name, fields, run }: FlowSanitizer, input: Fields): Promise<void> {
  if (fields !== undefined) {
    for (const field of fields)
      if (Object.hasOwn(input, field) && !holdsFiles(input[field])) input[field] = await run(input[field]);
    return;
  }
  const files = new Set(Object.keys(input).filter((field) => holdsFiles(input[field])));
  const given = Object.fromEntries(Object.entries(input).filter(([field]) => !files.has(field)));
  const made = await run(toJson(given));
  if (typeof made !== 'object' || made === null || Array.isArray(made))
    throw new Failure('internal', `sanitizer "${name}" must answer an object for a message`);
  for (const field of Object.keys(input)) if (!files.has(field) && !Object.hasOwn(made, field)) delete input[field];
  for (const [field, value] of Object.entries(made)) if (!files.has(field)) define(input, field, value);
}

/** A field of whatever name, such as `__proto__`. */
function define(input: Fields, name: string, value: unknown): void {
  Object.defineProperty(input, name, { value, writable: true, enumerable: true, configurable: true });
}

/** Whether a value is a file or holds one: modules are given no bytes of files. */
function holdsFiles(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (value instanceof Content) return true;
  return !ArrayBuffer.isView(value) && Object.values(value).some(holdsFiles);
}
