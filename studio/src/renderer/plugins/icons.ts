import type { Bridge } from '../../shared/services.ts';
import { partOfStudio } from '../shell/studio.ts';
import { Store } from '../state/store.ts';

/** Icons of plugins by their files, as addresses of pictures; one that cannot be shown has an empty text. */
export class PluginIcons {
  readonly addresses = new Store<ReadonlyMap<string, string>>(new Map());
  readonly #bridge: Pick<Bridge, 'call'>;
  readonly #asked = new Set<string>();

  constructor(bridge: Pick<Bridge, 'call' | 'on'>) {
    this.#bridge = bridge;
    bridge.on('files.changed', ({ changes }) => {
      for (const { path } of changes) if (this.#asked.has(path)) void this.#read(path);
    });
  }

  /** Reads an icon that was not asked for before. */
  want(path: string): void {
    if (this.#asked.has(path)) return;
    this.#asked.add(path);
    void this.#read(path);
  }

  async #read(path: string): Promise<void> {
    // An image runs no script and loads nothing. The host has refused what takes long to draw.
    const address = await this.#bridge.call('files.icon', { path }).then(
      ({ svg }) => `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`,
      () => '',
    );
    this.addresses.update((all) => new Map(all).set(path, address));
  }
}

export const pluginIconsOf = partOfStudio(({ bridge }) => new PluginIcons(bridge));
