import { describe, expect, test } from 'vitest';
import type { KeyPart } from '../../../foundation/contracts/kept-answers.ts';
import { Secrecy } from '../values/snapshot.ts';
import { keyShower } from './shown-key.ts';

const value = (expression: string): KeyPart => ({ expression, holds: 'value' });
const shower = (parts: readonly KeyPart[], masksNames: boolean, fields: readonly string[] = []) =>
  keyShower(parts, { fields }, new Secrecy(masksNames));

describe('a key as people see it', () => {
  test('what an expression makes of something hidden is masked, and the key is not whole', () => {
    const parts = ['p:', value('input.api_key'), ':', value('input.id')];
    expect(shower(parts, true)('p:geheim:7')).toEqual({ text: 'p:***:7', isWhole: false });
    expect(shower(parts, false)('p:geheim:7')).toEqual({ text: 'p:geheim:7', isWhole: true });
    const header = ['p:', value('input.headers["authorization"]')];
    expect(shower(header, false)('p:Bearer x')).toEqual({ text: 'p:***', isWhole: false });
    expect(shower(['p:', value('env("DB_PASSWORD")')], false)('p:x')).toEqual({ text: 'p:***', isWhole: false });
    expect(shower(['p:', value('input.code')], true, ['code'])('p:123')).toEqual({ text: 'p:***', isWhole: false });
  });

  test('fields of a generated key are judged by their names, inside of lists and maps too', () => {
    const show = shower(['f:', { expression: 'input', holds: 'input' }], true);
    expect(show('f:auth=abc:id=7:password=geheim:')?.text).toBe('f:auth=abc:id=7:password=***:');
    expect(show('f:filter={"a"%3A{"token"%3A"geheim"}}:')?.text).toBe('f:filter=***:');
    expect(show('f:filter={"a"%3A%5B1%5D}:')).toEqual({ text: 'f:filter={"a"%3A%5B1%5D}:', isWhole: true });
    expect(show('f:q={nothing:')?.text).toBe('f:q={nothing:');
    expect(show(`f:filter={"a"%3A"${'x'.repeat(70_000)}"}:`)?.text).toBe('f:filter=***:');
  });

  test('a long one is cut, and another one is not shown', () => {
    const show = shower(['f:', { expression: 'input', holds: 'input' }], false);
    const long = show(`f:q=${'x'.repeat(1_000_000)}:`);
    expect([long?.text.length, long?.isWhole]).toEqual([4_097, false]);
    expect(show('g:q=1:')).toBeUndefined();
  });
});
