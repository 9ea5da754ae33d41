import { Store } from '../state/store.ts';
import type { Settings, ThemeChoice } from './settings.ts';

export type Theme = Exclude<ThemeChoice, 'system'>;

/** The theme that is shown: what the person chose, else what the system asks for. */
export function followTheme(settings: Settings): Store<Theme> {
  const light = matchMedia('(prefers-color-scheme: light)');
  const contrast = matchMedia('(prefers-contrast: more)');
  const current = (): Theme => {
    const { theme } = settings.state.value;
    if (theme !== 'system') return theme;
    const base = light.matches ? 'light' : 'dark';
    return contrast.matches ? `hc-${base}` : base;
  };
  const shown = new Store(current());
  const apply = () => {
    const { dataset } = document.documentElement;
    const theme = current();
    // First the page, then those who read its colours.
    dataset['theme'] = theme;
    dataset['density'] = settings.state.value.density;
    shown.set(theme);
  };
  apply();
  settings.state.subscribe(apply);
  light.addEventListener('change', apply);
  contrast.addEventListener('change', apply);
  return shown;
}
