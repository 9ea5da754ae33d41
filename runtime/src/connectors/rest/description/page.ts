/**
 * What the page may do: it loads its own files, and asks the server that it came from. It writes styles into itself, and has
 * its pictures as data.
 */
export const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/**
 * The page, without a word of the service. Its values are paths that the configuration checks, without a sign that HTML
 * knows; `document` is a path as the page sees it.
 */
export function pageText(files: string, document: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${files}/swagger-ui.css">
</head>
<body data-document="${document}">
<noscript>This page needs JavaScript.</noscript>
<div id="root"></div>
<script src="${files}/swagger-ui-bundle.js"></script>
<script src="${files}/begin.js"></script>
</body>
</html>
`;
}

/** Shows the document. Credentials that are written into the page are not kept in the browser, and no other server is asked. */
export const beginScript = `SwaggerUIBundle({
  url: document.body.dataset.document,
  dom_id: '#root',
  deepLinking: true,
  persistAuthorization: false,
  queryConfigEnabled: false,
  validatorUrl: null,
});
`;
