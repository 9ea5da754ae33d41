import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * A copy of an example that tests may change, in a folder of its own. What running the example left behind is not
 * copied.
 */
export function copyExample(name: string): { readonly directory: string; remove(): void } {
  const directory = mkdtempSync(join(tmpdir(), `svc-${name}-`));
  const leftOver = /\.db(-wal|-shm)?$|\/\.env$/;
  cpSync(join(import.meta.dirname, '..', 'examples', name), directory, {
    recursive: true,
    filter: (path) => !leftOver.test(path),
  });
  return { directory, remove: () => rmSync(directory, { recursive: true, force: true }) };
}

/** Status and decoded body of one request. */
export interface Reply {
  readonly status: number;
  /** Undefined when the answer had no body. */
  readonly body: unknown;
}

/** One request with a JSON body; text is sent as it is. */
export async function ask(method: string, url: string, body?: unknown): Promise<Reply> {
  const answer = await fetch(url, {
    method,
    ...(body === undefined
      ? {}
      : {
          headers: { 'content-type': 'application/json' },
          body: typeof body === 'string' ? body : JSON.stringify(body),
        }),
  });
  const text = await answer.text();
  return { status: answer.status, body: text === '' ? undefined : JSON.parse(text) };
}
