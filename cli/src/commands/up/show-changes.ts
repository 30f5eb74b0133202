import { connect, loadKubeconfig } from "@kedge/client";
import { realRandom, type Clock } from "@kedge/machinery";
import { Pod } from "@kedge/machinery/kinds/core/v1";
import { createInformers, type Cached, type Informer } from "@kedge/runtime";
import { RedisInstance } from "@kedge/redis-operator";
import { Application } from "@kedge/application-operator";
import type { ClusterFolder } from "../../cluster/cluster-folder.ts";
import type { Terminal } from "../../terminal/terminal.ts";

/** What showing takes. */
export interface ShowOptions {
  readonly folder: ClusterFolder;
  readonly terminal: Terminal;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Prints a line whenever a pod, a RedisInstance or an Application gets into another state, until the signal aborts. */
export async function showChanges({ folder, terminal, clock, signal }: ShowOptions): Promise<void> {
  const client = connect(await loadKubeconfig({ env: {}, clock, path: folder.kubeconfig }), {
    clock,
    userAgent: "kedge-up/0.1.0",
    dropManagedFields: true,
  });
  const informers = createInformers({ client, clock, random: realRandom });
  const show = <T extends Shown>(informer: Informer<T>, stateOf: (object: Cached<T>) => string): void => {
    const last = new Map<string, string>();
    informer.onEvent((event) => {
      const { namespace = "", name } = event.object.metadata;
      const key = `${informer.kind.kind} ${namespace}/${name}`;
      const state = event.type === "deleted" ? "deleted" : stateOf(event.object);
      const before = last.get(key);
      last.set(key, state);
      if (before === state || (event.type === "added" && event.initial)) return;
      const time = new Intl.DateTimeFormat("en-GB", { timeStyle: "medium" }).format(clock.now());
      terminal.print(`${terminal.style("dim", time)}  ${key}  ${state}\n`);
    });
  };
  show(informers.of(Pod), podState);
  show(informers.of(RedisInstance), ({ status }) => status?.status ?? "Unknown");
  show(informers.of(Application), ({ status }) => status?.phase ?? "Unknown");
  await informers.run(signal);
  await client.close();
}

interface Shown {
  readonly metadata: { readonly namespace?: string; readonly name: string };
}

function podState({ metadata, status }: Cached<Pod>): string {
  if (metadata.deletionTimestamp !== undefined) return "Terminating";
  const statuses = status?.containerStatuses ?? [];
  const waiting = statuses.find(({ state }) => state?.waiting?.reason !== undefined)?.state?.waiting?.reason;
  return `${waiting ?? status?.phase ?? "Pending"} ${statuses.filter(({ ready }) => ready).length}/${statuses.length}`;
}
