import type { Values } from '@svc/protocol/schema';
import type { security } from './spec.ts';

/** The limits of the messages of one flow. Sizes in bytes. */
export interface Limits {
  readonly inputLength: number;
  readonly fieldLength: number;
  readonly depth: number;
  /** Control characters that texts may hold. */
  readonly allowed: readonly string[];
}

const characters = { tab: '\t', newline: '\n', cr: '\r', backspace: '\b', form_feed: '\f' } as const;

const standard: Limits = {
  inputLength: 1_048_576,
  fieldLength: 65_536,
  depth: 20,
  allowed: [characters.tab, characters.newline, characters.cr],
};

/** The limits of one flow: its own, else those of the block, else the defaults. */
export function limitsOf(block: Values<typeof security> | undefined, flow: string): Limits {
  if (block === undefined) return standard;
  const own = block.flow.find(({ label }) => label === flow);
  return {
    inputLength: own?.max_input_length ?? block.max_input_length,
    fieldLength: own?.max_field_length ?? block.max_field_length,
    depth: block.max_field_depth,
    allowed: block.allowed_control_chars.map((name) => characters[name]),
  };
}
