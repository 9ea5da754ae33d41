import { createContext, use } from 'react';
import type { Bridge } from '../../shared/services.ts';
import { FlowMap } from '../debug/flow-map.ts';
import { DebugSession } from '../debug/session.ts';
import { Stops } from '../debug/stops.ts';
import { Editors } from '../editor/editors.ts';
import { FileLooks } from '../explorer/file-looks.ts';
import { LanguageClient } from '../language/language-client.ts';
import { Palette } from '../palette/palette.ts';
import { Project } from '../project/project.ts';
import { ServiceRun } from '../run/service.ts';
import { Settings } from '../settings/settings.ts';
import { followTheme, type Theme } from '../settings/theme.ts';
import { Store } from '../state/store.ts';
import { Commands } from './commands.ts';
import { Contributions } from './contributions.ts';
import type { KeyRules } from './keys.ts';
import { Layout } from './layout.ts';
import { Menus } from './menus.ts';
import { Notices } from './notices.ts';

/** What every feature may use. It is made once, without any view. */
export class Studio {
  readonly bridge: Bridge;
  readonly commands = new Commands();
  readonly contributions = new Contributions();
  readonly layout = new Layout();
  readonly notices = new Notices();
  readonly menus = new Menus();
  readonly palette = new Palette();
  readonly settings: Settings;
  readonly language = new LanguageClient();
  /** Connectors and flows as they are written. */
  readonly flows = new FlowMap(this.language);
  /** The icon of each file, by what is in it. */
  readonly fileLooks = new FileLooks(this.language);
  /** Whether the host can be reached; calls made while it cannot wait for it. */
  readonly connection = new Store<'open' | 'lost'>('open');
  readonly project: Project;
  readonly theme: Store<Theme>;
  readonly debug: DebugSession;
  /** Every place where a flow can stop. */
  readonly stops: Stops;
  readonly service: ServiceRun;
  readonly editors = new Editors();
  /** Where the person is in the text: what breadcrumb, outline and canvas follow. */
  readonly focus = new Store<Focus | undefined>(undefined);
  /** Said to those who listen instead of look, politely; see `announce`. */
  readonly announcement = new Store('');

  constructor(bridge: Bridge) {
    this.bridge = bridge;
    this.settings = new Settings(bridge);
    this.debug = new DebugSession(bridge);
    this.stops = new Stops(this.language, this.debug.breakpoints);
    this.theme = followTheme(this.settings);
    this.project = new Project(bridge, this.language);
    this.service = new ServiceRun(bridge, this.project, this.notices, this.debug);
    this.commands.onFailure = (error) => this.notices.failed(error);
  }

  get keyRules(): KeyRules {
    const { keymap, keys } = this.settings.state.value;
    return { keymap, keys, host: this.bridge.host };
  }

  announce = (text: string): void => this.announcement.set(text);
}

/** A place in a text, from 0 in UTF-16 units. `by` says who moved there, so that nobody answers to himself. */
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
