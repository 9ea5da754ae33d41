import { block, text } from '@svc/protocol/schema';

/** A path without a parameter, in signs that need no other spelling in HTML. */
const path = {
  source: '^/([A-Za-z0-9._~-]+(/[A-Za-z0-9._~-]+)*)?$',
  says: 'must be a path without parameters, such as /docs',
};

/** The `openapi` block of a REST server. */
export const openapi = block({
  doc: 'Serves the description of what the connector serves (OpenAPI 3.1; 3.2 where a flow takes QUERY). Written means served, in production too.',
  attributes: {
    path: text(
      'Path of the description. It asks for the credentials of the connector, unless the path is in `public`.',
      {
        default: '/openapi.json',
        pattern: path,
      },
    ),
    ui: text(
      'Path of a page (Swagger UI) that shows the description and sends requests; its files are below it. The page is open to everyone, what it asks for is not. No page is served when it is not written.',
      { pattern: path, example: '"/docs"' },
    ),
  },
  example: 'openapi {\n  path = "/openapi.json"\n  ui   = "/docs"\n}',
});

/** Files of the page, below its path, with their types. */
export const pageFiles: Readonly<Record<string, string>> = {
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'swagger-ui.css': 'text/css; charset=utf-8',
};

/** The script of the page that is not of its package. */
export const beginName = 'begin.js';

/** A file of the page whose path is `ui`. */
export function below(ui: string, name: string): string {
  return `${ui.replace(/\/+$/, '')}/${name}`;
}

/** What the block makes a connector serve; nothing where it is not written. */
export function described(config: Readonly<Record<string, unknown>>): readonly string[] {
  const places = config['openapi'] as { readonly path?: string; readonly ui?: string } | undefined;
  if (places === undefined) return [];
  const { path: document = '/openapi.json', ui } = places;
  const page = ui === undefined ? [] : [ui, ...[...Object.keys(pageFiles), beginName].map((name) => below(ui, name))];
  return [document, ...page].flatMap((each) => [`GET ${each}`, `HEAD ${each}`]);
}
