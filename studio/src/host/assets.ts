import { readFile, realpath } from 'node:fs/promises';
import { extname, join, sep } from 'node:path';

/** What pages may load and do. Nothing comes from anywhere else, and no script is inside a page. */
export const contentPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "worker-src 'self' blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Sent with everything that is served, in a browser and in Electron. */
export const safeHeaders: Readonly<Record<string, string>> = {
  'content-security-policy': contentPolicy,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.map': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.ttf': 'font/ttf',
  '.wasm': 'application/wasm',
  '.woff2': 'font/woff2',
};

export interface Asset {
  readonly bytes: Buffer<ArrayBuffer>;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * The file that the path of a URL names below a folder; undefined when it does not exist or is outside of the folder.
 */
export async function readAsset(directory: string, urlPath: string): Promise<Asset | undefined> {
  const path = decoded(urlPath === '/' ? '/index.html' : urlPath);
  if (path === undefined || !/^(?:\/[\w][\w.@+-]*)+$/.test(path)) return undefined;
  try {
    const [root, file] = await Promise.all([realpath(directory), realpath(join(directory, path))]);
    if (!file.startsWith(root + sep)) return undefined;
    const type = types[extname(file).toLowerCase()] ?? 'application/octet-stream';
    // Names of files below assets change with what is in them.
    const caching = path.startsWith('/assets/') ? 'private, max-age=31536000, immutable' : 'no-store';
    const headers = { ...safeHeaders, 'content-type': type, 'cache-control': caching };
    return { bytes: await readFile(file), headers };
  } catch {
    return undefined;
  }
}

function decoded(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}
