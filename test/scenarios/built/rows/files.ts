import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { KeptObjects } from '../../../../runtime/src/connectors/files/object-store/testing/kept-objects.ts';
import { writtenFor } from '../../../../runtime/src/connectors/files/object-store/testing/opened.ts';
import { StandIn } from '../../../../runtime/src/connectors/files/object-store/testing/stand-in.ts';
import { formatNames } from '../../../../runtime/src/platform/formats/format-spec.ts';
import { folderWith } from '../../../support/folder.ts';
import { type Row, sending, taking } from '../row.ts';

/** A file is written in a format, and read again. */
function roundTrip(name: string, format: (typeof formatNames)[number], path = 'path'): string {
  const file = `${path} = "echo.${endings[format]}"`;
  const content = format === 'xml' ? "{'text': input.text}" : "[{'text': input.text}]";
  return sending(
    name,
    `operation = "write"\nparams = { ${file}, content = "${content}" }`,
    'step.read[0].text',
    `operation = "read"\nparams = { ${file} }`,
  );
}

/** How the names of files end, from which their format is known. */
const endings = { json: 'json', ndjson: 'ndjson', xml: 'xml', csv: 'csv', tsv: 'tsv', excel: 'xlsx' } as const;

export const files: readonly Row[] = [
  ...formatNames.map(
    (format): Row => ({
      name: `file_${format}`,
      connector: 'files/local',
      start: (name) => {
        const folder = folderWith();
        return {
          block: { base_path: folder, watch: true, watch_interval: '50ms' },
          hcl: roundTrip(name, format) + taking(name, `operation = "in-*.${endings[format]}"`),
          takes: async (text, place) => {
            await place.call(name, text);
            // It takes what the program has written.
            renameSync(join(folder, `echo.${endings[format]}`), join(folder, `in-1.${endings[format]}`));
            return place.reported(name, text);
          },
          close: () => rmSync(folder, { recursive: true }),
        };
      },
    }),
  ),
  ...['files/object-store', 'files/object-store/as-file'].map(
    (connector): Row => ({
      name: connector === 'files/object-store' ? 'objects' : 'objects_as_files',
      connector,
      start: async (name) => {
        const server = await StandIn.start();
        const objects = new KeptObjects();
        server.answer = objects.answer;
        return {
          block: { ...writtenFor(server), watch: true, watch_interval: '50ms' },
          hcl: roundTrip(name, 'json', 'key') + taking(name, 'operation = "in-*.json"'),
          takes: async (text, place) => {
            objects.put('in-1.json', JSON.stringify([{ text }]), 'application/json');
            return place.reported(name, text);
          },
          close: () => server.close(),
        };
      },
    }),
  ),
];
