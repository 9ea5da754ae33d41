import { describe, expect, test } from 'vitest';
import type { Command } from './commands.ts';
import { chordOf, chordsOf, commandFor, type KeyRules, shownChord } from './keys.ts';

const rules: KeyRules = { keymap: 'default', keys: {}, host: 'electron' };
const command = (id: string, keys?: string, enabled?: () => boolean): Command => ({
  id,
  title: id,
  keys,
  enabled,
  run: () => undefined,
});
const event = (part: Partial<KeyboardEvent>) =>
  ({ ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, code: '', ...part }) as KeyboardEvent;

describe('chords', () => {
  test('modifiers are in one order, mod is Command on macOS', () => {
    const pressed = event({ key: 'P', code: 'KeyP', ctrlKey: true, shiftKey: true });
    expect([chordOf(pressed, 'linux'), chordOf(pressed, 'macos')]).toEqual(['mod+shift+p', 'ctrl+shift+p']);
    expect(chordOf(event({ key: '!', code: 'Digit1', shiftKey: true }), 'linux')).toBe('shift+1');
    expect(chordOf(event({ key: '∑', code: 'KeyW', altKey: true }), 'macos')).toBe('alt+w');
    expect(chordOf(event({ key: ' ' }), 'linux')).toBe('space');
  });

  test('people read them in the words of their system', () => {
    expect([shownChord('mod+shift+p', 'linux'), shownChord('mod+shift+p', 'macos')]).toEqual(['Ctrl Shift P', '⇧⌘P']);
    expect(shownChord('alt+pagedown', 'linux')).toBe('Alt Page Down');
  });

  test('own keys win over the keymap, the keymap over the default; an empty chord takes the keys away', () => {
    const over = command('debug.stepOver', 'f10');
    expect(chordsOf(over, rules)).toEqual(['f10']);
    expect(chordsOf(over, { ...rules, keymap: 'jetbrains' })).toEqual(['f8']);
    expect(chordsOf(over, { ...rules, keymap: 'jetbrains', keys: { 'debug.stepOver': 'f6' } })).toEqual(['f6']);
    expect(chordsOf(over, { ...rules, keys: { 'debug.stepOver': '' } })).toEqual([]);
  });

  test('what a browser keeps for itself has an alternate there, shown first', () => {
    expect(chordsOf(command('editor.close', 'mod+w'), { ...rules, host: 'browser' })).toEqual(['alt+w', 'mod+w']);
    expect(chordsOf(command('editor.close', 'mod+w'), rules)).toEqual(['mod+w']);
  });

  test('the first command that can run takes the chord, one that was given it before one that has it by default', () => {
    const start = command('debug.start', 'f5', () => false);
    const go = command('debug.continue', 'f5');
    expect(commandFor('f5', [start, go], rules)?.id).toBe('debug.continue');
    const problem = command('problems.next', 'f8');
    const over = command('debug.stepOver', 'f10');
    expect(commandFor('f8', [problem, over], { ...rules, keymap: 'jetbrains' })?.id).toBe('debug.stepOver');
    expect(commandFor('f8', [problem, over], rules)?.id).toBe('problems.next');
    expect(commandFor('f1', [problem, over], rules)).toBeUndefined();
  });
});
