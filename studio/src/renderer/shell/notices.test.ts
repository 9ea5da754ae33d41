import { expect, test } from 'vitest';
import { Notices } from './notices.ts';

test('a notice goes when what it is about is over, and a newer one of its topic takes its place', () => {
  const notices = new Notices();
  const texts = () => notices.all.value.map(({ text }) => text);
  notices.show('error', 'The service ended.', [], 'service');
  notices.show('error', 'The service did not start.', [], 'service');
  notices.failed(new Error('a.hcl exists already'));
  expect(texts()).toEqual(['The service did not start.', 'a.hcl exists already']);
  notices.end('service');
  expect(texts()).toEqual(['a.hcl exists already']);
  notices.clear();
  expect(texts()).toEqual([]);
});
