/** What the bytes of keys are. */
export const keyFormats = ['text', 'bytes', 'int', 'long', 'uuid', 'none'] as const;
export type KeyFormat = (typeof keyFormats)[number];
