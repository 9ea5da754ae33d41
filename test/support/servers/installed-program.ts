import { existsSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { findProgram, makeFolder } from './program.ts';
import type { Server } from './server.ts';

/**
 * A program that tests run for each question, and that does not stay: its address is a path to it. `library` is a file
 * without which it does not serve them.
 */
function installedProgram(
  name: string,
  program: string,
  variable: string,
  packages: readonly string[],
  library?: () => boolean,
): Server {
  // Libraries of the system belong to the program of the system.
  const own = `/usr/bin/${program}`;
  const found = () => {
    if (library === undefined) return findProgram(program);
    return existsSync(own) && library() ? own : undefined;
  };
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

/** The SOAP client of Python. */
export const zeep = installedProgram('zeep', 'python3', 'TEST_ZEEP', ['python3-zeep'], () =>
  existsSync('/usr/lib/python3/dist-packages/zeep/client.py'),
);

/** The library of Python that signs and verifies mail. */
export const pythonDkim = installedProgram('dkimpy', 'python3', 'TEST_DKIM', ['python3-dkim'], () =>
  existsSync('/usr/lib/python3/dist-packages/dkim/__init__.py'),
);

/** The gRPC client of Python. */
export const pythonGrpc = installedProgram(
  'gRPC of Python',
  'python3',
  'TEST_PYTHON_GRPC',
  ['python3-grpcio', 'python3-protobuf'],
  () => existsSync('/usr/lib/python3/dist-packages/grpc/__init__.py'),
);

/** The SOAP client and server of PHP. */
export const phpSoap = installedProgram(
  'PHP with SOAP',
  'php',
  'TEST_PHP',
  ['php-cli', 'php-soap'],
  () =>
    existsSync('/usr/lib/php') && readdirSync('/usr/lib/php').some((api) => existsSync(`/usr/lib/php/${api}/soap.so`)),
);

/** The compiler of C, with a library for modules of WebAssembly. */
export const clang = installedProgram(
  'clang for WebAssembly',
  'clang',
  'TEST_CLANG',
  ['clang', 'lld', 'wasi-libc', 'libclang-rt-dev-wasm32'],
  () => existsSync('/usr/bin/wasm-ld') && existsSync('/usr/lib/wasm32-wasi/libc.a'),
);
