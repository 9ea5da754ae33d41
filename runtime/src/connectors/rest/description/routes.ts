import type { HttpExchange, HttpRoute } from '../../../foundation/contracts/http.ts';
import type { Declarations } from '../../../foundation/contracts/types.ts';
import { BuiltFiles } from '../../../platform/http/content/built-files.ts';
import { asVersion, tagOf } from '../versions.ts';
import { beginName, below, pageFiles } from './description-spec.ts';
import { pageFolder, pagePart } from './files.ts';
import { beginScript, pagePolicy, pageText } from './page.ts';

const built = new BuiltFiles(pageFolder, pagePart);
const headers = ['cache-control', 'no-cache', 'referrer-policy', 'no-referrer'];
const json = 'application/json; charset=utf-8';
const script = 'text/javascript; charset=utf-8';

/** Where a connector serves its description. */
export interface DescriptionPlaces {
  readonly path: string;
  /** Path of the page that shows it; undefined: there is no page. */
  readonly ui: string | undefined;
}

/**
 * The description of what a connector serves, and a page that shows it. The description asks for the credentials of the
 * connector, unless its path is public. The page and its files say nothing of the service, and are served to everyone.
 */
export function descriptionRoutes(
  { path, ui }: DescriptionPlaces,
  describe: NonNullable<Declarations['describe']>,
): readonly HttpRoute[] {
  const serve = (at: string, open: boolean, handle: (exchange: HttpExchange) => void): HttpRoute[] =>
    ['GET', 'HEAD'].map((method) => ({ method, path: at, open, handle }));
  let written: Promise<string> | undefined;
  const document = serve(path, false, (exchange) => {
    written ??= describe(baseOf(path));
    written.then(
      (text) => {
        const own = asVersion(exchange, () => tagOf(text), headers);
        if (own !== undefined) exchange.send(200, json, text, own);
      },
      (error: unknown) => exchange.refuse(error),
    );
  });
  if (ui === undefined) return document;
  const page = pageText(namesBeside(ui), steps(ui) + path.slice(1));
  const text = (type: string, body: string, more: readonly string[]) => (exchange: HttpExchange) =>
    exchange.send(200, type, body, [...headers, ...more]);
  return [
    ...document,
    ...serve(ui, true, text('text/html; charset=utf-8', page, ['content-security-policy', pagePolicy])),
    ...serve(below(ui, beginName), true, text(script, beginScript, [])),
    ...Object.entries(pageFiles).flatMap(([name, type]) =>
      serve(below(ui, name), true, (exchange) => built.send(exchange, name, type, headers)),
    ),
  ];
}

/** The files of a page as the page names them: beside its last word, so that a prefix which a proxy removes stays. */
function namesBeside(ui: string): string {
  return ui.endsWith('/') ? '.' : `./${ui.slice(ui.lastIndexOf('/') + 1)}`;
}

/** From a path up to the root of the server. */
function steps(path: string): string {
  return '../'.repeat(path.split('/').length - 2) || './';
}

/** The root of the server as the document names it, which is resolved against where the document is. */
function baseOf(path: string): string {
  return steps(path).replace(/\/$/, '');
}
