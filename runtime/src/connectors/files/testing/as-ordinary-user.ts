/** Where the superuser runs the tests, does the work as a user to whom files may be denied. */
export async function asOrdinaryUser<T>(work: () => Promise<T>): Promise<T> {
  if (process.getuid?.() !== 0) return work();
  const unprivileged = 65_534;
  process.setegid?.(unprivileged);
  process.seteuid?.(unprivileged);
  try {
    return await work();
  } finally {
    process.seteuid?.(0);
    process.setegid?.(0);
  }
}
