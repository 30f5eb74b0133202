import { nobody, paths, redisPort } from "../names.ts";
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
 *   by an operator, which is there within moments, or, when none comes, by `watch_over` below, which runs beside it. That
 *   one finds the primary by asking all peers. The last primary admits itself when no peer knows a newer epoch, and when
 *   no peer can have anything that it has not: with an append-only file, or a snapshot that is as new as they are. A
 *   server without data does so only when every peer has said that it has none, either.
 * - A server that ended while it read its data tries it again where nobody can reach it. When it cannot be read, and a
 *   peer is the primary, the data is kept aside, and the server takes the peer's.
 * - Redis reads either its append-only file or its snapshot, as `appendonly` says, also when it is missing or older than
 *   the other one. So when a config has turned it on or off, the one is made from the other first, by a server that
 *   nobody can reach. An append-only file that is there is always the newer one.
 *
 * - A server that writes nothing to its volume begins empty: what it may find there is older than anything that its peers
 *   have. That is kept aside; a second time there is only what a replica was sent and had no time to take away.
 *
 * Beside the shell, `sleep`, `wc`, `rm`, `mv` and the server's own programs are all that it needs of the image.
 */
export const startScript = `set -u
umask 077
. ${paths.pod}
state=${paths.state} data=${paths.data} conf=${paths.config}/redis.conf socket=${paths.state}/redis.sock
echo yes > $state/starting
child=
trap 'if [ -n "$child" ]; then kill $child; wait $child; fi; exit 143' TERM INT

own() { sh ${paths.startClient} "$@"; }

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
# Asks all peers at once, and gives them two seconds; what they answer is in files. Commands are answered in turn, so
# that an answer which has come to the last one is whole.
ask_peers() {
  printf 'ACL USERS\\nINFO replication\\nINFO keyspace\\nINFO persistence\\n' > $state/said
  asked= n=0
  while [ $n -lt "$replicas" ]; do
    : > $state/peer-$n
    if [ $n != "$ordinal" ]; then
      sh ${paths.probeClient} -h "\${pod%-*}-$n.$domain" < $state/said > $state/peer-$n 2>&1 &
      asked="$asked $!"
    fi
    n=$((n + 1))
  done
  tries=0
  while tries=$((tries + 1)); pause; [ $tries -lt 10 ]; do
    n=0
    while [ $n -lt "$replicas" ] && { [ $n = "$ordinal" ] || has_answered $state/peer-$n; }; do n=$((n + 1)); done
    [ $n -lt "$replicas" ] || break
  done
  kill $asked 2> /dev/null
  wait $asked 2> /dev/null
}

# A fifth of a second, where sleep can do that.
pause() { spent=$((spent + 1)); sleep 0.2 2> /dev/null || sleep 1; }

has_answered() {
  while IFS= read -r line; do
    case $line in loading:*|*'ould not connect'*) return 0 ;; esac
  done < $1
  return 1
}

# Sets keys (nothing while it loads or does not answer), is_primary, id and offset.
read_info() {
  keys= is_primary= id= offset=0 sum=0 upstream=${nobody.host}
  while IFS= read -r line; do
    line=\${line%"$return"}
    case $line in
      role:master) is_primary=yes ;;
      master_host:*) upstream=\${line#*:} ;;
      master_replid:*) id=\${line#*:} ;;
      master_repl_offset:*) offset=\${line#*:} ;;
      db[0-9]*:keys=*) count=\${line#*:keys=} sum=$((sum + \${count%%,*})) ;;
      loading:0*) keys=$sum ;;
    esac
  done < $1
}

read_peers_file() {
  replicas=1 wanted=1 initialized=
  if [ -e ${paths.peers}/replicas ]; then read -r replicas < ${paths.peers}/replicas || :; fi
  wanted=$replicas
  if [ -e ${paths.peers}/wanted ]; then read -r wanted < ${paths.peers}/wanted || :; fi
  if [ -e ${paths.peers}/initialized ]; then read -r initialized < ${paths.peers}/initialized || :; fi
}

# Runs beside a held server until somebody has admitted it, or it could be done without an operator.
watch_over() {
  spent=0 said=
  while pause && kill -0 $child 2> /dev/null; do
    printf 'ACL USERS\\nINFO replication\\nINFO keyspace\\nINFO persistence\\n' | own > $state/own 2>&1
    case $(head_of $state/own) in
      *WRONGPASS*|*NOAUTH*) : > $state/loading; return ;; # Admitted by an operator.
      *'ould not connect'*|'') continue ;;
    esac
    read_users $state/own
    own_epoch=$epoch own_role=$role own_role_epoch=$role_epoch
    read_info $state/own
    if [ -z "$keys" ]; then continue; fi
    : > $state/loading
    if [ -n "$is_primary" ] || [ "$upstream" != ${nobody.host} ]; then return; fi
    own_keys=$keys own_id=$id own_offset=$offset
    read_peers_file
    ask_peers
    newest=$own_epoch best= silent= found= newer=
    n=0
    while [ $n -lt "$replicas" ]; do
      if [ $n != "$ordinal" ]; then look_at_peer; fi
      n=$((n + 1))
    done
    if [ -n "$best" ]; then
      printf 'MULTI\\nREPLICAOF %s ${redisPort}\\nEXEC\\n' "$best.$domain" | own > /dev/null 2>&1
      printf 'Following %s.\\n' "$best" >&2
      # Until it does.
      continue
    fi
    # About two seconds, in which an operator that is there decides.
    if [ $spent -lt 10 ]; then continue; fi
    if may_serve; then
      if [ $own_role_epoch -lt 1 ]; then own_role_epoch=1; fi
      printf 'MULTI\\nREPLICAOF NO ONE\\nACL SETUSER kedge-primary-%s off\\nACL SAVE\\nEXEC\\n' \\
        $own_role_epoch | own > /dev/null 2>&1
      echo 'Serving as the primary again: no peer knows a newer one.' >&2
      return
    fi
    why="Held: this server $held$found$silent."
    if [ "$said" != "$why" ]; then printf '%s\\n' "$why" >&2; fi
    said=$why
  done
}

head_of() { IFS= read -r line < $1 && printf '%s' "$line"; }

# A primary of the newest epoch is the one to follow; a peer with data that this server may lack is a reason to wait.
look_at_peer() {
  peer=\${pod%-*}-$n
  read_users $state/peer-$n
  read_info $state/peer-$n
  if [ -z "$keys" ]; then
    silent="$silent, $peer has not answered"
    return
  fi
  if [ "$keys" -gt 0 ]; then
    found="$found, $peer has $keys keys"
    if [ "$id" != "$own_id" ] || [ "$offset" -gt "$own_offset" ]; then newer="$newer $peer"; fi
  fi
  if [ "$epoch" -gt "$newest" ]; then newest=$epoch best=; fi
  if [ -n "$is_primary" ] && [ "$role" = primary ] && [ "$role_epoch" -ge "$newest" ]; then best=$peer; fi
}

# Sets held: why not.
may_serve() {
  if [ $newest -gt $own_epoch ]; then held='is of an older epoch than its peers'; return 1; fi
  if [ "$own_role" = primary ] && [ $own_role_epoch = $own_epoch ]; then
    # A peer that does not answer may have what an empty server has lost.
    if is_aof || { [ -z "$newer" ] && { [ "$own_keys" -gt 0 ] || [ -z "$silent" ]; }; }; then return 0; fi
    held='has a snapshot that is older than what its peers have'
    return 1
  fi
  if [ "$own_keys" -gt 0 ]; then held='was not the primary'; return 1; fi
  held='has no data'
  [ "$ordinal" = 0 ] && [ -z "$found$silent" ]
}

# Whether the server can read the data that it ended with the last time. False only when it ends by itself.
can_read() {
  echo 'The server ended while it read its data: trying that again.' >&2
  offline
  while kill -0 $child 2> /dev/null; do
    pause
    case $(own -s $socket ping 2>&1) in PONG*) own -s $socket shutdown nosave ;; esac
  done
  wait $child
  ended=$? child=
  [ $ended = 0 ] || [ $ended -ge 128 ]
}

# Whether a peer is the primary of an epoch that is not older than what this server knows.
has_primary() {
  own_epoch=$epoch own_id= own_offset=0 newest=$epoch best= silent= found= newer=
  ask_peers
  n=0
  while [ $n -lt "$replicas" ]; do
    if [ $n != "$ordinal" ]; then look_at_peer; fi
    n=$((n + 1))
  done
  [ -n "$best" ]
}

# Nothing is deleted: while something is aside already, somebody must look first.
may_set_aside() {
  for file in "$appenddirname" "$dbfilename" "$appendfilename"; do
    if [ -e "$data/damaged-$file" ]; then
      echo "There is damaged data already, damaged-$file: take that away first." >&2
      return 1
    fi
  done
}

set_aside() {
  printf 'The data cannot be read, and %s has it: keeping it aside, in damaged-*.\\n' "$best" >&2
  # First of all: a server without its data must not say that it has any.
  is_aside=yes
  write_users ''
  for file in "$appenddirname" "$dbfilename" "$appendfilename"; do
    if [ -e "$data/$file" ]; then mv "$data/$file" "$data/damaged-$file"; fi
  done
}

# What a server that writes nothing has found on its volume.
forget() {
  for file in "$appenddirname" "$dbfilename" "$appendfilename"; do
    if [ ! -e "$data/$file" ]; then continue; fi
    if [ -e "$data/unused-$file" ]; then rm -rf "$data/$file"; else mv "$data/$file" "$data/unused-$file"; fi
  done
}

# Makes an append-only file of the snapshot, when all of that is read: Redis 6 would make one of a half.
make_aof() {
  echo 'There is a snapshot and no append-only file: making one.' >&2
  offline --appendonly no
  while kill -0 $child 2> /dev/null; do
    sleep 1
    case $(own -s $socket ping 2>&1) in PONG*) ;; *) continue ;; esac
    case $(own -s $socket config set appendonly yes 2>&1) in
      OK*) if has_aof; then own -s $socket shutdown nosave; fi ;;
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
    case $(own -s $socket ping 2>&1) in PONG*) own -s $socket shutdown save ;; esac
  done
  wait $child && has_rdb && rm -f "$data/$appenddirname/$appendfilename".* "$data/$appendfilename"
}

server=
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
: > $state/starting
# Who stops the container stops the server, which ends in its own time.
trap 'kill $child 2> /dev/null' TERM INT
case $begin in
  '') $server $conf $live & ;;
  held)
    echo yes > $state/loading
    $server $conf $live --replicaof ${nobody.host} ${nobody.port} &
    ;;
  *) $server $conf $live --replicaof $begin & ;;
esac
child=$!
echo $child > $state/server
if [ "$begin" = held ]; then watch_over & fi
# A signal ends the waiting, but not the server.
ended=0
while wait $child; ended=$?; kill -0 $child 2> /dev/null; do :; done
exit $ended
`;
