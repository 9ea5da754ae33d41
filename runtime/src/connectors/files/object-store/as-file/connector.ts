/** `type = "file"` with `driver = "s3"` is the object store. */
export { create } from '../connector.ts';
