import type { ThemeChoice } from '../preferences/settings.ts';

export const themeNames: Readonly<Record<ThemeChoice, string>> = {
  system: 'As the system',
  dark: 'Dark',
  light: 'Light',
  'hc-dark': 'High contrast dark',
  'hc-light': 'High contrast light',
};
