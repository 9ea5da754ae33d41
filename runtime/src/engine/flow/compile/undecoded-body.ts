import type { CelError, CelReference } from '@svc/protocol/cel';

/** Errors of an expression that looks into a value without fields. */
const reasons: ReadonlySet<CelError['reason']> = new Set(['no-such-field', 'no-such-overload']);

/**
 * What helps where an expression looks for fields in a body that was not decoded, as the end of a sentence; empty
 * elsewhere.
 */
export function remedyFor({ reason }: CelError, references: readonly CelReference[], scope: object): string {
  if (!reasons.has(reason)) return '';
  const { input } = scope as { readonly input?: Readonly<Record<string, unknown>> };
  for (const { path } of references) {
    const [variable, name = ''] = path;
    if (variable !== 'input' || path.length < 3 || !bodies.has(name)) continue;
    const body = input?.[name];
    if (body instanceof Uint8Array) return `; input.${name} is bytes that are not text: ${remedy}`;
    if (typeof body === 'string') return `; input.${name} is text: ${remedy}`;
  }
  return '';
}

/** Where sources have what they were sent. */
const bodies: ReadonlySet<string> = new Set(['body', '_raw', 'raw', 'value']);
const remedy = 'name its format in `from { format = "..." }`, or send an object in JSON';
