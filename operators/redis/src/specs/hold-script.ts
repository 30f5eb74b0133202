import { nobody, paths, redisPort } from "../names.ts";

/**
 * Functions of the script that starts a server, about its peers. A server that was started is held: it follows nobody and
 * takes no writes until it is admitted. `watch_over` runs beside it and does that when no operator comes: it finds the
 * primary by asking all peers. The last primary admits itself when no peer knows a newer epoch, and when no peer can have
 * anything that it has not: with an append-only file, or a snapshot that is as new as they are. A server without data does
 * so only when every peer has said that it has none, either.
 */
export const holdScript = `# Asks all peers at once, and gives them two seconds; what they answer is in files. Commands are answered in turn, so
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

`;
