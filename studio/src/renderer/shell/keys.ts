import type { Bridge } from '../../shared/services.ts';
import { browserKeys, jetbrainsKeys } from '../preferences/keymaps.ts';
import type { SettingsState } from '../preferences/settings.ts';
import type { Command, Commands } from './commands.ts';

type System = Bridge['operatingSystem'];

/** The chord of a key event in the notation of commands: modifiers in the order mod, ctrl, alt, shift, then the key. */
export function chordOf(event: KeyboardEvent, system: System): string {
  const mac = system === 'macos';
  const parts = [
    (mac ? event.metaKey : event.ctrlKey) && 'mod',
    mac && event.ctrlKey && 'ctrl',
    event.altKey && 'alt',
    event.shiftKey && 'shift',
    nameOf(event),
  ];
  return parts.filter(Boolean).join('+');
}

/** Letters and digits by what they are on the keyboard that is used; function keys and others by their name. */
function nameOf({ key, code, altKey }: KeyboardEvent): string {
  if (/^Digit\d$/.test(code)) return code.slice(5);
  // With Alt, macOS and some layouts give another letter than the one on the key.
  if (altKey && /^Key[A-Z]$/.test(code)) return code.slice(3).toLowerCase();
  if (code === 'Slash' && key === '?') return '/';
  if (key === ' ') return 'space';
  return key.toLowerCase();
}

/** How a chord is shown to people: `Ctrl+Shift+P`, on macOS `⇧⌘P`. */
export function shownChord(chord: string, system: System): string {
  const mac = system === 'macos';
  const names: Readonly<Record<string, string>> = mac
    ? { mod: '⌘', ctrl: '⌃', alt: '⌥', shift: '⇧', enter: '↩', escape: 'Esc', arrowup: '↑', arrowdown: '↓' }
    : {
        mod: 'Ctrl',
        ctrl: 'Ctrl',
        alt: 'Alt',
        shift: 'Shift',
        enter: 'Enter',
        escape: 'Esc',
        pageup: 'Page Up',
        pagedown: 'Page Down',
      };
  const written = chord.split('+');
  // macOS writes Command last of the modifiers.
  const ordered = mac && written[0] === 'mod' ? [...written.slice(1, -1), 'mod', ...written.slice(-1)] : written;
  const parts = ordered.map((part) => names[part] ?? (part.length === 1 ? part.toUpperCase() : capital(part)));
  return parts.join(mac ? '' : ' ');
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

/** What decides on keys besides the commands themselves. */
export interface KeyRules {
  readonly keymap: SettingsState['keymap'];
  /** Own keys, by id of the command. */
  readonly keys: Readonly<Record<string, string>>;
  readonly host: Bridge['host'];
}

/**
 * The chords of a command, the one to show first: the person's own, else the keymap's, else the default. In a browser,
 * one that the browser keeps for itself comes after its alternate.
 */
export function chordsOf(
  { id, keys }: Pick<Command, 'id' | 'keys'>,
  { keymap, keys: own, host }: KeyRules,
): readonly string[] {
  const mapped = keymap === 'jetbrains' ? jetbrainsKeys[id] : undefined;
  const chord = own[id] ?? mapped ?? keys;
  if (chord === undefined || chord === '') return [];
  const alternate = host === 'browser' ? browserKeys[chord] : undefined;
  return alternate === undefined ? [chord] : [alternate, chord];
}

/**
 * The command that a chord runs: of those that can run, one whose keys the person or the keymap gave before one that
 * has them by default. Undefined when no command has the chord, or none of them can run now.
 */
export function commandFor(chord: string, commands: readonly Command[], rules: KeyRules): Command | undefined {
  const able = commands.filter((each) => chordsOf(each, rules).includes(chord) && each.enabled?.() !== false);
  const isGiven = ({ id }: Command) => id in rules.keys || (rules.keymap === 'jetbrains' && id in jetbrainsKeys);
  return able.find(isGiven) ?? able[0];
}

/** Runs commands by their keys until the returned function is called; every command is in the palette besides. */
export function handleKeys(commands: Commands, system: System, rules: () => KeyRules): () => void {
  const listen = (event: KeyboardEvent) => {
    if (event.isComposing || document.querySelector('dialog:modal') !== null) return;
    const command = commandFor(chordOf(event, system), [...commands.all.value.values()], rules());
    if (command === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    commands.run(command.id);
  };
  window.addEventListener('keydown', listen, { capture: true });
  return () => window.removeEventListener('keydown', listen, { capture: true });
}
