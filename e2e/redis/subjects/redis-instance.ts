import type { Client } from "@kedge/client";
import { Pod, Secret, Service } from "@kedge/machinery/kinds/core/v1";
import { RedisInstance } from "@kedge/redis-operator";
import type { TestCluster } from "../../cluster/testing/up-cluster.ts";
import { until } from "../testing/until.ts";
import type { Server, Subject } from "./subject.ts";

const namespace = "default";
const port = 6379;
const podNameLabel = "statefulset.kubernetes.io/pod-name";

/** Makes a RedisInstance, waits until all of it runs, and gives it as clients have it: through its Service. */
export async function makeInstance(
  cluster: Pick<TestCluster, "client" | "cli">,
  name: string,
  spec: object = {},
): Promise<Subject> {
  const { client } = cluster;
  const object = {
    metadata: { namespace, name },
    spec: { image: "redis:7.0", replicas: 3, storage: { size: "200Mi" }, ...spec },
  };
  await client.of(RedisInstance).apply(object, { fieldManager: "e2e" });
  await until(`RedisInstance ${name} runs`, async () =>
    isWhole(await client.of(RedisInstance).get({ namespace, name })),
  );
  return await instanceSubject(cluster, name);
}

/** Whether all of its pods are ready. */
export function isWhole({ spec, status }: Pick<RedisInstance, "spec" | "status">): boolean {
  return status?.status === "Running" && status.readyReplicas === `${spec.replicas}/${spec.replicas}`;
}

/** A RedisInstance that there is. */
export async function instanceSubject(
  { client, cli }: Pick<TestCluster, "client" | "cli">,
  name: string,
): Promise<Subject> {
  const password = await passwordOf(client, name);
  const { spec } = await client.of(Service).get({ namespace, name });
  const address = { host: spec?.clusterIP ?? "", port, password };
  const servers = async (): Promise<readonly Server[]> => {
    const labelSelector = `redis.github.com/instance=${name}`;
    const { items } = await client.of(Pod).list({ namespace, labelSelector }).all();
    return items.flatMap(({ metadata, spec: podSpec, status }) =>
      status?.podIP === undefined
        ? []
        : [
            {
              pod: metadata.name,
              node: podSpec?.nodeName ?? "",
              address: { host: status.podIP, port, password },
            },
          ],
    );
  };
  return {
    name: "kedge",
    route: () => Promise.resolve(address),
    servers,
    async primary() {
      const service = await client.of(Service).get({ namespace, name });
      const pod = service.spec?.selector?.[podNameLabel];
      const found = (await servers()).find((server) => server.pod === pod);
      if (found === undefined) throw new Error(`the Service ${name} leads to ${pod}, which has no address`);
      return found;
    },
    async switchover() {
      const { code, stdout, stderr } = await cli("redis", "switchover", name);
      if (code !== 0) throw new Error(`kedge redis switchover ${name}: ${stdout}${stderr}`);
    },
  };
}

async function passwordOf(client: Client, name: string): Promise<string> {
  const { data } = await client.of(Secret).get({ namespace, name: `${name}-auth` });
  return Buffer.from(data?.["password"] ?? "", "base64").toString();
}
