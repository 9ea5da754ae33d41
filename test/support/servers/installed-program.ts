import { existsSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { findProgram, makeFolder } from './program.ts';
import type { Server } from './server.ts';

/** A program that tests run for each question, and that does not stay: its address is a path to it. */
function installedProgram(name: string, program: string, variable: string, packages: readonly string[]): Server {
  const found = () => findProgram(program);
  return {
    name,
    variable,
    usualAddress: `/usr/bin/${program}`,
    packages,
    isInstalled: () => found() !== undefined,
    answers: async (address) => existsSync(address),
    async start() {
      const folder = makeFolder(program);
      const address = join(folder, program);
      symlinkSync(found() as string, address);
      return {
        address,
        log: join(folder, 'log'),
        stop: async () => rmSync(folder, { recursive: true, force: true }),
      };
    },
  };
}

/** Reads and writes spreadsheets. */
export const libreOffice = installedProgram('LibreOffice', 'soffice', 'TEST_SOFFICE', ['libreoffice-calc-nogui']);

/** Reads XML, and says whether a document is well-formed. */
export const xmllint = installedProgram('xmllint', 'xmllint', 'TEST_XMLLINT', ['libxml2-utils']);

/** Reads PDF documents; with a font that has more than Latin-1. */
export const poppler = installedProgram('Poppler', 'pdftotext', 'TEST_PDFTOTEXT', [
  'poppler-utils',
  'fonts-dejavu-core',
]);
