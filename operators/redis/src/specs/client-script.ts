import { paths } from "../names.ts";
import { probeUser, startUser } from "../users.ts";

/**
 * Runs the image's client, Redis' or Valkey's, with the password of this pod. The init container puts it beside the
 * password: `kedge redis cli` and people with `kubectl exec` call it.
 */
export const clientScript = scriptFor(paths.password);

/** The same as a user of the system. */
export const probeClientScript = scriptFor(`${paths.runtime}/${probeUser}`, probeUser);
export const startClientScript = scriptFor(`${paths.runtime}/${startUser}`, startUser);

/** The command that runs the client in the container of a server. */
export function clientCommand(...args: readonly string[]): readonly string[] {
  return ["sh", paths.client, ...args];
}

function scriptFor(password: string, user?: string): string {
  const as = user === undefined ? "" : `--user ${user} `;
  return `if [ -e ${password} ]; then
  IFS= read -r REDISCLI_AUTH < ${password}
  export REDISCLI_AUTH
fi
if command -v redis-cli > /dev/null; then exec redis-cli ${as}"$@"; fi
exec valkey-cli ${as}"$@"
`;
}
