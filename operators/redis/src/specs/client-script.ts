import { systemKeys } from "../credentials/content.ts";
import { paths } from "../names.ts";
import { cliUser, probeUser, startUser } from "../users.ts";

/**
 * Runs the image's client, Redis' or Valkey's, as a user who may do all, whatever the clients' password is. `kedge redis
 * cli` and people with `kubectl exec` call it.
 */
export const clientScript = scriptFor(`${paths.system}/${systemKeys.cli}`, cliUser);

/** The same as another user of the system. */
export const probeClientScript = scriptFor(`${paths.system}/${systemKeys.probe}`, probeUser);
/** With the password that the server has been started with, whatever the Secret says by now. */
export const startClientScript = scriptFor(paths.start, startUser);

/** The command that runs the client in the container of a server. */
export function clientCommand(...args: readonly string[]): readonly string[] {
  return ["sh", paths.client, ...args];
}

function scriptFor(password: string, user: string): string {
  return `IFS= read -r REDISCLI_AUTH < ${password}
export REDISCLI_AUTH
if command -v redis-cli > /dev/null; then exec redis-cli --user ${user} "$@"; fi
exec valkey-cli --user ${user} "$@"
`;
}
