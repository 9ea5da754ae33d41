import { describe, expect, test } from 'vitest';
import { problemsOf } from '../testing/problems.ts';

describe('a connector that chooses between profiles', () => {
  const profile = 'profile "a" {\n  type     = "http"\n  base_url = "https://a"\n}';
  test.each([
    ['says so by its profiles', profile, []],
    ['may say so', `type = "profiled"\n${profile}`, []],
    ['in any case', `type = "Profiled"\n${profile}`, []],
    ['has no other type', `type = "http"\n${profile}`, ['conflicting-attributes «type = "http"»']],
    ['has no driver', `type = "profiled"\ndriver = "x"\n${profile}`, ['conflicting-attributes «driver = "x"»']],
    ['has at least one', 'type = "profiled"', ['missing-block «connector»']],
  ])('%s', (_, body, problems) => {
    const found = problemsOf(`connector "rates" {\n${body}\ndefault = "a"\n}`).filter((one) => !one.startsWith('info'));
    expect(found).toEqual(problems);
  });
});
