import { describe, expect, test } from 'vitest';
import { type EditorsState, Layout } from './layout.ts';

const shown = ({ groups, focused }: EditorsState) =>
  groups.map(
    ({ tabs, active }, index) =>
      `${index === focused ? '>' : ''}${tabs.map((tab) => (tab === active ? `[${tab}]` : tab)).join(' ')}`,
  );

function opened(...addresses: readonly string[]): Layout {
  const layout = new Layout();
  for (const address of addresses) layout.open(address);
  return layout;
}

describe('tabs', () => {
  test('a tab opens once, and is shown where it is', () => {
    const layout = opened('a', 'b', 'a');
    expect(shown(layout.editors.value)).toEqual(['>[a] b']);
  });

  test('a tab opens beside a canvas, not in its place', () => {
    const layout = opened('text:a');
    layout.open('canvas:', 1);
    layout.open('text:b');
    expect(shown(layout.editors.value)).toEqual(['>text:a [text:b]', '[canvas:]']);
  });

  test('closing shows the tab that took the place, else the one before', async () => {
    const layout = opened('a', 'b', 'c', 'b');
    await layout.close('b');
    expect(shown(layout.editors.value)).toEqual(['>a [c]']);
    await layout.close('c');
    expect(shown(layout.editors.value)).toEqual(['>[a]']);
  });

  test('who is asked may keep the last of a tab open; a second view of it closes unasked', async () => {
    const layout = opened('a');
    layout.mayClose = () => Promise.resolve(false);
    layout.split();
    expect(shown(layout.editors.value)).toEqual(['[a]', '>[a]']);
    await layout.close('a', 1);
    expect(shown(layout.editors.value)).toEqual(['>[a]']);
    await layout.close('a');
    expect(shown(layout.editors.value)).toEqual(['>[a]']);
  });

  test('a group without tabs goes, and the focus with it', async () => {
    const layout = opened('a', 'b');
    layout.split();
    await layout.close('a', 0);
    await layout.close('b', 0);
    expect(shown(layout.editors.value)).toEqual(['>[b]']);
    await layout.close('b');
    expect(shown(layout.editors.value)).toEqual(['>']);
  });

  test('next and previous go round', () => {
    const layout = opened('a', 'b', 'c');
    layout.step(1);
    expect(layout.active).toBe('a');
    layout.step(-1);
    expect(layout.active).toBe('c');
    new Layout().step(1);
  });

  test('tabs are dropped, readdressed, moved and opened again', async () => {
    const layout = opened('a', 'b', 'c');
    layout.readdress((address) => (address === 'c' ? 'd' : address));
    expect(shown(layout.editors.value)).toEqual(['>a b [d]']);
    layout.move('d', 0, 0, 'a');
    expect(shown(layout.editors.value)).toEqual(['>[d] a b']);
    layout.drop((address) => address === 'd' || address === 'b');
    expect(shown(layout.editors.value)).toEqual(['>[a]']);
    layout.split();
    layout.move('a', 0, 1, undefined);
    expect(shown(layout.editors.value)).toEqual(['>[a]']);
    await layout.close('a');
    layout.reopen();
    layout.reopen();
    expect(shown(layout.editors.value)).toEqual(['>[a]']);
  });
});
