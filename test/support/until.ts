/** Asks again every few milliseconds until the answer is neither undefined nor false. A check that throws asks again too. */
export async function until<T>(ask: () => T | Promise<T>, signal?: AbortSignal): Promise<NonNullable<T>> {
  for (;;) {
    signal?.throwIfAborted();
    const answer = await attempt(ask);
    if (answer !== undefined && answer !== null && answer !== false) return answer as NonNullable<T>;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** Checks again every few milliseconds until the check throws nothing; resolves with what it returns. */
export async function untilPassed<T>(check: () => T | Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await check();
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
}

async function attempt<T>(ask: () => T | Promise<T>): Promise<T | undefined> {
  try {
    return await ask();
  } catch {
    return undefined;
  }
}
