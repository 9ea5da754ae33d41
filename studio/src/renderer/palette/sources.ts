import type { DocumentSymbol, StructureItem } from '@svc/protocol/language';
import { revealLine, revealOffsets } from '../editor/reveal.ts';
import { fileLooksOf } from '../explorer/file-looks.ts';
import { lookOf } from '../outline/look.ts';
import { needArgument } from '../shell/commands.ts';
import { chordsOf } from '../shell/keys.ts';
import { partsOf, tabOf } from '../shell/layout.ts';
import type { Studio } from '../shell/studio.ts';
import type { PaletteItem, PaletteSource } from './palette.ts';
import type { RecentFiles } from './recent-files.ts';

/** Files by name, those that were open last first. */
export function filesSource(studio: Studio, recent: RecentFiles): PaletteSource {
  const { project, layout } = studio;
  const fileLooks = fileLooksOf(studio);
  return {
    prefix: '',
    placeholder: 'Go to file  (> commands, @ symbols, # all symbols, : line)',
    nothing: 'No file has this name. Type > to find a command.',
    items: (query) => {
      const files = project.entries.value.filter(({ kind }) => kind === 'file').map(({ path }) => path);
      const last = recent.order(files, partsOf(layout.active ?? ':').path);
      const others = files.filter((path) => !last.includes(path)).sort();
      const item = (path: string, group: string): PaletteItem => ({
        id: path,
        title: path.slice(path.lastIndexOf('/') + 1),
        detail: path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : undefined,
        icon: fileLooks.of(path),
        group,
        run: () => layout.open(tabOf('text', path)),
      });
      const found = [...last.map((path) => item(path, 'Recent')), ...others.map((path) => item(path, 'Files'))];
      return query === '' ? found.slice(0, 60) : found;
    },
  };
}

/** Every command that can run now, with its keys. */
export function commandsSource(studio: Studio): PaletteSource {
  const { commands } = studio;
  return {
    prefix: '>',
    placeholder: 'Run a command',
    nothing: 'No command is called this.',
    items: () =>
      [...commands.all.value.values()]
        .filter(({ id }) => commands.isEnabled(id) && !needArgument.has(id))
        .sort((a, b) => a.title.localeCompare(b.title))
        .map((command) => ({
          id: command.id,
          title: command.title,
          keys: chordsOf(command, studio.keyRules)[0],
          run: () => commands.run(command.id),
        })),
  };
}

/** Blocks of the file with the focus, at any depth. */
export function symbolsSource(studio: Studio): PaletteSource {
  return {
    prefix: '@',
    placeholder: 'Go to a block of this file',
    nothing: 'This file has no such block.',
    items: async (_query, signal) => {
      const path = textPath(studio);
      if (path === undefined) return [];
      const symbols = await studio.language.ask('documentSymbols', [path], signal);
      return flat(symbols, []).map(({ symbol, above }, index) => ({
        id: String(index),
        title: symbol.name,
        detail: [symbol.name === symbol.kind ? '' : symbol.kind, above.join(' \u203a ')].filter(Boolean).join('  '),
        icon: iconOf(symbol),
        run: () => revealOffsets(studio, path, symbol.selection.start, symbol.selection.end),
      }));
    },
  };
}

function flat(
  symbols: readonly DocumentSymbol[],
  above: readonly string[],
): readonly { symbol: DocumentSymbol; above: readonly string[] }[] {
  return symbols.flatMap((symbol) => [{ symbol, above }, ...flat(symbol.children, [...above, symbol.name])]);
}

/** Named blocks of every file. */
export function workspaceSymbolsSource(studio: Studio): PaletteSource {
  return {
    prefix: '#',
    placeholder: 'Go to a flow, connector or type of the project',
    nothing: 'No block has this name.',
    items: async (_query, signal) => {
      const [symbols, outline] = await Promise.all([
        studio.language.ask('workspaceSymbols', [''], signal),
        studio.language.ask('outline', [], signal),
      ]);
      const kinds = new Map(
        outline.connectors.map((connector) => [`${connector.file} ${connector.name}`, connector.kind]),
      );
      return symbols.map((symbol, index) => {
        const { name, kind, file, range } = symbol;
        return {
          id: String(index),
          title: name,
          detail: `${kind}  ${file}`,
          icon: iconOf(symbol, kind === 'connector' ? kinds.get(`${file} ${name}`) : undefined),
          run: () => revealOffsets(studio, file, range.start, range.start),
        };
      });
    },
  };
}

/** A line of the file with the focus, and a column behind a second colon. */
export function lineSource(studio: Studio): PaletteSource {
  return {
    prefix: ':',
    placeholder: 'Go to line, or line:column',
    nothing: 'Type the number of a line.',
    isFiltered: true,
    items: (query) => {
      const path = textPath(studio);
      const document = path === undefined ? undefined : studio.project.documents.value.get(path);
      if (path === undefined || document === undefined) return [];
      const lines = document.model.getLineCount();
      const place = parseLine(query);
      if (place === undefined) return [];
      const line = Math.min(place.line, lines);
      const { column } = place;
      const title = `Go to line ${line}${column === undefined ? '' : `, column ${column}`}`;
      const run = () => revealLine(studio, path, line, (column ?? 1) - 1);
      return [{ id: 'line', title, detail: `of ${lines} in ${path}`, run }];
    },
  };
}

export function parseLine(query: string): { readonly line: number; readonly column: number | undefined } | undefined {
  const match = /^(\d{1,7})(?:[:,]\s*(\d{1,5})?)?$/.exec(query.trim());
  if (match === null || Number(match[1]) < 1) return undefined;
  const column = match[2] === undefined ? undefined : Math.max(1, Number(match[2]));
  return { line: Number(match[1]), column };
}

function textPath({ layout }: Studio): string | undefined {
  const { kind, path } = partsOf(layout.active ?? ':');
  return kind === 'text' ? path : undefined;
}

/** As the outline shows such a block. */
function iconOf(
  { kind, family }: Pick<DocumentSymbol, 'kind' | 'family'>,
  connector?: StructureItem['connector'],
): PaletteItem['icon'] {
  const { icon, className } = lookOf({ kind: 'block', word: kind, family, connector });
  return { name: icon, className };
}
