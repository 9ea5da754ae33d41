import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { build } from 'esbuild';

const pages = ['bare-editor', 'bare-flow'] as const;

/** The pages that the studio is measured beside, served by a host that does nothing else: an empty one, and each alone. */
export async function servePages() {
  const root = join(import.meta.dirname, '..', '..', '..');
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: pages.map((name) => join(import.meta.dirname, `${name}.js`)),
    outdir: 'out',
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    define: { 'process.env.NODE_ENV': '"production"' },
    loader: { '.ttf': 'dataurl' },
  });
  const files = new Map(outputFiles.map(({ path, contents }) => [path.slice(path.lastIndexOf('/')), contents]));
  const server = createServer(({ url = '/' }, response) => {
    const file = files.get(url);
    if (file === undefined) response.setHeader('content-type', 'text/html').end(pageOf(url.slice(1)));
    else response.setHeader('content-type', url.endsWith('.css') ? 'text/css' : 'text/javascript').end(file);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    empty: `${address}/`,
    bareEditor: `${address}/bare-editor`,
    bareFlow: `${address}/bare-flow`,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function pageOf(name: string): string {
  const head = '<!doctype html><meta charset="utf-8">';
  if (name === '') return `${head}<p id="root">empty</p>`;
  return `${head}<link rel="stylesheet" href="/${name}.css"><div id="root" style="height:100vh"></div><script type="module" src="/${name}.js"></script>`;
}
