/** What the service writes in place of a value that is not shown. */
export const mask = '***';

/** What is drawn in place of a value that is not shown. */
export const dots = '••••••••';
