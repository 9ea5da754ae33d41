import { gzipSync } from 'node:zlib';
import { Header, type HeaderData } from 'tar';

/** An entry of an archive as it is made up: also what no program would write. */
export interface TestEntry {
  readonly path: string;
  readonly content?: string | Uint8Array;
  readonly type?: 'File' | 'Directory' | 'SymbolicLink' | 'Link' | 'CharacterDevice' | 'FIFO';
  readonly linkpath?: string;
  /** What the header says. Default: the length of the content. */
  readonly size?: number;
}

/** The bytes of an archive, not compressed. */
export function tarOf(entries: readonly TestEntry[]): Buffer {
  const blocks = entries.flatMap(({ path, content = '', type = 'File', linkpath, size }) => {
    const bytes = Buffer.from(content as string);
    const block = Buffer.alloc(512);
    const said = size ?? bytes.length;
    const data: HeaderData = { path, type, mode: 0o644, size: said, mtime: new Date(0), ...(linkpath && { linkpath }) };
    new Header(data).encode(block, 0);
    return [block, bytes, Buffer.alloc((512 - (bytes.length % 512)) % 512)];
  });
  return Buffer.concat([...blocks, Buffer.alloc(1024)]);
}

/** The bytes of an archive. */
export function archiveOf(entries: readonly TestEntry[]): Buffer {
  return gzipSync(tarOf(entries));
}
