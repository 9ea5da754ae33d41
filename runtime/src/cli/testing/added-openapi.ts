import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inDirectory, typed } from './typed.ts';

const service = 'service {\n  name = "shop"\n}\n';

/** Credentials that a configuration which was made of a description may ask for. */
const secrets = {
  SHOP_SECRET: 's'.repeat(40),
  SHOP_TOKEN: 't',
  SHOP_KEY: 'k'.repeat(40),
  SHOP_PASSWORD: 'p'.repeat(20),
  SHOP_USER: 'u',
  SHOP_CLIENT_ID: 'i',
  SHOP_CLIENT_SECRET: 's',
};

/** What was written, by path, and what `svc validate` and `svc fmt` say of it. */
export async function added(given: Readonly<Record<string, string | Uint8Array>>, words: readonly string[] = []) {
  const files = { 'service.hcl': service, ...given };
  return inDirectory(files, async (directory) => {
    const [file = ''] = Object.keys(given);
    const { status, error, out } = await typed(['add', 'openapi', file, '--connector', 'shop', ...words], directory);
    const paths = (readdirSync(directory, { recursive: true, encoding: 'utf8' }) as string[]).filter(
      (path) => path.endsWith('.hcl') && path !== 'service.hcl',
    );
    const written = Object.fromEntries(paths.sort().map((path) => [path, readFileSync(join(directory, path), 'utf8')]));
    const checked = await typed(['validate', '--strict'], directory, secrets);
    const { status: unformatted } = await typed(['fmt', '--check'], directory);
    return {
      status,
      error: error.replaceAll(`${directory}/`, ''),
      out,
      written,
      checks: [checked.status, unformatted],
    };
  });
}
