import type { Origin } from '@svc/protocol/schema';
import { type Block, type Expression, literalText, type SyntaxTree } from '@svc/protocol/syntax';
import { newest } from './constraint.ts';
import { isFolder } from './source.ts';

/** A root block `plugin "name"`, as it is known before anything is decoded: its attributes are constants. */
export interface DeclaredPlugin {
  readonly name: string;
  readonly nameOrigin: Origin;
  readonly source: string;
  readonly sourceOrigin: Origin;
  /** The versions that may be used. */
  readonly constraint: string;
  /** Whether a folder is copied instead of being read where it is. */
  readonly copy: boolean;
}

/** Names of plugins, which are names of folders too. */
export const pluginName = /^[a-z][a-z0-9_-]{0,63}$/;

/** The folder below the configuration that plugins are installed to, unless `SVC_PLUGIN_CACHE` names another one. */
export const standardCache = 'svc_plugins';

/** The declarations of a file whose sources are constants; others are refused where their blocks are checked. */
export function declaredIn({ file, body }: SyntaxTree): readonly DeclaredPlugin[] {
  return body.items.flatMap((item) => {
    if (item.kind !== 'block' || item.type.text !== 'plugin') return [];
    const [label] = item.labels;
    const value = attributeOf(item, 'source');
    const source = literalText(value);
    if (label === undefined || value === undefined || source === undefined) return [];
    const copy = attributeOf(item, 'copy');
    return [
      {
        name: label.text,
        nameOrigin: { file, range: label },
        source,
        sourceOrigin: { file, range: value },
        constraint: literalText(attributeOf(item, 'version'))?.trim() ?? newest,
        copy: copy?.kind === 'boolean' && copy.value,
      },
    ];
  });
}

/** Whether a plugin is read where it is, and has no entry in the lock. */
export function isInPlace({ source, copy }: Pick<DeclaredPlugin, 'source' | 'copy'>): boolean {
  return isFolder(source) && !copy;
}

/** The folder that a plugin is read from, relative to the configuration directory or absolute. */
export function folderOf(
  plugin: Pick<DeclaredPlugin, 'name' | 'source' | 'copy'>,
  env: (name: string) => string | undefined,
): string {
  return isInPlace(plugin) ? plugin.source : `${cacheOf(env)}/${plugin.name}`;
}

/** The folder that plugins are installed to, relative to the configuration directory or absolute. */
export function cacheOf(env: (name: string) => string | undefined): string {
  return (env('SVC_PLUGIN_CACHE') || standardCache).replace(/(?<=.)[/\\]+$/, '');
}

function attributeOf({ body }: Block, name: string): Expression | undefined {
  const written = body.items.find((one) => one.kind === 'attribute' && one.name.text === name);
  return written?.kind === 'attribute' ? written.value : undefined;
}
