import { paths } from "../names.ts";

/**
 * Ready to serve. A primary: it answers, and does not load its data any more. A replica:
 *
 * - its link to the primary is up and it is in sync; or
 * - it was, since this server started: a primary that is down must not take the replicas' reads with it; or
 * - it has data of its own and the primary is away, so that there is nothing newer to wait for.
 *
 * The script waits a little by itself: a server that has just started is ready long before the next probe. A server that
 * does not let it in says nothing about that, only that the pod sees its Secret late: then what the last probe that was let
 * in has found still holds.
 */
export const readinessScript = `state=${paths.state} answer= try=0
cli() { sh ${paths.probeClient} "$@" 2>&1; }
if [ -s $state/starting ]; then echo 'the server has not been started yet'; exit 1; fi
while [ $try -lt 10 ]; do
  answer=$(printf 'PING\\nINFO replication\\n' | cli)
  case $answer in
    PONG*role:master*) echo yes > $state/ready; exit 0 ;;
    PONG*master_link_status:up*)
      case $answer in *master_sync_in_progress:0*) echo yes > $state/synced; echo yes > $state/ready; exit 0 ;; esac ;;
    PONG*) if [ -s $state/synced ]; then exit 0; fi ;;
    *LOADING*) break ;;
    *NOAUTH*|*WRONGPASS*) if [ -s $state/ready ]; then exit 0; fi ;;
  esac
  sleep 0.2 2> /dev/null || sleep 1
  try=$((try + 1))
done
case $answer in PONG*) : > $state/ready ;; *) printf '%s\\n' "$answer"; exit 1 ;; esac
why='the link to the primary is down'
return=$(printf '\\r')
host=\${answer#*master_host:} host=\${host%%$return*}
case $(printf 'INFO keyspace\\n' | cli) in *db*:keys=*) ;; *) printf '%s, and there is no data\\n' "$why"; exit 1 ;; esac
: > $state/primary
sh ${paths.probeClient} -h "$host" ping > $state/primary 2>&1 &
asked=$! try=0
while [ $try -lt 3 ] && [ ! -s $state/primary ]; do sleep 1; try=$((try + 1)); done
kill $asked 2> /dev/null
read -r answer < $state/primary || answer=
case $answer in PONG*|*NOAUTH*|*WRONGPASS*) printf '%s, and the primary answers\\n' "$why"; exit 1 ;; esac
`;

/**
 * Alive is what answers anything: a server that loads or runs a long script must not be killed for it, nor one that is
 * not started yet because it must not serve.
 */
export const livenessScript = `[ -s ${paths.state}/starting ] || sh ${paths.probeClient} ping`;

/**
 * Before the server of a pod is stopped: a primary that others follow waits, not long, until the operator, which sees
 * that the pod is being deleted, has handed over to one of them.
 *
 * A server that is stopped (SIGSTOP, or by a debugger), or that the kernel has held for two seconds, is killed: what its
 * clients have sent it meanwhile must never be acknowledged, because another server is about to take over. One that is
 * busy gets all the time that the pod has.
 */
export const preStopScript = `state=${paths.state} try=0 stuck=0 server= asked=
if [ -s $state/server ]; then read -r server < $state/server; fi
# As the kernel names it: T stopped, D held, R and S at work.
mode() { [ -n "$server" ] && read -r line < /proc/$server/stat && line=\${line##*) } && printf '%s' "\${line%% *}"; }
while [ $try -lt 25 ]; do
  case $(mode 2> /dev/null) in
    [Tt]) stuck=10 ;;
    D) stuck=$((stuck + 1)) ;;
    *) stuck=0 ;;
  esac
  if [ $stuck -ge 10 ]; then
    kill -9 $server
    exit 0
  fi
  if [ -z "$asked" ]; then
    : > $state/stopping
    printf 'INFO replication\\n' | sh ${paths.probeClient} > $state/stopping 2>&1 &
    asked=$!
  fi
  sleep 0.2 2> /dev/null || sleep 1
  try=$((try + 1))
  if kill -0 $asked 2> /dev/null; then continue; fi
  asked= role= online=
  while IFS= read -r line; do
    case $line in role:master*) role=primary ;; *state=online*) online=yes ;; esac
  done < $state/stopping
  if [ -z "$role" ] || [ -z "$online" ]; then exit 0; fi
done
if [ -n "$asked" ]; then kill $asked 2> /dev/null; fi
`;
