import { findCondition, ifFound, uid, type Kind, type KubeObject } from "@kedge/machinery";
import { CustomResourceDefinition } from "@kedge/machinery/kinds/apiextensions/v1";
import { Deployment } from "@kedge/machinery/kinds/apps/v1";
import { ConfigMap, Namespace, ResourceQuota } from "@kedge/machinery/kinds/core/v1";
import { makeNamespace } from "../testing/both-sides.ts";
import type { Scenario, Stage } from "../testing/workload-stages.ts";
import { until, untilGone } from "../wait.ts";

const labels = { app: "web" };
const template = { metadata: { labels }, spec: { containers: [{ name: "main", image: "main:1" }] } };

async function deploy({ client, at, untilRunning }: Stage): Promise<void> {
  const spec = { replicas: 2, selector: { matchLabels: labels }, template };
  await client.of(Deployment).create({ metadata: at("web"), spec });
  await untilRunning(2);
}

function thingOf(group: string): Kind<KubeObject, "Namespaced", never> {
  return { group, version: "v1", kind: "Thing", plural: "things", scope: "Namespaced", subresources: [] };
}

/** How objects end, whole namespaces with them, and what counts them. */
export const lifecycleScenarios: readonly Scenario[] = [
  [
    "a deployment takes what it owns with it",
    async (stage) => {
      await deploy(stage);
      await stage.client.of(Deployment).delete(stage.at("web"), { propagation: "Foreground" });
      await untilGone("the deployment", () => stage.client.of(Deployment).get(stage.at("web")));
      await until("no pod is left", async () => (await stage.pods()).length === 0);
    },
  ],
  [
    "a deployment leaves orphans when it is told to",
    async (stage) => {
      await deploy(stage);
      await stage.client.of(Deployment).delete(stage.at("web"), { propagation: "Orphan" });
      await untilGone("the deployment", () => stage.client.of(Deployment).get(stage.at("web")));
    },
  ],
  [
    "a custom object takes its dependents with it, and a definition its objects",
    async (stage) => {
      const { client, namespace, at } = stage;
      const group = `${namespace}.example.com`;
      const name = `things.${group}`;
      const definitions = client.of(CustomResourceDefinition);
      const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
      await definitions.create({
        metadata: { name },
        spec: {
          group,
          scope: "Namespaced",
          names: { plural: "things", kind: "Thing" },
          versions: [{ name: "v1", served: true, storage: true, schema }],
        },
      });
      await until("they are served", async () => {
        const { status } = await definitions.get({ name });
        return findCondition(status?.conditions, "Established")?.status === "True";
      });
      const things = client.of(thingOf(group));
      await until(
        "one can be made",
        async () => (await ifFound(things.create({ metadata: at("one") }))) !== undefined,
      );
      await things.create({ metadata: at("two") });
      const { metadata } = await things.get(at("one"));
      const owner = { apiVersion: `${group}/v1`, kind: "Thing", name: "one", uid: metadata.uid ?? uid("") };
      await client.of(ConfigMap).create({ metadata: { ...at("child"), ownerReferences: [owner] } });
      await things.delete(at("one"));
      await untilGone("the child", () => client.of(ConfigMap).get(at("child")));
      await definitions.delete({ name });
      await untilGone("the definition", () => definitions.get({ name }));
    },
  ],
  [
    "a namespace ends with all that is in it",
    async (stage) => {
      const inner = `${stage.namespace}-ends`;
      const { client } = stage;
      await makeNamespace(client, inner);
      const at = (name: string) => ({ namespace: inner, name });
      const spec = { replicas: 2, selector: { matchLabels: labels }, template };
      await client.of(Deployment).create({ metadata: at("web"), spec });
      await client.of(ConfigMap).create({ metadata: { ...at("held"), finalizers: ["example.com/held"] } });
      await client.of(Namespace).delete({ name: inner });
      await until("it waits for who holds a finalizer", async () => {
        const { status } = await client.of(Namespace).get({ name: inner });
        return findCondition(status?.conditions, "NamespaceFinalizersRemaining")?.status === "True";
      });
      await client.of(ConfigMap).patch(at("held"), { merge: { metadata: { finalizers: null } } });
      await untilGone("the namespace", () => client.of(Namespace).get({ name: inner }));
    },
  ],
  [
    "a quota counts what is there",
    async (stage) => {
      const { client, at } = stage;
      const hard = { "count/configmaps": "9", pods: "3", "count/deployments.apps": "1" };
      await client.of(ResourceQuota).create({ metadata: at("small"), spec: { hard } });
      // What is made before it knows what there is, it counts later.
      await until("it counts", async () => {
        const { status } = await client.of(ResourceQuota).get(at("small"));
        return status?.used?.["count/configmaps"] === "1";
      });
      await deploy(stage);
      await client.of(ConfigMap).create({ metadata: at("one") });
      // `kube-root-ca.crt` is one, too.
      const used = { "count/configmaps": "2", pods: "2", "count/deployments.apps": "1" };
      await until("it has counted", async () => {
        const { status } = await client.of(ResourceQuota).get(at("small"));
        return Object.entries(used).every(([name, count]) => status?.used?.[name] === count);
      });
    },
  ],
];
