import { paths } from "../names.ts";

/**
 * Runs the image's client, Redis' or Valkey's, with the password of this pod. The init container puts it beside the
 * password: probes, the start of the server, `kedge redis cli` and people with `kubectl exec` call it.
 */
export const clientScript = `if [ -e ${paths.password} ]; then
  IFS= read -r REDISCLI_AUTH < ${paths.password}
  export REDISCLI_AUTH
fi
if command -v redis-cli > /dev/null; then exec redis-cli "$@"; fi
exec valkey-cli "$@"
`;

/** The command that runs the client in the container of a server. */
export function clientCommand(...args: readonly string[]): readonly string[] {
  return ["sh", paths.client, ...args];
}
