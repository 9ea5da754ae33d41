import { crc32, deflateRawSync } from 'node:zlib';

/** An entry of a package that is made for a test. */
export interface Part {
  readonly name: string;
  readonly content: string | Uint8Array;
  /** The size that it claims to have when it is inflated. */
  readonly claimed?: number;
}

/** A ZIP of these entries; `stored` keeps them as they are. */
export function packageOf(parts: readonly Part[], { stored = false } = {}): Buffer {
  const entries: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, content, claimed } of parts) {
    const path = Buffer.from(name);
    const bytes = Buffer.from(content);
    const written = stored ? bytes : deflateRawSync(bytes);
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0);
    fields.writeUInt16LE(0x0800, 2);
    fields.writeUInt16LE(stored ? 0 : 8, 4);
    fields.writeUInt32LE(crc32(bytes), 10);
    fields.writeUInt32LE(written.length, 14);
    fields.writeUInt32LE(claimed ?? bytes.length, 18);
    fields.writeUInt16LE(path.length, 22);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(offset, 10);
    directory.push(Buffer.from('504b01021400', 'hex'), fields, rest, path);
    const entry = Buffer.concat([Buffer.from('504b0304', 'hex'), fields, path, written]);
    entries.push(entry);
    offset += entry.length;
  }
  const list = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write('504b0506', 'hex');
  end.writeUInt16LE(parts.length & 0xffff, 8);
  end.writeUInt16LE(parts.length & 0xffff, 10);
  end.writeUInt32LE(list.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...entries, list, end]);
}

/** What a workbook of a test has; each of it absent where the test does not care. */
export interface BookParts {
  /** Sheets by name: what is in `sheetData`, or a whole document. */
  readonly sheets?: Readonly<Record<string, string>>;
  /** Texts that cells share, as elements `si`. */
  readonly texts?: string;
  /** What is in `styleSheet`. */
  readonly styles?: string;
  /** What is in `workbook` before its sheets. */
  readonly properties?: string;
}

const ofRelationships = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

/** The parts of a workbook, in the form that Excel gives them. */
export function partsOf({ sheets = {}, texts, styles, properties = '' }: BookParts): Part[] {
  const names = Object.keys(sheets);
  const relation = (id: string, type: string, target: string) =>
    `<Relationship Id="${id}" Type="${ofRelationships}/${type}" Target="${target}"/>`;
  const related = [
    ...names.map((_, at) => relation(`rId${at}`, 'worksheet', `worksheets/sheet${at}.xml`)),
    ...(texts === undefined ? [] : [relation('texts', 'sharedStrings', 'sharedStrings.xml')]),
    ...(styles === undefined ? [] : [relation('styles', 'styles', '/xl/styles.xml')]),
  ];
  const list = names.map((name, at) => `<sheet name="${name}" sheetId="${at + 1}" r:id="rId${at}"/>`).join('');
  return [
    {
      name: '_rels/.rels',
      content: `<Relationships>${relation('r', 'officeDocument', 'xl/workbook.xml')}</Relationships>`,
    },
    { name: 'xl/_rels/workbook.xml.rels', content: `<Relationships>${related.join('')}</Relationships>` },
    {
      name: 'xl/workbook.xml',
      content: `<workbook xmlns:r="${ofRelationships}">${properties}<sheets>${list}</sheets></workbook>`,
    },
    ...names.map((name, at) => ({ name: `xl/worksheets/sheet${at}.xml`, content: documentOf(sheets[name] as string) })),
    ...(texts === undefined ? [] : [{ name: 'xl/sharedStrings.xml', content: `<sst>${texts}</sst>` }]),
    ...(styles === undefined ? [] : [{ name: 'xl/styles.xml', content: `<styleSheet>${styles}</styleSheet>` }]),
  ];
}

function documentOf(sheet: string): string {
  return sheet.startsWith('<?xml') ? sheet : `<worksheet><sheetData>${sheet}</sheetData></worksheet>`;
}

/** A workbook of these parts. */
export function bookOf(book: BookParts, options?: { readonly stored?: boolean }): Buffer {
  return packageOf(partsOf(book), options);
}

/** A row of texts that are written in its cells. */
export function textRow(...texts: readonly string[]): string {
  return `<row>${texts.map((text) => `<c t="str"><v>${text}</v></c>`).join('')}</row>`;
}
