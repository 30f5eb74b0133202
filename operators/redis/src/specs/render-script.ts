import { paths } from "../names.ts";
import { everything, probeUser, replicationUser, startUser } from "../users.ts";
import { clientScript, probeClientScript, startClientScript } from "./client-script.ts";

/**
 * What the init container runs: writes what differs from pod to pod, and the passwords, into files that only the
 * server's user can read. redis.conf takes one of them in. Only the shell itself is used, because images need to have no
 * other program. Who is the primary is decided when the server starts: `start-script.ts`.
 */
export const renderScript = `set -eu
umask 077
newline='
'
case "\${REDIS_PASSWORD-}" in
  *[\\"\\\\]*|*"$newline"*)
    echo 'The password in the Secret has a quote, a backslash or a line break: choose one without.' >&2
    exit 1
    ;;
esac
{
  printf 'aclfile ${paths.users}\\n'
  printf 'masteruser ${replicationUser}\\nmasterauth "%s"\\n' "$REPLICATION_PASSWORD"
} > ${paths.runtimeConfig}
{
  if [ "$AUTH_ENABLED" = true ]; then
    # Only hashes are ever on the volume.
    printf 'user default on %s ${everything}\\n' "$DEFAULT_PASSWORD_HASHES"
  else
    printf 'user default on nopass ${everything}\\n'
  fi
  printf '%s\\n' "$SYSTEM_USERS"
} > ${paths.systemUsers}
if [ -n "\${REDIS_PASSWORD-}" ] && [ "$AUTH_ENABLED" = true ]; then
  printf '%s\\n' "$REDIS_PASSWORD" > ${paths.password}
fi
printf '%s\\n' "$PROBE_PASSWORD" > ${paths.runtime}/${probeUser}
printf '%s\\n' "$START_PASSWORD" > ${paths.runtime}/${startUser}
printf 'pod=%s\\ndomain=%s\\nconfig=%s\\n' "$POD_NAME" "$PEER_DOMAIN" "$CONFIG" > ${paths.pod}
printf '%s' ${quoted(clientScript)} > ${paths.client}
printf '%s' ${quoted(probeClientScript)} > ${paths.probeClient}
printf '%s' ${quoted(startClientScript)} > ${paths.startClient}
`;

/** A word for the shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
