import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { expect } from 'vitest';
import { configured } from '../../../../../../test/support/configured.ts';
import { untilPassed } from '../../../../../../test/support/until.ts';
import type { TargetConnector } from '../../../testing/target-conformance.ts';
import { PdfBed } from '../../testing/bed.ts';
import { create } from '../connector.ts';
import { pdfChromium } from '../spec.ts';

// The sandbox of the browser cannot be used by the superuser, who runs tests in containers.
export const isRoot = process.getuid?.() === 0;
// A browser takes a second, and many times that on a machine with other work.
const usual = { timeout: 600_000, ...(isRoot && { sandbox: false }) };

/** Templates, and connectors that have them printed by a browser. */
export function chromiumBed(files: Readonly<Record<string, string | Uint8Array>>): PdfBed {
  return new PdfBed(files, (written, services) => {
    const values = configured(pdfChromium.config, { ...usual, ...written });
    return create('documents', values, services) as TargetConnector;
  });
}

/** Folders of browsers of this process. */
export const foldersOfBrowsers = () =>
  readdirSync(tmpdir()).filter((name) => name.startsWith('svc-browser-') && name.includes(`-${process.pid}-`));

/** Nothing of a browser is left: neither its folder, nor a process that has it. */
export async function expectNothingLeft(): Promise<void> {
  await untilPassed(() => {
    expect(foldersOfBrowsers()).toEqual([]);
    const processes = execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
    expect(processes).not.toMatch(new RegExp(`user-data-dir=\\S*svc-browser-\\w+-${process.pid}-`));
  });
}
