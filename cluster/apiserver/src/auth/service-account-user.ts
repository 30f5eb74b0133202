const account = /^system:serviceaccount:([^:]+):([^:]+)$/u;

/** The service account that a user is, by its name; undefined for other users. */
export function accountOf(user: string): { readonly namespace: string; readonly name: string } | undefined {
  const [, namespace, name] = account.exec(user) ?? [];
  return namespace === undefined || name === undefined ? undefined : { namespace, name };
}

/** The name of the user that a service account is. */
export function userOfAccount({
  namespace,
  name,
}: {
  readonly namespace: string;
  readonly name: string;
}): string {
  return `system:serviceaccount:${namespace}:${name}`;
}

/** The groups of every service account of a namespace. */
export function groupsOfAccount(namespace: string): readonly string[] {
  return ["system:serviceaccounts", `system:serviceaccounts:${namespace}`];
}
