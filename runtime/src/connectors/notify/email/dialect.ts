import type { Dialect } from '../../../platform/templates/compile/compile.ts';

/** What templates of letters may say: values are escaped by their place, and pass through no pipe. */
export const mailDialect: Dialect = { escaping: 'html', pipes: false };
