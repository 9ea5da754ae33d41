import { DiskState } from '../../../foundation/disk/disk-state.ts';
import { primary, primaryOf } from './errors.ts';

/** The disk of a database: SQLite has codes of its own for what the system says. */
export class DatabaseDisk extends DiskState {
  override failed(error: unknown): void {
    const code = primaryOf(error);
    if (code === primary.full) this.tell('there is no room left');
    else if (code === primary.readonly) this.tell('it can only be read');
    else if (code === primary.ioerr) this.tell('its file cannot be read or written');
    else super.failed(error);
  }
}
