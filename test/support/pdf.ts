import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What another program (poppler) reads in a document: its text, laid out as it is printed. */
export function textOf(bytes: Uint8Array): string {
  return ask(bytes, (file) => execFileSync('pdftotext', ['-layout', file, '-'], { encoding: 'utf8' }));
}

/** How many pages another program finds in a document. */
export function pagesOf(bytes: Uint8Array): number {
  return Number(/^Pages:\s+(\d+)/m.exec(infoOf(bytes))?.[1]);
}

/** What another program says of a document: title, size of pages, fonts. */
export function infoOf(bytes: Uint8Array): string {
  return ask(bytes, (file) => {
    const info = execFileSync('pdfinfo', [file], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
    return info + execFileSync('pdffonts', [file], { encoding: 'utf8' });
  });
}

/** Where words are: `[xMin, yMin, text]` of each, in points from the top left corner of its page. */
export function wordsOf(
  bytes: Uint8Array,
): readonly { readonly x: number; readonly y: number; readonly text: string }[] {
  const html = ask(bytes, (file) => execFileSync('pdftotext', ['-bbox', file, '-'], { encoding: 'utf8' }));
  return [...html.matchAll(/<word xMin="([\d.]+)" yMin="([\d.]+)"[^>]*>(.*?)<\/word>/g)].map(([, x, y, text]) => ({
    x: Number(x),
    y: Number(y),
    text: String(text),
  }));
}

function ask(bytes: Uint8Array, read: (file: string) => string): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-pdf-'));
  try {
    const file = join(folder, 'a.pdf');
    writeFileSync(file, bytes);
    return read(file);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
