import { expect, test } from 'vitest';
import { sentenceOf } from './sentence.ts';

test.each([
  ['there is no connector named "apy"', 'there is no connector named "apy".'],
  ['Is it "api"?', 'Is it "api"?'],
  ['It ends.', 'It ends.'],
  ['It says "stop."', 'It says "stop."'],
])('%s', (message, sentence) => {
  expect(sentenceOf(message)).toBe(sentence);
});
