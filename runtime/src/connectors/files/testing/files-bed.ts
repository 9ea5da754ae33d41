import { afterEach, beforeEach } from 'vitest';
import { connectorServices } from '../../../../../test/support/connector-services.ts';
import type { CallResult } from '../../../foundation/contracts/call-result.ts';
import type { ConnectorServices } from '../../../foundation/contracts/connector.ts';
import { type Content, ContentOwner } from '../../../foundation/contracts/content.ts';
import type { TargetConnector } from '../../testing/target-conformance.ts';
import { answerOf } from './asking.ts';

/** A store of its own at a real server, and connectors of it. */
export interface FilesBed {
  /** Makes a connector that is not open, with these attributes over those of the bed. */
  connector(written: Readonly<Record<string, unknown>>, services: ConnectorServices): TargetConnector;
  /** What the answer of a write says of a file of so many bytes, for `expect`. */
  written(path: string, size: number): unknown;
  /** What the row of a text or of bytes says of a file. Absent: `{content}` and `{data, size}`. */
  readonly wholeRow?: ((path: string, content: string | Uint8Array, size: number) => unknown) | undefined;
  /** What paths are called. */
  readonly named: 'path' | 'key';
  /** The bytes of a file as another program reads them. */
  bytesOf(path: string): Promise<Buffer>;
  /** Puts a file there as another program does. */
  put(path: string, bytes: Buffer): Promise<void>;
  /** Names of everything below the root, files that are being written too. */
  names(): Promise<readonly string[]>;
  /** Names that lead out, each refused. */
  readonly outside: readonly string[];
  /** Names of the root, which cannot be written. */
  readonly roots: readonly string[];
  /** Names of the file `in/a.txt`. */
  readonly spellings: readonly string[];
  /** Names of files of their own. */
  readonly different: readonly string[];
  /** The store has folders of their own. */
  readonly hasFolders: boolean;
  /** A file can be written behind. */
  readonly appends: boolean;
  close(): Promise<void>;
}

type Asked = Parameters<typeof answerOf> extends [TargetConnector, ...infer Rest] ? Rest : never;

/** A bed of each test, with an open connector. */
export interface FilesInUse {
  readonly bed: FilesBed;
  readonly files: TargetConnector;
  /** Another open connector, which its maker closes. */
  open(written?: Readonly<Record<string, unknown>>): Promise<TargetConnector>;
  call(...asked: Asked): Promise<CallResult>;
  /** The value that a call answers. */
  value(...asked: Asked): Promise<unknown>;
  downloaded(path: string): Promise<Content>;
}

/** Makes a bed before each test, and closes it after it. */
export function filesInUse(makeBed: () => Promise<FilesBed>): FilesInUse {
  let bed: FilesBed;
  let files: TargetConnector;
  const owners: ContentOwner[] = [];
  beforeEach(async () => {
    bed = await makeBed();
    files = await open();
  });
  afterEach(async () => {
    for (const owner of owners.splice(0)) owner.release();
    await files.close(AbortSignal.abort());
    await bed.close();
  });

  async function open(written: Readonly<Record<string, unknown>> = {}): Promise<TargetConnector> {
    const connector = bed.connector(written, connectorServices());
    await connector.open(new AbortController().signal);
    return connector;
  }

  const call = (...asked: Asked) => answerOf(files, ...asked);
  const value = async (...asked: Asked) => (await call(...asked)).value;
  return {
    get bed() {
      return bed;
    },
    get files() {
      return files;
    },
    open,
    call,
    value,
    downloaded: async (path) => {
      const owner = new ContentOwner();
      owners.push(owner);
      return (await value('download', { path }, {}, { contents: owner })) as Content;
    },
  };
}
