import { readFileSync, writeFileSync } from 'node:fs';
import { type FaultProxy, faultProxy } from '../../support/proxy.ts';
import type { OtherEnd, Written } from './row.ts';

const addresses = /(127\.0\.0\.1|localhost):(\d+)/g;

/** Proxies before what connectors speak with, which refuse every connection until it is notified that the peers are there. */
export class PeersAway {
  readonly #proxies = new Map<number, Promise<FaultProxy>>();

  /** The other end behind proxies; undefined where its block names no address. */
  async behind(end: OtherEnd): Promise<OtherEnd> {
    return { ...end, block: (await this.#moved(end.block ?? {})) as Written };
  }

  async arrive(): Promise<void> {
    for (const proxy of await Promise.all(this.#proxies.values())) proxy.fault = 'pass';
  }

  async close(): Promise<void> {
    for (const proxy of await Promise.all(this.#proxies.values())) await proxy.close();
  }

  async #moved(value: unknown, name = ''): Promise<unknown> {
    if (name === 'known_hosts') return this.#knownHosts(String(value));
    if (typeof value === 'string') {
      const ports = [...value.matchAll(addresses)].map(([, , port]) => Number(port));
      let moved = value;
      for (const port of ports) moved = moved.replaceAll(`:${port}`, `:${await this.#at(port)}`);
      return moved;
    }
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return Promise.all(value.map((each) => this.#moved(each)));
    const members = Object.entries(value).map(async ([key, member]) => {
      const isPort = key === 'port' && typeof member === 'number' && 'host' in value;
      return [key, isPort ? await this.#at(member) : await this.#moved(member, key)] as const;
    });
    return Object.fromEntries(await Promise.all(members));
  }

  /** The keys of servers of SSH are those of their ports. */
  async #knownHosts(file: string): Promise<string> {
    writeFileSync(
      `${file}.away`,
      String(await this.#moved(readFileSync(file, 'utf8').replaceAll(']:', ':').replaceAll('[', ''))).replaceAll(
        /^([\d.]+):(\d+)/gm,
        '[$1]:$2',
      ),
    );
    return `${file}.away`;
  }

  async #at(port: number): Promise<number> {
    let proxy = this.#proxies.get(port);
    if (proxy === undefined) {
      proxy = faultProxy({ port }).then((made) => Object.assign(made, { fault: 'refuse' }));
      this.#proxies.set(port, proxy);
    }
    return (await proxy).port;
  }
}
