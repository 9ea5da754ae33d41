import { installing } from './install.ts';

/** `svc plugin update`: looks for newer versions that the declarations allow. */
export const run = installing('update');
