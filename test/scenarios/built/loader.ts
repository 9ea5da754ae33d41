// Reads names of modules from its input, loads each, and prints what they give.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const root = process.argv[2] as string;
const modules = JSON.parse(readFileSync(0, 'utf8')) as readonly string[];
const loaded: Record<string, { readonly names: Record<string, string> } | { readonly failure: string }> = {};
for (const path of modules) {
  const attributes = path.endsWith('.json') ? { with: { type: 'json' } } : {};
  try {
    const names = (await import(pathToFileURL(join(root, path)).href, attributes)) as Record<string, unknown>;
    loaded[path] = { names: Object.fromEntries(Object.entries(names).map(([name, value]) => [name, typeof value])) };
  } catch (error) {
    loaded[path] = { failure: String(error) };
  }
}
process.stdout.write(JSON.stringify(loaded), () => process.exit());
