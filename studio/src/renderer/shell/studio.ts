import { createContext, use } from 'react';
import type { Bridge } from '../../shared/services.ts';
import { LanguageClient } from '../language/language-client.ts';
import { Settings } from '../preferences/settings.ts';
import { followTheme, type Theme } from '../preferences/theme.ts';
import { Project } from '../project/project.ts';
import { Store } from '../state/store.ts';
import { Commands } from './commands.ts';
import { Contributions } from './contributions.ts';
import type { KeyRules } from './keys.ts';
import { Layout } from './layout.ts';
import { Menus } from './menus.ts';
import { Notices } from './notices.ts';

/**
 * What every feature may use. It is made once, without any view. What a feature itself has one of, such as the session
 * of the debugger, is a part of the studio that the feature names; see `partOfStudio`.
 */
export class Studio {
  readonly bridge: Bridge;
  readonly commands = new Commands();
  readonly contributions = new Contributions();
  readonly layout = new Layout();
  readonly notices = new Notices();
  readonly menus = new Menus();
  readonly settings: Settings;
  readonly language = new LanguageClient();
  /** Whether the host can be reached; calls made while it cannot wait for it. */
  readonly connection = new Store<'open' | 'lost'>('open');
  readonly project: Project;
  readonly theme: Store<Theme>;
  /** Where the person is in the text: what breadcrumb, outline and canvas follow. */
  readonly focus = new Store<Focus | undefined>(undefined);
  /** Said to those who listen instead of look, politely; see `announce`. */
  readonly announcement = new Store('');

  constructor(bridge: Bridge) {
    this.bridge = bridge;
    this.settings = new Settings(bridge);
    this.theme = followTheme(this.settings);
    this.project = new Project(bridge, this.language);
    this.commands.onFailure = (error) => this.notices.failed(error);
  }

  get keyRules(): KeyRules {
    const { keymap, keys } = this.settings.state.value;
    return { keymap, keys, host: this.bridge.host };
  }

  announce = (text: string): void => this.announcement.set(text);
}

/**
 * Something that a feature makes once for each studio, when it is first asked for. A feature that must see what happens
 * from the start asks for it when it contributes.
 */
export function partOfStudio<T>(make: (studio: Studio) => T): (studio: Studio) => T {
  const made = new WeakMap<Studio, { readonly part: T }>();
  return (studio) => {
    const known = made.get(studio);
    if (known !== undefined) return known.part;
    const part = make(studio);
    made.set(studio, { part });
    return part;
  };
}

/** A place in a text, from 0 in UTF-16 units. `by` says who moved there, so that no listener answers to itself. */
export interface Focus {
  readonly path: string;
  readonly start: number;
  readonly end: number;
  readonly by: 'text' | 'canvas' | 'tree' | 'debug' | 'problems';
}

export const StudioContext = createContext<Studio | undefined>(undefined);

export function useStudio(): Studio {
  const studio = use(StudioContext);
  if (studio === undefined) throw new Error('there is no studio around this view');
  return studio;
}
