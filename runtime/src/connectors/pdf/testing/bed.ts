import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { configured } from '../../../../../test/support/configured.ts';
import { connectorServices, type LogLine, recordingLog } from '../../../../../test/support/connector-services.ts';
import { folderWith } from '../../../../../test/support/folder.ts';
import type { ConnectorServices } from '../../../foundation/contracts/connector.ts';
import type { CallDescription, CallRequest } from '../../../foundation/contracts/target.ts';
import type { TargetConnector } from '../../testing/target-conformance.ts';
import { create } from '../connector.ts';
import { pdf } from '../spec.ts';

/** Makes a connector of one driver, with what is written in its block. */
type MakeConnector = (written: Readonly<Record<string, unknown>>, services: ConnectorServices) => TargetConnector;

const builtIn: MakeConnector = (written, services) =>
  create('documents', configured(pdf.config, written), services) as TargetConnector;

/** A configuration folder of its own with templates, and connectors that use them. */
export class PdfBed {
  readonly folder: string;
  readonly lines: LogLine[] = [];
  readonly #made: TargetConnector[] = [];

  readonly #make: MakeConnector;

  /** Files by their paths; `template.html` is the template. */
  constructor(files: Readonly<Record<string, string | Uint8Array>> = {}, make: MakeConnector = builtIn) {
    this.#make = make;
    this.folder = folderWith();
    for (const [path, content] of Object.entries(files)) this.write(path, content);
  }

  write(path: string, content: string | Uint8Array): void {
    mkdirSync(dirname(join(this.folder, path)), { recursive: true });
    writeFileSync(join(this.folder, path), content);
  }

  connector(written: Readonly<Record<string, unknown>> = {}, services?: ConnectorServices): TargetConnector {
    const own = services ?? connectorServices({ directory: this.folder, log: recordingLog(this.lines) });
    const made = this.#make({ template: 'template.html', ...written }, { ...own, directory: this.folder });
    this.#made.push(made);
    return made;
  }

  /** The document of a payload. */
  async document(
    payload: Readonly<Record<string, unknown>> = {},
    written: Readonly<Record<string, unknown>> = {},
  ): Promise<Buffer> {
    const row = await this.row(payload, written);
    return Buffer.from(row['_binary'] as string, 'base64');
  }

  async row(
    payload: Readonly<Record<string, unknown>> = {},
    written: Readonly<Record<string, unknown>> = {},
    call: Partial<CallDescription> = {},
    request: CallRequest = {},
  ): Promise<Readonly<Record<string, unknown>>> {
    const connector = this.connector(written);
    await connector.open(new AbortController().signal);
    const execute = connector.target.prepare({ ...described, ...call });
    const { rows } = await execute({ payload, ...request });
    return rows?.[0] ?? {};
  }

  async close(): Promise<void> {
    await Promise.all(this.#made.map((connector) => connector.close(AbortSignal.abort())));
    rmSync(this.folder, { recursive: true });
  }
}

export const described: CallDescription = {
  verb: 'create',
  operation: undefined,
  target: undefined,
  query: undefined,
  timeout: undefined,
  exact: false,
  flow: 'f',
  label: 'to',
};
