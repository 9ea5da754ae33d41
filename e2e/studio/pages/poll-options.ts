/** How long a condition may take on a busy machine, in milliseconds; nothing waits that long when all is well. */
export const pollOptions = { timeout: Number(process.env['E2E_TIMEOUT'] ?? 30_000) } as const;
