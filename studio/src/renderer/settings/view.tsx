import { type ReactNode, useState } from 'react';
import { densities, fontSizes, keymaps, type SettingsState, themeChoices } from '../preferences/settings.ts';
import { useStudio } from '../shell/studio.ts';
import { useStore } from '../state/use-store.ts';
import { Icon } from '../theme/icon.tsx';
import { themeNames } from './theme-names.ts';

const densityNames = { compact: 'Compact', normal: 'Normal', relaxed: 'Relaxed' } as const;
const keymapNames = { default: 'Default', jetbrains: 'JetBrains' } as const;

/** Every setting on one page. */
export function SettingsView() {
  const { commands } = useStudio();
  const [query, setQuery] = useState('');
  const groups = [
    {
      title: 'Looks',
      settings: [
        {
          name: 'Colour theme',
          hint: 'Dark, light and two of high contrast.',
          view: <Choice of="theme" values={themeChoices} names={themeNames} />,
        },
        {
          name: 'Density',
          hint: 'Height of rows in lists and trees.',
          view: <Choice of="density" values={densities} names={densityNames} />,
        },
      ],
    },
    {
      title: 'Editor',
      settings: [
        { name: 'Font size', hint: `Pixels, ${fontSizes.least} to ${fontSizes.most}.`, view: <FontSize /> },
        { name: 'Word wrap', hint: 'Long lines continue below.', view: <Toggle of="wordWrap" /> },
        {
          name: 'Format on save',
          hint: 'Lines up what is written whenever it is saved.',
          view: <Toggle of="formatOnSave" />,
        },
      ],
    },
    {
      title: 'Keyboard',
      settings: [
        {
          name: 'Keymap',
          hint: 'Debugger keys as other tools have them.',
          view: <Choice of="keymap" values={keymaps} names={keymapNames} />,
        },
      ],
    },
  ];
  const wanted = query.trim().toLowerCase();
  const found = groups
    .map(({ title, settings }) => ({
      title,
      settings: settings.filter(({ name, hint }) => `${title} ${name} ${hint}`.toLowerCase().includes(wanted)),
    }))
    .filter(({ settings }) => settings.length > 0);
  return (
    <div className="settings" role="document" aria-label="Settings">
      <h1>Settings</h1>
      <label className="search settings-search">
        <Icon name="search" />
        <input
          className="grow"
          type="search"
          placeholder="Search settings"
          aria-label="Search settings"
          value={query}
          onChange={({ target }) => setQuery(target.value)}
        />
      </label>
      {found.map(({ title, settings }) => (
        <section key={title}>
          <h2>{title}</h2>
          {settings.map(({ name, hint, view }) => (
            <Setting key={name} name={name} hint={hint}>
              {view}
            </Setting>
          ))}
        </section>
      ))}
      {found.length === 0 && <p className="muted">No setting has these words.</p>}
      <p className="settings-foot">
        <button type="button" className="button" onClick={() => commands.run('help.keys')}>
          Keyboard shortcuts
        </button>
      </p>
    </div>
  );
}

function Setting({
  name,
  hint,
  children,
}: {
  readonly name: string;
  readonly hint: string;
  readonly children: ReactNode;
}) {
  return (
    <div className="setting">
      <div>
        <b>{name}</b>
        <small>{hint}</small>
      </div>
      <div className="setting-control">{children}</div>
    </div>
  );
}

interface ChoiceProps<K extends 'theme' | 'density' | 'keymap'> {
  readonly of: K;
  readonly values: readonly SettingsState[K][];
  readonly names: Readonly<Record<SettingsState[K], string>>;
}

function Choice<K extends 'theme' | 'density' | 'keymap'>({ of, values, names }: ChoiceProps<K>) {
  const { settings, commands } = useStudio();
  const value = useStore(settings.state, (state) => state[of]);
  const change = (next: string) => settings.change({ [of]: next }).catch(commands.onFailure);
  return (
    <span className="select">
      <select aria-label={labels[of]} value={value} onChange={({ target }) => change(target.value)}>
        {values.map((each) => (
          <option key={each} value={each}>
            {names[each]}
          </option>
        ))}
      </select>
      <Icon name="chevron-down" size="small" />
    </span>
  );
}

const labels = {
  theme: 'Colour theme',
  density: 'Density',
  keymap: 'Keymap',
  wordWrap: 'Word wrap',
  formatOnSave: 'Format on save',
} as const;

function Toggle({ of }: { readonly of: 'wordWrap' | 'formatOnSave' }) {
  const { settings, commands } = useStudio();
  const value = useStore(settings.state, (state) => state[of]);
  return (
    <button
      type="button"
      role="switch"
      aria-checked={value}
      aria-label={labels[of]}
      className={value ? 'toggle on' : 'toggle'}
      onClick={() => settings.change({ [of]: !value }).catch(commands.onFailure)}
    />
  );
}

function FontSize() {
  const { settings, commands } = useStudio();
  const { fontSize } = useStore(settings.state);
  return (
    <input
      className="input number-input"
      type="number"
      aria-label="Font size"
      min={fontSizes.least}
      max={fontSizes.most}
      defaultValue={fontSize}
      onChange={({ target }) => {
        const next = target.valueAsNumber;
        if (next >= fontSizes.least && next <= fontSizes.most)
          settings.change({ fontSize: next }).catch(commands.onFailure);
      }}
    />
  );
}
