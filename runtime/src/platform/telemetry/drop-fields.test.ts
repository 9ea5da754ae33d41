import { expect, test } from 'vitest';
import type { Drop } from '../../foundation/contracts/outcome.ts';
import { dropFields } from './drop-fields.ts';

const drop: Drop = {
  kind: 'drop',
  reason: 'sequence_older',
  block: 'sequence_guard',
  policy: 'requeue',
  expression: 'input.v',
  messageId: '',
};

test('names the block, and only what is known', () => {
  expect(dropFields(drop)).toEqual({
    reason: 'sequence_older',
    decided_by: 'sequence_guard',
    detail: 'input.v',
    disposition: 'requeue',
  });
  expect(dropFields({ ...drop, messageId: 'm-1' })).toMatchObject({ message_id: 'm-1' });
});

test('credentials are masked anywhere in a path, long values are cut, and missing ones are shown as missing', () => {
  const values = () => ({
    'input.headers.authorization': 'Bearer x',
    'input.login': { password: 'x', name: 'ada' },
    'input.text': 'y'.repeat(2_000),
    'input.gone': undefined,
    'input.none': null,
    stored: 5n,
  });
  expect(dropFields({ ...drop, values }).values).toEqual({
    'input.headers.authorization': '***',
    'input.login': { password: '***', name: 'ada' },
    'input.text': `${'y'.repeat(1_000)}…`,
    'input.gone': '(absent)',
    'input.none': null,
    stored: 5,
  });
});
