import { paths } from "../names.ts";
import { replicationUser } from "../users.ts";
import { clientScript, probeClientScript, startClientScript } from "./client-script.ts";

/**
 * What the init container runs: writes what differs from pod to pod, and scripts, into files that only the server's user
 * can read. redis.conf takes one of them in. Only the shell itself is used, because images need to have no other program.
 * Passwords are not in them: they change while the pod runs, and with them whether there is one; so the protection of
 * servers without one, which would keep everybody out, is off: the ACL file says who may do what. Who is the primary is decided when the server starts:
 * `start-script.ts`.
 */
export const renderScript = `set -eu
umask 077
printf 'protected-mode no\\naclfile ${paths.users}\\nmasteruser ${replicationUser}\\ninclude ${paths.replication}\\n' > ${paths.runtimeConfig}
printf 'pod=%s\\ndomain=%s\\nconfig=%s\\n' "$POD_NAME" "$PEER_DOMAIN" "$CONFIG" > ${paths.pod}
printf '%s' ${quoted(clientScript)} > ${paths.client}
printf '%s' ${quoted(probeClientScript)} > ${paths.probeClient}
printf '%s' ${quoted(startClientScript)} > ${paths.startClient}
`;

/** A word for the shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
