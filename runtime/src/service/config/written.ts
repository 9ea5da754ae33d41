import type { DecodedText } from '@svc/protocol/text';
import { largestGiven, readRegularFile } from '../../foundation/disk/regular-file.ts';
import { decodeUtf8 } from '../../platform/formats/encoding.ts';
import { reasonOf } from './host.ts';

const help =
  'Every name that ends in .hcl or .mycel is configuration: make it a file, or a link to a file, of at most 16 MiB that this user may read; else remove it, or give it another name.';

/** The text of a configuration file that was found; without text, and with the reason, where it cannot be read. Never throws. */
export function readWritten(place: string, name: string): DecodedText {
  try {
    return decodeUtf8(readRegularFile(place, largestGiven));
  } catch (error) {
    const why = (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'the link leads to nothing' : reasonOf(error);
    return {
      text: '',
      unreadable: { at: 0, message: `${name} cannot be read: ${why}`, code: 'unreadable-file', help },
    };
  }
}
