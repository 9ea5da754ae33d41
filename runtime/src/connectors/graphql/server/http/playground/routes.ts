import type { HttpExchange, HttpRoute } from '../../../../../foundation/contracts/http.ts';
import { BuiltFiles } from '../../../../../platform/http/content/built-files.ts';
import { pageFiles, pageFolder, pageParts } from './files.ts';
import { type PageOptions, pagePolicy, pageScripts, pageText } from './page.ts';

const built = new BuiltFiles(pageFolder, async (name) => {
  const file = pageFiles[name];
  return file === undefined ? '' : (await pageParts())[file.from];
});

/**
 * The page in which documents are written and run, and its files. They say nothing of the service, and are served to
 * everyone: what the page asks for carries the credentials that its user writes into it.
 */
export function playgroundRoutes(path: string, options: Omit<PageOptions, 'files'>): readonly HttpRoute[] {
  const files = path.replace(/\/+$/, '');
  const page = pageText({ ...options, files });
  const headers = ['cache-control', 'no-cache', 'referrer-policy', 'no-referrer'];
  const serve = (at: string, handle: (exchange: HttpExchange) => void): HttpRoute[] =>
    ['GET', 'HEAD'].map((method) => ({ method, path: at, open: true, handle }));
  const text = (type: string, body: string, more: readonly string[]) => (exchange: HttpExchange) =>
    exchange.send(200, type, body, [...headers, ...more]);
  return [
    ...serve(path, text('text/html; charset=utf-8', page, ['content-security-policy', pagePolicy])),
    ...Object.entries(pageScripts).flatMap(([name, script]) =>
      serve(`${files}/${name}`, text('text/javascript; charset=utf-8', script, [])),
    ),
    ...Object.entries(pageFiles).flatMap(([name, { type }]) =>
      serve(`${files}/${name}`, (exchange) => built.send(exchange, name, type, headers)),
    ),
  ];
}
