import { paths, redisPort } from "../names.ts";
import { clientScript } from "./client-script.ts";

/**
 * What the init container runs: writes what differs from pod to pod, and the password, into files that only the server's
 * user can read. redis.conf takes one of them in. Only the shell itself is used, because images need to have no other
 * program. Ordinal 0 is the primary.
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
  if [ -n "\${REDIS_PASSWORD-}" ]; then
    if [ "$AUTH_ENABLED" = true ]; then printf 'requirepass "%s"\\n' "$REDIS_PASSWORD"; fi
    # With the user's name a server that asks for no password takes any: so replicas can follow a primary that asks for
    # one and one that does not, while auth is being turned on or off.
    printf 'masteruser default\\nmasterauth "%s"\\n' "$REDIS_PASSWORD"
  fi
  if [ "\${POD_NAME##*-}" != 0 ]; then
    printf 'replicaof %s ${redisPort}\\n' "\${POD_NAME%-*}-0.$PEER_DOMAIN"
  fi
} > ${paths.runtimeConfig}
if [ -n "\${REDIS_PASSWORD-}" ] && [ "$AUTH_ENABLED" = true ]; then
  printf '%s\\n' "$REDIS_PASSWORD" > ${paths.password}
fi
printf 'pod=%s\\ndomain=%s\\n' "$POD_NAME" "$PEER_DOMAIN" > ${paths.pod}
printf '%s' ${quoted(clientScript)} > ${paths.client}
`;

/** A word for the shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
