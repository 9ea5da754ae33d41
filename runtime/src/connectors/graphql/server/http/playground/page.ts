/** Where the page sends what is written in it. */
export interface PageOptions {
  /** Path below which the files of the page are, without a slash at its end. */
  readonly files: string;
  readonly endpoint: string;
  /** Path of subscriptions over WebSocket; undefined: not served. */
  readonly subscriptions: string | undefined;
}

/**
 * What the page may do: it loads its own files, and asks the server that it came from. The editor writes its styles into
 * the page.
 */
export const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "worker-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "font-src 'self' data:",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The page. Its values are paths that the configuration checks, without a sign that HTML knows. */
export function pageText({ files, endpoint, subscriptions = '' }: PageOptions): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>GraphiQL</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${files}/graphiql.css">
</head>
<body data-files="${files}" data-endpoint="${endpoint}" data-subscriptions="${subscriptions}">
<noscript>This page needs JavaScript.</noscript>
<div id="root"></div>
<script src="${files}/workers.js"></script>
<script src="${files}/graphiql.js"></script>
<script src="${files}/begin.js"></script>
</body>
</html>
`;
}

/** Scripts of the page that are not of its package. */
export const pageScripts: Readonly<Record<string, string>> = {
  'workers.js': `const { files } = document.body.dataset;
const workers = { editorWorkerService: 'editor', json: 'json', graphql: 'graphql' };
self.MonacoEnvironment = {
  globalAPI: false,
  getWorkerUrl: (_module, label) => files + '/' + workers[label] + '.worker.js',
};
`,
  // What is written as headers, such as tokens, is not kept in the browser.
  'begin.js': `const { endpoint, subscriptions } = document.body.dataset;
const socket = subscriptions && new URL(subscriptions, location.href).href.replace(/^http/, 'ws');
YogaGraphiQL.renderYogaGraphiQL(document.querySelector('#root'), {
  endpoint,
  title: 'GraphiQL',
  shouldPersistHeaders: false,
  ...(socket && { subscriptionsProtocol: 'WS', subscriptionsEndpoint: socket }),
});
`,
};
