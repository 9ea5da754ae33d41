/** The permissions of roles, by the table of the `auth` block; in the order of the roles, each once. */
export function permissionsByRole(
  table: Readonly<Record<string, readonly string[]>>,
): (roles: readonly string[]) => readonly string[] {
  const known = new Map(Object.entries(table));
  if (known.size === 0) return () => [];
  return (roles) => [...new Set(roles.flatMap((role) => known.get(role) ?? []))];
}
