// The licences of the packages that are in what was built.
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
  readonly licenses?: readonly { readonly type: string }[];
  readonly author?: string | { readonly name: string };
}

/** Packages whose manifest names no licence, with the one that their file has. */
const namedByFile: Readonly<Record<string, string>> = { 'png-js': 'MIT' };

/** Packages that name a standard licence, in their manifest and readme, and leave its text out. */
const textLeftOut: ReadonlySet<string> = new Set(['brotli', 'dfa', 'fontkit', 'saxes']);

/** The folders of the packages that these files are in, from the absolute paths of files or those below `root`. */
export function packagesOf(files: Iterable<string>, root: string): ReadonlySet<string> {
  const folders = [...files].flatMap((file) => {
    const [, folder] = /^\0?(.*node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/?]+)/.exec(file) ?? [];
    return folder === undefined ? [] : [resolve(root, folder)];
  });
  return new Set(folders);
}

/** Name, version, licence and its text of each package, sorted. Throws when a package has no licence to name. */
export function noticesOf(folders: Iterable<string>): string {
  const notices = new Map<string, string>();
  for (const folder of folders) {
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
    const title = `${manifest.name} ${manifest.version}`;
    const licence =
      manifest.license ?? manifest.licenses?.map(({ type }) => type).join(' OR ') ?? namedByFile[manifest.name];
    if (!licence) throw new Error(`${title} names no licence. Where a file of it does, add it to scripts/notices.ts`);
    const text = textIn(folder) ?? (textLeftOut.has(manifest.name) ? standardText(licence, manifest) : undefined);
    if (text === undefined) throw new Error(`${title} has no text of its licence, ${licence}`);
    notices.set(title, `${title}\nLicence: ${licence}\n\n${text.replaceAll('\r\n', '\n').trim()}\n`);
  }
  const sorted = [...notices].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, notice]) => notice);
  return sorted.join(`\n${'-'.repeat(80)}\n\n`);
}

/** The files that are about the licence, else the part of the readme that is. */
function textIn(folder: string): string | undefined {
  const names = readdirSync(folder).sort();
  const files = names.filter((name) => /^(?:licen[cs]e|copying|notice|third-?party)|\.license\.txt$/i.test(name));
  if (files.length > 0) return files.map((name) => readFileSync(join(folder, name), 'utf8')).join('\n\n');
  const readme = names.find((name) => /^readme/i.test(name));
  const [, text = ''] =
    /^#+ licen[cs]e\s*\n(.+)/ims.exec(readme === undefined ? '' : readFileSync(join(folder, readme), 'utf8')) ?? [];
  return /permission|redistribution/i.test(text) ? text.split(/^#/m)[0] : undefined;
}

function standardText(licence: string, { author }: Manifest): string | undefined {
  const holder = typeof author === 'object' ? author.name : author;
  const text = standardTexts[licence];
  return text === undefined || holder === undefined ? undefined : `Copyright (c) ${holder}\n\n${text}`;
}

const standardTexts: Readonly<Record<string, string>> = {
  MIT: `Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated
documentation files (the "Software"), to deal in the Software without restriction, including without limitation the
rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit
persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the
Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR
COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR
OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`,
  ISC: `Permission to use, copy, modify, and/or distribute this software for any purpose with or without fee is hereby
granted, provided that the above copyright notice and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH REGARD TO THIS SOFTWARE INCLUDING ALL
IMPLIED WARRANTIES OF MERCHANTABILITY AND FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT,
INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS OF USE, DATA OR PROFITS, WHETHER IN AN
ACTION OF CONTRACT, NEGLIGENCE OR OTHER TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF
THIS SOFTWARE.`,
};
