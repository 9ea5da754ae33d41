import { describe, expect, test } from 'vitest';
import { changeOf, controlOf, type Edited, isHidden, shownText, withEntry, withItem } from './values.ts';

const plain = { required: false, secret: false, documentation: '', default: undefined, values: undefined };

function field(kind: Edited['kind'], part: Partial<Edited> = {}): Edited {
  return { ...plain, name: 'a', kind, ...part };
}

describe('which control', () => {
  test.each<readonly [Edited, string]>([
    [field('text'), 'text'],
    [field('text', { text: 'env("A")' }), 'source'],
    [field('text', { text: '<<X', value: 'a\nb' }), 'lines'],
    [field('int', { text: '3', value: 3 }), 'number'],
    [field('flag', { text: 'true', value: true }), 'toggle'],
    [field('flag', { text: '"yes"', value: 'yes' }), 'source'],
    [field('oneOf', { values: ['a', 'b'] }), 'select'],
    [field('reference', { values: ['db'] }), 'select'],
    [field('reference'), 'text'],
    [field('cel', { text: '"a > 1"', value: 'a > 1' }), 'expression'],
    [field('argument', { text: '"a"', value: 'a' }), 'expression'],
    [field('argument', { text: '3', value: 3 }), 'source'],
    [field('list', { text: '["a"]', value: ['a'] }), 'list'],
    [field('list', { text: '[["a"]]', value: [['a']] }), 'source'],
    [field('map', { text: '{ a = 1 }', value: { a: 1 } }), 'map'],
    [field('other'), 'source'],
    [field('text', { text: 'null', value: null }), 'source'],
  ])('%j', (edited, control) => {
    expect(controlOf(edited)).toBe(control);
  });
});

describe('what is written', () => {
  test('a text as a text, a number as a number, a source as it is', () => {
    expect(changeOf(field('text'), 'b "c"')).toEqual({ setValue: { name: 'a', value: 'b "c"' } });
    expect(changeOf(field('int'), ' 30 ')).toEqual({ setValue: { name: 'a', value: 30 } });
    expect(changeOf(field('text', { text: '3000', value: 3000 }), '3001')).toEqual({
      setValue: { name: 'a', value: 3001 },
    });
    expect(changeOf(field('other'), '{ b = 1 }')).toEqual({ set: { name: 'a', text: '{ b = 1 }' } });
  });

  test('what is read from outside as a call, where a text or a number is typed', () => {
    const set = (text: string) => ({ set: { name: 'a', text } });
    expect(changeOf(field('text'), ' env("A", "b") ')).toEqual(set('env("A", "b")'));
    expect(changeOf(field('text', { text: '"old"', value: 'old' }), 'file("/run/secrets/a")')).toEqual(
      set('file("/run/secrets/a")'),
    );
    expect(changeOf(field('int'), 'env("PORT")')).toEqual(set('env("PORT")'));
    expect(changeOf(field('text'), 'env("A"')).toEqual({ setValue: { name: 'a', value: 'env("A"' } });
    expect(changeOf(field('text'), 'environment (a)')).toEqual({ setValue: { name: 'a', value: 'environment (a)' } });
    expect(changeOf(field('cel'), 'env("A")')).toEqual({ setValue: { name: 'a', value: 'env("A")' } });
  });

  test.each([
    ['secret', true],
    ['redis://ann:pw@cache:6379', true],
    ['https://search?api_key=a', true],
    ['redis://cache:6379/0', false],
    ['env("PASSWORD")', false],
    ['file("/run/secrets/a")', false],
  ])('%s in a field for a secret is hidden: %s', (typed, hidden) => {
    expect(isHidden(typed)).toBe(hidden);
  });

  test('a choice as what it is among the choices', () => {
    expect(changeOf(field('oneOf', { values: [200, 201] }), '201')).toEqual({ setValue: { name: 'a', value: 201 } });
  });

  test('what cannot be is refused before it is written', () => {
    expect(() => changeOf(field('int'), 'many')).toThrow('a takes a number');
    expect(() => changeOf(field('int'), '1.5')).toThrow('a takes a whole number');
    expect(() => changeOf(field('other'), ' ')).toThrow('a needs a value');
  });

  test('what is shown is what is written', () => {
    expect(shownText(field('text', { text: '"b"', value: 'b' }))).toBe('b');
    expect(shownText(field('text', { text: 'env("B")' }))).toBe('env("B")');
    expect(shownText(field('int'))).toBe('');
  });

  test('entries and items keep their order', () => {
    expect(withEntry({ a: 1, b: 2 }, 'a', 3)).toEqual({ a: 3, b: 2 });
    expect(Object.keys(withEntry({ a: 1, b: 2 }, 'c', 3))).toEqual(['a', 'b', 'c']);
    expect(withEntry({ a: 1, b: 2 }, 'a', undefined)).toEqual({ b: 2 });
    expect(withEntry(undefined, 'a', 'x')).toEqual({ a: 'x' });
    expect(withItem(['a', 'b'], 1, 'c')).toEqual(['a', 'c']);
    expect(withItem(['a', 'b'], 2, 'c')).toEqual(['a', 'b', 'c']);
    expect(withItem(['a', 'b'], 0, undefined)).toEqual(['b']);
  });
});
