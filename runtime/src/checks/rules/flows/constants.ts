import type { ArgumentSource } from '@svc/protocol/schema';
import type { FlowRule } from '../../../engine/flow/every-flow.ts';

/** Texts of arguments that are taken letter by letter, and look as if they were meant otherwise. */
export const checkConstants: FlowRule = ({ values }, _connectors, report) => {
  for (const constant of constantsIn(values)) {
    const { value, origin } = constant;
    if (/^\s*'[^']*'\s*$/.test(value))
      report('quoted-constant', 'this text reads no message, so it is sent with its single quotes', origin, {
        severity: 'warning',
        help: `Write "${value.trim().slice(1, -1)}".`,
      });
  }
};

type TextConstant = Extract<ArgumentSource, { kind: 'constant' }> & { readonly value: string };

function constantsIn(value: unknown): readonly TextConstant[] {
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap(constantsIn);
  const { kind } = value as { kind?: unknown };
  if (kind === 'constant' && 'origin' in value)
    return typeof (value as { value?: unknown }).value === 'string' ? [value as TextConstant] : [];
  // Syntax trees are by far the largest part of what can be reached.
  if (kind === 'expression' || kind === 'cel') return [];
  return Object.entries(value).flatMap(([name, item]) => (name === 'origin' ? [] : constantsIn(item)));
}
