import { paths, redisPort } from "../names.ts";

/**
 * What the init container runs: writes what differs from pod to pod, and the password, into a file that redis.conf
 * takes in. Only the shell itself is used, because images need to have no other program. Ordinal 0 is the primary.
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
    printf 'requirepass "%s"\\nmasterauth "%s"\\n' "$REDIS_PASSWORD" "$REDIS_PASSWORD"
  fi
  if [ "\${POD_NAME##*-}" != 0 ]; then
    printf 'replicaof %s ${redisPort}\\n' "$PRIMARY_HOST"
  fi
} > ${paths.runtimeConfig}
`;
