/**
 * Functions of the script that starts a server, about the files of its data.
 *
 * - A server that ended while it read its data tries it again where nobody can reach it. When it cannot be read, and a
 *   peer is the primary, the data is kept aside, and the server takes the peer's.
 * - Redis reads either its append-only file or its snapshot, as `appendonly` says, also when it is missing or older than
 *   the other one. So when a config has turned it on or off, the one is made from the other first, by a server that
 *   nobody can reach. An append-only file that is there is always the newer one.
 * - A server that writes nothing to its volume begins empty: what it may find there is older than anything that its peers
 *   have. That is kept aside; a second time there is only what a replica was sent and had no time to take away.
 */
export const dataScript = `# Whether the server can read the data that it ended with the last time. False only when it ends by itself.
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

`;
