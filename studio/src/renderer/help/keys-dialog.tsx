import { useEffect, useRef, useState } from 'react';
import { browserKeys } from '../preferences/keymaps.ts';
import { needArgument } from '../shell/commands.ts';
import { chordsOf, shownChord } from '../shell/keys.ts';
import { useStudio } from '../shell/studio.ts';
import type { Store } from '../state/store.ts';
import { useStore } from '../state/use-store.ts';
import { Icon } from '../theme/icon.tsx';

/** Makes the dialog that lists every command with its keys. */
export function keysDialog(isOpen: Store<boolean>) {
  return function KeysDialog() {
    return useStore(isOpen) && <KeysBox onClose={() => isOpen.set(false)} />;
  };
}

function KeysBox({ onClose }: { readonly onClose: () => void }) {
  const studio = useStudio();
  const { commands, settings, bridge } = studio;
  const all = useStore(commands.all);
  const { keymap } = useStore(settings.state);
  const [query, setQuery] = useState('');
  const box = useRef<HTMLDialogElement>(null);
  useEffect(() => box.current?.showModal(), []);
  const shown = (chord: string) => shownChord(chord, bridge.operatingSystem);
  const lines = [...all.values()]
    .filter(({ id }) => !needArgument.has(id))
    .map((command) => ({ ...command, chords: chordsOf(command, studio.keyRules) }))
    .filter(({ title, chords }) =>
      `${title} ${chords.map(shown).join(' ')}`.toLowerCase().includes(query.toLowerCase()),
    )
    .sort((a, b) => a.title.localeCompare(b.title));
  return (
    <dialog ref={box} className="dialog popover" aria-label="Keyboard shortcuts" onClose={onClose}>
      <h2>Keyboard shortcuts</h2>
      <label className="search settings-search">
        <Icon name="search" />
        <input
          className="grow"
          type="search"
          placeholder="Search commands or keys"
          aria-label="Search commands or keys"
          value={query}
          onChange={({ target }) => setQuery(target.value)}
        />
      </label>
      {bridge.host === 'browser' && (
        <p className="note">
          <Icon name="help" />
          <span>
            A browser keeps {Object.keys(browserKeys).slice(0, 3).map(shown).join(', ')} and a few more for itself. The
            keys with Alt do the same here; the desktop window has both.
          </span>
        </p>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be reached by keys */}
      <section className="scroll" aria-label="Commands and their keys" tabIndex={0}>
        <table className="key-table">
          <thead>
            <tr>
              <th scope="col">Command</th>
              <th scope="col">Keys{keymap === 'jetbrains' && ' (JetBrains)'}</th>
            </tr>
          </thead>
          <tbody>
            {lines.map(({ id, title, chords }) => (
              <tr key={id}>
                <td>{title}</td>
                <td>
                  {chords.map((chord) => (
                    <kbd
                      key={chord}
                      title={chord in browserKeys && bridge.host === 'browser' ? 'Kept by most browsers' : undefined}
                    >
                      {shown(chord)}
                    </kbd>
                  ))}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      <div className="question-buttons">
        <button type="button" className="button" onClick={onClose}>
          Close
        </button>
      </div>
    </dialog>
  );
}
