import { heldExitCode, paths, redisPort } from "../names.ts";

/**
 * What the server container runs. It becomes the server, Redis or Valkey, as soon as that can do no harm:
 *
 * - A primary that begins without data makes its replicas throw theirs away. So when the instance has been up before
 *   (which the operator says in the volume `redis-peers`), an empty primary asks every peer, and waits until all have
 *   said that they have no keys either, or until somebody decides (see `plan/held-primary.ts`). It ends once, with a
 *   code of its own and a message, because that is what the operator can see; then it waits in place. A new instance
 *   and one without replicas start at once. All this is here and not in the init container, which does not run again
 *   when only the server is restarted.
 * - Redis reads either its append-only file or its snapshot, as `appendonly` says, also when it is missing or older than
 *   the other one. So when a config has turned it on or off, the one is made from the other first, by a server that
 *   nobody can reach. An append-only file that is there is always the newer one.
 *
 * Beside the shell, `sleep`, `wc`, `rm` and the server's own programs are all that it needs of the image.
 */
export const startScript = `set -u
umask 077
. ${paths.pod}
state=${paths.state} data=${paths.data} conf=${paths.config}/redis.conf socket=${paths.state}/redis.sock
echo yes > $state/starting
child=
trap 'if [ -n "$child" ]; then kill $child; wait $child; fi; exit 143' TERM INT

cli() { sh ${paths.client} "$@"; }

fail() {
  printf '%s\\n' "$2" > ${paths.terminationMessage}
  printf '%s\\n' "$2" >&2
  exit $1
}

# A server that nobody but this script can reach.
offline() {
  $server $conf --port 0 --unixsocket $socket "$@" &
  child=$!
}

is_aof() { case $appendonly in [Yy][Ee][Ss]) true ;; *) false ;; esac; }
has_rdb() { [ -s "$data/$dbfilename" ]; }
has_aof() { [ -s "$data/$appenddirname/$appendfilename.manifest" ] || [ -s "$data/$appendfilename" ]; }
has_data() { has_rdb || has_aof; }

# A snapshot of a time when there were no keys yet. Only a small one can be that.
is_blank() {
  [ "$replicas" -gt 1 ] && ! has_aof && [ "$(wc -c < "$data/$dbfilename")" -lt 1024 ] || return 1
  offline --appendonly no
  keys=
  while kill -0 $child 2> /dev/null; do
    sleep 1
    printf 'INFO keyspace\\nINFO persistence\\n' | cli -s $socket > $state/own 2>&1
    count_keys $state/own
    if [ -n "$keys" ]; then cli -s $socket shutdown nosave; fi
  done
  wait $child
  child=
  [ "$keys" = 0 ]
}

# Says something to all peers at once, and gives them five seconds; what they answer is in files. Commands are answered
# in turn, so that an answer which has come to the last one is whole.
tell_peers() {
  printf '%s\\nINFO persistence\\n' "$1" > $state/said
  asked= n=1
  while [ $n -lt "$replicas" ]; do
    : > $state/peer-$n
    sh ${paths.client} -h "\${pod%-*}-$n.$domain" < $state/said > $state/peer-$n 2>&1 &
    asked="$asked $!" n=$((n + 1))
  done
  tries=0
  while tries=$((tries + 1)); sleep 1; [ $tries -lt 5 ]; do
    n=1
    while [ $n -lt "$replicas" ] && has_answered $state/peer-$n; do n=$((n + 1)); done
    [ $n -lt "$replicas" ] || break
  done
  kill $asked 2> /dev/null
  wait $asked 2> /dev/null
}

has_answered() {
  while IFS= read -r line; do
    case $line in loading:*|*'ould not connect'*) return 0 ;; esac
  done < $1
  return 1
}

count_replicas() {
  replicas=1
  if [ -e ${paths.peers}/replicas ]; then read -r replicas < ${paths.peers}/replicas || :; fi
}

# Sets found (which peers have keys), best (the one that has most of them) and silent (which have not said).
# False when nothing speaks against serving.
peers_matter() {
  found= silent= best= most=0
  count_replicas
  [ "$replicas" -gt 1 ] || return 1
  tell_peers 'INFO keyspace'
  n=1
  while [ $n -lt "$replicas" ]; do
    count_keys $state/peer-$n
    if [ -z "$keys" ]; then
      silent="$silent, \${pod%-*}-$n has not answered"
    elif [ "$keys" -gt 0 ]; then
      found="$found, \${pod%-*}-$n has $keys keys"
      if [ "$keys" -gt "$most" ]; then most=$keys best=\${pod%-*}-$n; fi
    fi
    n=$((n + 1))
  done
  [ -n "$found$silent" ]
}

# Sets keys: how many a peer has, by what its INFO says; nothing while it loads its data or does not answer.
count_keys() {
  keys= sum=0
  while IFS= read -r line; do
    case $line in
      db[0-9]*:keys=*) count=\${line#*:keys=} sum=$((sum + \${count%%,*})) ;;
      loading:0*) keys=$sum ;;
    esac
  done < $1
}

hold() {
  round=0 said=
  while peers_matter; do
    why="$pod has no data$found$silent."
    if [ -s $state/decision ]; then
      word= from=
      read -r word from < $state/decision
      : > $state/decision
      case $word in
        restore)
          restored=
          restore "\${from:-$best}"
          # It was made a primary, also by a try that was interrupted.
          tell_peers "REPLICAOF $pod.$domain ${redisPort}"
          if [ -n "$restored" ]; then return; fi
          ;;
        discard)
          tell_peers "REPLICAOF $pod.$domain ${redisPort}"
          return
          ;;
        *) printf 'A decision is restore, restore <pod> or discard, not %s.\\n' "$word" >&2 ;;
      esac
    fi
    round=$((round + 1))
    # Peers that start at the same time get some rounds to answer. One that has keys is enough.
    if [ ! -s $state/held ] && { [ -n "$found" ] || [ $round -ge 10 ]; }; then
      echo yes > $state/held
      fail ${heldExitCode} "$why"
    fi
    if [ "$said" != "$why" ]; then printf '%s\\n' "$why" >&2; fi
    said=$why
  done
}

# Takes the data of a peer: follows it, writes a snapshot, stops. A replica without a primary gives its data to nobody,
# so it becomes one for that time. The Service does not lead to it.
restore() {
  if [ -z "$1" ]; then
    echo 'No peer with data has answered: name one, as in restore cache-1.' >&2
    return
  fi
  printf 'Taking the data of %s.\\n' "$1" >&2
  cli -h "$1.$domain" replicaof no one
  offline --appendonly no --replicaof "$1.$domain" ${redisPort}
  while kill -0 $child 2> /dev/null; do
    sleep 1
    case $(cli -s $socket info replication 2>&1) in
      *master_link_status:up*)
        restored=yes
        cli -s $socket shutdown save
        ;;
    esac
  done
  wait $child || restored=
  child=
}

# Makes an append-only file of the snapshot, when all of that is read: Redis 6 would make one of a half.
make_aof() {
  echo 'There is a snapshot and no append-only file: making one.' >&2
  offline --appendonly no
  while kill -0 $child 2> /dev/null; do
    sleep 1
    case $(cli -s $socket ping 2>&1) in PONG*) ;; *) continue ;; esac
    case $(cli -s $socket config set appendonly yes 2>&1) in
      OK*) if has_aof; then cli -s $socket shutdown nosave; fi ;;
    esac
  done
  wait $child
  child=
  has_aof
}

# Makes a snapshot of the append-only file, which is of no use any more then.
make_rdb() {
  echo 'There is an append-only file, and none is to be kept: making a snapshot.' >&2
  offline --appendonly yes
  while kill -0 $child 2> /dev/null; do
    sleep 1
    case $(cli -s $socket ping 2>&1) in PONG*) cli -s $socket shutdown save ;; esac
  done
  wait $child && has_rdb && rm -f "$data/$appenddirname/$appendfilename".* "$data/$appendfilename"
}

server=
for program in redis-server valkey-server; do
  if [ -z "$server" ] && command -v $program > /dev/null; then server=$program; fi
done
if [ -z "$server" ]; then fail 127 'The image has neither redis-server nor valkey-server on its PATH.'; fi

appendonly=no dbfilename=dump.rdb appendfilename=appendonly.aof appenddirname=appendonlydir
while read -r key value || [ -n "$key" ]; do
  value=\${value#[\\"\\']} value=\${value%[\\"\\']}
  case $key in
    appendonly) appendonly=$value ;;
    dbfilename) dbfilename=$value ;;
    appendfilename) appendfilename=$value ;;
    appenddirname) appenddirname=$value ;;
  esac
done < $conf

if [ "\${pod##*-}" = 0 ]; then
  initialized=
  if [ -e ${paths.peers}/initialized ]; then read -r initialized < ${paths.peers}/initialized || :; fi
  count_replicas
  if [ "$initialized" = true ] && { ! has_data || is_blank; }; then hold; fi
  if is_aof && ! has_aof && has_rdb && ! make_aof; then
    fail 1 'The snapshot could not be made into an append-only file. The snapshot is kept.'
  elif ! is_aof && has_aof && ! make_rdb; then
    fail 1 'The append-only file could not be made into a snapshot. The file is kept.'
  fi
fi
: > $state/held
: > $state/synced
: > $state/starting
exec $server $conf
`;
