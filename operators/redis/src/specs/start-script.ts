import { nobody, paths, redisPort } from "../names.ts";
import { dataScript } from "./data-script.ts";
import { holdScript } from "./hold-script.ts";
import { usersScript } from "./users-script.ts";

/**
 * What the server container runs. It starts the server, Redis or Valkey, and stays as process 1, because the kernel
 * protects that one from SIGKILL of its own container: a server that hangs can so be killed there (`probe-scripts.ts`). All
 * this is here and not in the init container, which does not run again when only the server is restarted.
 *
 * - The users that every server has come from the Secret of the system; those that this server was given, and the record
 *   of the epoch and the role of its data (`users.ts`), are kept on its volume.
 * - A new instance begins with ordinal 0, which the others follow. A server that has no peers starts at once.
 * - Otherwise the server starts *held*: it follows nobody, takes no writes, and nobody follows it, until it is admitted:
 *   by an operator, which is there within moments, or, when none comes, by what runs beside it (`hold-script.ts`).
 * - Before that its data is made such that it can be read (`data-script.ts`).
 *
 * Beside the shell, `sleep`, `wc`, `rm`, `mv` and the server's own programs are all that it needs of the image.
 */
export const startScript = `# First of all: the kernel keeps signals from process 1 that it does not catch.
trap 'if [ -n "$child" ]; then stop_child; wait $child; fi; exit 143' TERM INT
child=
set -u
umask 077
. ${paths.pod}
state=${paths.state} data=${paths.data} conf=${paths.config}/redis.conf socket=${paths.state}/redis.sock
echo yes > $state/starting

own() { sh ${paths.startClient} "$@"; }

fail() {
  printf '%s\\n' "$2" > ${paths.terminationMessage}
  printf '%s\\n' "$2" >&2
  exit $1
}

# Until it is the server, which is some moments after it was made, the child is a copy of this shell that takes no notice.
stop_child() {
  tries=0 shell=
  read -r shell < /proc/self/comm
  while [ $tries -lt 50 ] && read -r name < /proc/$child/comm && [ "$name" = "$shell" ]; do
    tries=$((tries + 1))
    pause
  done 2> /dev/null
  kill $child 2> /dev/null
}

# A server that nobody but this script can reach.
offline() {
  $server $conf --port 0 --unixsocket $socket "$@" &
  child=$!
}

is_aof() { case $appendonly in [Yy][Ee][Ss]) true ;; *) false ;; esac; }
has_rdb() { [ -s "$data/$dbfilename" ]; }
has_aof() { [ -s "$data/$appenddirname/$appendfilename.manifest" ] || [ -s "$data/$appendfilename" ]; }
keeps_nothing() { ! is_aof && [ -z "$save" ]; }
has_data() { has_rdb || has_aof; }

# Sets epoch (the newest that these users know), role and role_epoch (of the data).
read_users() {
  epoch=0 role= role_epoch=0
  while read -r word user rest || [ -n "$word" ]; do
    if [ "$word" != user ]; then user=$word; fi
    case $user in
      kedge-operator-*) number=\${user#kedge-operator-} ;;
      kedge-primary-*) number=\${user#kedge-primary-} ;;
      kedge-replica-*) number=\${user#kedge-replica-} ;;
      *) continue ;;
    esac
    case $number in ''|*[!0-9]*) continue ;; esac
    if [ "$number" -gt $epoch ]; then epoch=$number; fi
    case $user in
      kedge-operator-*) ;;
      *) if [ "$number" -ge $role_epoch ]; then role=\${user#kedge-} role=\${role%-*} role_epoch=$number; fi ;;
    esac
  done < $1
}

${usersScript}
${holdScript}${dataScript}server=
for program in redis-server valkey-server; do
  if [ -z "$server" ] && command -v $program > /dev/null; then server=$program; fi
done
if [ -z "$server" ]; then fail 127 'The image has neither redis-server nor valkey-server on its PATH.'; fi

appendonly=no save=some dbfilename=dump.rdb appendfilename=appendonly.aof appenddirname=appendonlydir
# What was set in servers with this config while they ran.
overlay=${paths.peers}/live-$config.conf live=
if [ -s $overlay ]; then live="--include $overlay"; fi
for file in $conf $overlay; do
  if [ ! -e $file ]; then continue; fi
  while read -r key value || [ -n "$key" ]; do
    value=\${value#[\\"\\']} value=\${value%[\\"\\']}
    case $key in
      appendonly) appendonly=$value ;;
      save) save=$value ;;
      dbfilename) dbfilename=$value ;;
      appendfilename) appendfilename=$value ;;
      appenddirname) appenddirname=$value ;;
    esac
  done < $file
done

ordinal=\${pod##*-} spent=0 is_aside= return=$(printf '\\r')
read_peers_file
epoch=0 role= role_epoch=0
if [ -e ${paths.users} ]; then read_users ${paths.users}; fi
# What its users say of the data is true no more, either.
if keeps_nothing; then is_aside=yes role= role_epoch=0; forget; fi

# What to begin with: nothing (serve), a pod to follow, or held.
begin=held record=
if [ "$replicas" -le 1 ] || { [ "$wanted" -le 1 ] && has_data; }; then
  begin=
  if [ "$role" != primary ] || [ $role_epoch -lt $epoch ]; then
    if [ $epoch -lt 1 ]; then epoch=1; fi
    record=kedge-primary-$epoch
  fi
elif [ "$initialized" != true ] && [ $epoch = 0 ] && ! has_data; then
  if [ "$ordinal" = 0 ]; then begin= record=kedge-primary-1; else begin="\${pod%-*}-0.$domain ${redisPort}"; fi
fi
write_users "$record"
write_replication

if [ "$begin" = held ] && [ -s $state/loading ] && has_data && ! can_read && has_primary && may_set_aside; then
  set_aside
fi
if is_aof && ! has_aof && has_rdb && ! make_aof; then
  fail 1 'The snapshot could not be made into an append-only file. The snapshot is kept.'
elif ! is_aof && has_aof && ! make_rdb; then
  fail 1 'The append-only file could not be made into a snapshot. The file is kept.'
fi
: > $state/synced
: > $state/ready
: > $state/starting
# Who stops the container stops the server, which ends in its own time.
child= stop=
trap 'stop=yes; if [ -n "$child" ]; then stop_child; fi' TERM INT
case $begin in
  '') $server $conf $live & ;;
  held)
    echo yes > $state/loading
    $server $conf $live --replicaof ${nobody.host} ${nobody.port} &
    ;;
  *) $server $conf $live --replicaof $begin & ;;
esac
child=$!
# It was to stop before it was known.
if [ -n "$stop" ]; then stop_child; fi
echo $child > $state/server
if [ "$begin" = held ]; then watch_over & fi
# A signal ends the waiting, but not the server.
ended=0
while wait $child; ended=$?; kill -0 $child 2> /dev/null; do :; done
exit $ended
`;
