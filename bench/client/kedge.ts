import { connect, loadKubeconfig } from "@kedge/client";
import { realClock } from "@kedge/machinery";
import { Pod } from "@kedge/machinery/kinds/core/v1";
import type { Subject } from "./subject.ts";

/** Our client, with its defaults but for `dropManagedFields`. */
export async function kedge(kubeconfig: string, dropManagedFields: boolean): Promise<Subject> {
  const config = await loadKubeconfig({ path: kubeconfig, env: {}, clock: realClock });
  const client = connect(config, { dropManagedFields });
  const pods = client.of(Pod);
  return {
    get: async () => void (await pods.get({ namespace: "team-0", name: "web-000000" })),
    list: async () => (await pods.list({ pageSize: 0 }).all()).items,
  };
}
