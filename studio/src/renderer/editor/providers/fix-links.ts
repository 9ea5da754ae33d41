import type { Range } from '@svc/protocol/text';
import { pathOf } from '../../project/document.ts';
import { monaco } from '../../project/monaco.ts';
import type { Studio } from '../../shell/studio.ts';
import { applyAction } from '../code-action.ts';

const fix = 'svc.fix';
/** Fixes that one card shows. */
const mostLinks = 3;

/** What a link of a card says, as JSON. */
type Said = readonly [path: string, version: number, start: number, end: number, title: string];

/** Links in the cards of problems do what their fix says, in the text as it was when the card was shown. */
export function registerFixes(studio: Studio): void {
  monaco.editor.registerCommand(fix, (_accessor, ...[path, version, start, end, title]: Said) => {
    const apply = async () => {
      const model = studio.project.documents.value.get(path)?.model;
      if (model === undefined || model.isDisposed() || model.getVersionId() !== version) return;
      const actions = await studio.language.ask('codeActions', [path, { start, end }]);
      const action = actions.find((each) => each.title === title);
      if (action !== undefined && model.getVersionId() === version) await applyAction(studio, action);
    };
    apply().catch((error: unknown) => studio.notices.failed(error));
  });
}

/** The fixes of the problems at an offset, as links; undefined where nothing can be done. */
export async function fixLinks(
  { language }: Studio,
  model: monaco.editor.ITextModel,
  offset: number,
  signal: AbortSignal,
): Promise<{ readonly content: monaco.IMarkdownString; readonly range: Range } | undefined> {
  const path = pathOf(model.uri);
  const version = model.getVersionId();
  const found = await language.ask('codeActions', [path, { start: offset, end: offset }], signal);
  const [first] = found;
  if (first === undefined) return undefined;
  const links = found.slice(0, mostLinks).map(({ title, diagnostic: { range } }) => {
    const said: Said = [path, version, range.start, range.end, title];
    return `[${plain(title)}](command:${fix}?${encodeURIComponent(JSON.stringify(said))})`;
  });
  return {
    content: { value: links.join(' '), isTrusted: { enabledCommands: [fix] } },
    range: first.diagnostic.range,
  };
}

/** A text in which nothing is a sign of Markdown: titles repeat names that files have. */
function plain(title: string): string {
  return title.replace(/[\\`*_{}[\]()#+\-.!<>|~&]/g, '\\$&').replace(/\s+/g, ' ');
}
