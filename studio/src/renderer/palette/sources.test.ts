import { describe, expect, test } from 'vitest';
import { Layout } from '../shell/layout.ts';
import type { Studio } from '../shell/studio.ts';
import { Palette } from './palette.ts';
import { RecentFiles } from './recent-files.ts';
import { symbolsSource } from './sources.ts';

const source = (prefix: string) => ({ prefix, placeholder: prefix, nothing: '', items: () => [] });

describe('palette', () => {
  test('the beginning of the text says who is asked', () => {
    const palette = new Palette();
    for (const prefix of ['', '>', '@']) palette.addSource(source(prefix));
    const asked = (text: string) => [palette.ask(text)?.source.prefix, palette.ask(text)?.query];
    expect([asked('a >b'), asked('> save'), asked('@')]).toEqual([
      ['', 'a >b'],
      ['>', 'save'],
      ['@', ''],
    ]);
  });

  test('a list to pick from is asked whatever is typed', () => {
    const palette = new Palette();
    palette.addSource(source('>'));
    palette.pick({ placeholder: 'Theme', nothing: '', items: () => [] });
    expect(palette.ask('>x')?.query).toBe('>x');
    palette.close();
    expect(palette.ask('x')).toBeUndefined();
  });
});

test('recent files: latest first, the one that is shown last, those that are gone left out', () => {
  const recent = new RecentFiles();
  const layout = new Layout();
  recent.follow(layout);
  for (const path of ['a', 'b', 'c', 'a']) layout.open(`text:${path}`);
  layout.open('welcome:');
  expect(recent.order(['a', 'b', 'c', 'd'], 'a')).toEqual(['c', 'b', 'a']);
  expect(recent.order(['b', 'd'], '')).toEqual(['b']);
});

test('blocks look as in the outline, whatever they are called', async () => {
  const block = (kind: string, family?: string) => ({ name: kind, kind, family, selection: {}, children: [] });
  const symbols = [block('flow'), block('lock', 'gate'), block('new_stage', 'shape'), block('mocks')];
  const studio = { layout: { active: 'text:a.hcl' }, language: { ask: async () => symbols } } as unknown as Studio;
  const items = await symbolsSource(studio).items('', new AbortController().signal);
  expect(items.map(({ icon }) => icon)).toEqual([
    { name: 'flow', className: undefined },
    { name: 'gate', className: 'ink gate' },
    { name: 'shape', className: 'ink shape' },
    { name: 'field', className: 'faint' },
  ]);
});
