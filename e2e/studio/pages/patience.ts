/** How long a condition may take on a busy machine, in milliseconds; nothing waits that long when all is well. */
export const patience = { timeout: Number(process.env['E2E_PATIENCE'] ?? 30_000) } as const;
