import type { ModuleEntry, PluginEntry } from '@svc/protocol/wire';
import { useEffect } from 'react';
import { debugOf } from '../debug/session/session.ts';
import { revealOffsets } from '../editor/reveal.ts';
import { tabOf } from '../shell/layout.ts';
import { type Studio, useStudio } from '../shell/studio.ts';
import { IconButton } from '../shell/window/icon-button.tsx';
import { Section } from '../shell/window/section.tsx';
import { useStore } from '../state/use-store.ts';
import { ConnectorIcon } from './connector-icon.tsx';
import { type Declaration, declarationsOf } from './declarations.ts';
import { ModuleList } from './module-list.tsx';
import { type Plugins, providedText } from './plugins.ts';

/** Makes the side view: each plugin with its modules and what they do, then modules that the configuration names itself. */
export function pluginsSide(plugins: Plugins) {
  return function PluginsSide() {
    const studio = useStudio();
    const declared = useStore(declarationsOf(studio).all);
    const found = useStore(plugins.state);
    const { connection } = useStore(debugOf(studio).model.state);
    useEffect(() => plugins.watch(() => document.visibilityState === 'visible'), []);
    const written = declared.filter(({ kind }) => kind === 'plugin');
    const shown = found === undefined ? written.map(unknownOf) : found.plugins;
    const own = found?.modules.filter(({ plugin }) => plugin === null) ?? [];
    const isAttached = connection === 'attached';
    return (
      <>
        <Section
          title="Plugins"
          sub={shown.length === 0 ? undefined : String(shown.length)}
          fill
          tools={
            <IconButton icon="refresh" label="Refresh" disabled={!isAttached} onClick={() => void plugins.refresh()} />
          }
        >
          <div className="section-body">
            {shown.map((plugin) => (
              <PluginRow
                key={plugin.name}
                plugin={plugin}
                modules={found?.modules.filter((module) => module.plugin === plugin.name) ?? []}
                declaration={written.find(({ name }) => name === plugin.name)}
              />
            ))}
            {shown.length === 0 && <NoPlugins />}
            {shown.length > 0 && found === undefined && <Detached isAttached={isAttached} />}
          </div>
        </Section>
        {own.length > 0 && (
          <Section title="Modules of the configuration" sub={String(own.length)}>
            <div className="section-body">
              <ModuleList modules={own} onOpen={(module) => open(studio, declarationOf(module, declared))} />
            </div>
          </Section>
        )}
      </>
    );
  };
}

/** A plugin of which only the declaration is known. */
type Shown = Pick<PluginEntry, 'name'> & Partial<PluginEntry>;

function unknownOf({ name }: Declaration): Shown {
  return { name };
}

interface PluginRowProps {
  readonly plugin: Shown;
  readonly modules: readonly ModuleEntry[];
  readonly declaration: Declaration | undefined;
}

function PluginRow({ plugin, modules, declaration }: PluginRowProps) {
  const studio = useStudio();
  const { name, version, manifest, icon, source, hash, description } = plugin;
  const isRunning = manifest !== undefined;
  return (
    <article className="plugin" aria-label={`Plugin ${name}`}>
      <div className="plugin-head">
        <button
          type="button"
          className="source-row"
          disabled={declaration === undefined}
          title={description || 'Open its declaration'}
          onClick={() => open(studio, declaration)}
        >
          <span className="tile">
            <ConnectorIcon name="plug" file={icon ?? undefined} />
          </span>
          <span className="grow">
            <b className="ellipsis">
              {name} {version}
            </b>
            <small className="ellipsis">{isRunning ? providedText(plugin as PluginEntry) : 'Declared'}</small>
          </span>
        </button>
        {isRunning && (
          <IconButton
            icon="code"
            label={`Open the manifest of ${name}`}
            disabled={manifest.startsWith('/') || manifest.startsWith('..')}
            reason={/^(\/|\.\.)/.test(manifest) ? 'it is outside of the folder' : undefined}
            onClick={() => studio.layout.open(tabOf('text', manifest))}
          />
        )}
      </div>
      {isRunning && (
        <p className="plugin-source ellipsis" title={hash === null ? source : `${source}\nSHA-256 ${hash}`}>
          {source}
          {hash !== null && hash !== undefined && <span className="mono"> {hash.slice(0, 12)}</span>}
        </p>
      )}
      {modules.length > 0 && <ModuleList modules={modules} />}
    </article>
  );
}

function open(studio: Studio, declaration: Declaration | undefined): void {
  if (declaration === undefined) return;
  const { file, range } = declaration;
  revealOffsets(studio, file, range.start, range.end).catch((error: unknown) => studio.notices.failed(error));
}

/** Where a module that no plugin has is named. */
function declarationOf({ name, kind }: ModuleEntry, declared: readonly Declaration[]): Declaration | undefined {
  if (kind === 'functions') return declared.find((each) => each.kind === kind && each.name === name);
  return declared.find((each) => each.kind === kind && name === `${kind} ${each.name}`);
}

function Detached({ isAttached }: { readonly isAttached: boolean }) {
  const { commands } = useStudio();
  if (isAttached) return <p className="section-empty">The attached service does not say what its modules do.</p>;
  return (
    <div className="empty">
      <p>No service attached. What modules do, and what they are limited to, is shown while it runs.</p>
      <div className="acts">
        <button
          type="button"
          className="button primary"
          disabled={!commands.isEnabled('run.start')}
          onClick={() => commands.run('run.start')}
        >
          Start this project
        </button>
      </div>
    </div>
  );
}

function NoPlugins() {
  return (
    <div className="empty">
      <p>
        A plugin is a folder with modules of WebAssembly and a manifest. It adds types of connectors, functions of
        expressions, validators and sanitizers. A service uses one that it declares:
      </p>
      <pre className="mono plugin-example">{'plugin "geo" {\n  source = "./plugins/geo"\n}'}</pre>
      <code className="command-line">svc docs plugin</code>
    </div>
  );
}
