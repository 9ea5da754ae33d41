import { expect, test } from 'vitest';
import { withoutAnsi } from './ansi.ts';

test('colours of terminals are taken out of the output', () => {
  expect(withoutAnsi('\u001B[1;32mok\u001B[0m \u001B]8;;http://a\u0007link')).toBe('ok link');
});
