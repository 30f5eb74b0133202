import { findCondition, ifFound } from "@kedge/machinery";
import { TokenReview } from "@kedge/machinery/kinds/authentication/v1";
import { ConfigMap, Pod, ServiceAccount } from "@kedge/machinery/kinds/core/v1";
import { ClusterRole, RoleBinding } from "@kedge/machinery/kinds/rbac/v1";
import { beforeAll, describe, expect, it } from "vitest";
import { whyNoContainers } from "../node/needs.ts";
import { needs } from "../testing/needs.ts";
import { upCluster, type TestCluster } from "./testing/up-cluster.ts";

const namespace = "default";
const robot = { namespace, name: "robot" };
const pod = { namespace, name: "client" };
const folder = "/var/run/secrets/kubernetes.io/serviceaccount";

// The tests follow each other: each goes on with the pod as the one before has left it.
describe("a pod that talks to the API server as its service account", needs(whyNoContainers()), () => {
  let cluster: TestCluster;
  let token = "";

  beforeAll(async () => {
    cluster = await upCluster({ flags: ["--no-sample", "--no-operators"] });
    return () => cluster[Symbol.asyncDispose]();
  });

  /** Asks in the pod, as programs in pods do: by the address in their environment, with the token of the file. */
  const ask = async (path: string): Promise<string> => {
    const url = "https://$KUBERNETES_SERVICE_HOST:$KUBERNETES_SERVICE_PORT";
    const script = `wget -qO- --no-check-certificate --header "Authorization: Bearer $(cat ${folder}/token)" ${url}${path} 2>&1 || true`;
    const command = ["sh", "-c", script];
    const { stdout } = await cluster.client
      .of(Pod)
      .exec.run(pod, { command, container: "c", timeout: 60_000 });
    return stdout;
  };
  const review = async (): Promise<TokenReview["status"]> =>
    (await cluster.client.of(TokenReview).create({ spec: { token } })).status;

  it("has a token, the authority of the cluster and its namespace in files", async () => {
    await cluster.client.of(ServiceAccount).create({ metadata: robot });
    const container = { name: "c", image: "busybox", command: ["sleep", "1000"] };
    const spec = { serviceAccountName: "robot", terminationGracePeriodSeconds: 1, containers: [container] };
    await cluster.client.of(Pod).create({ metadata: pod, spec });
    const isReady = async (): Promise<boolean> =>
      findCondition((await cluster.client.of(Pod).get(pod)).status?.conditions, "Ready")?.status === "True";
    await expect.poll(isReady, { interval: 200 }).toBe(true);
    const read = async (file: string): Promise<string> => {
      const command = ["cat", `${folder}/${file}`];
      return (await cluster.client.of(Pod).exec.run(pod, { command, container: "c", timeout: 60_000 }))
        .stdout;
    };
    token = await read("token");
    expect(await read("namespace")).toBe(namespace);
    const { data } = await cluster.client.of(ConfigMap).get({ namespace, name: "kube-root-ca.crt" });
    expect(await read("ca.crt")).toBe(data?.["ca.crt"]);
    const { metadata } = await cluster.client.of(Pod).get(pod);
    expect(await review()).toMatchObject({
      authenticated: true,
      user: {
        username: `system:serviceaccount:${namespace}:robot`,
        extra: { "authentication.kubernetes.io/pod-uid": [metadata.uid] },
      },
    });
  });

  it("may do what the account was given, and nothing else", async () => {
    const maps = `/api/v1/namespaces/${namespace}/configmaps`;
    expect(await ask(maps)).toContain("403");
    const rules = [{ apiGroups: [""], resources: ["configmaps"], verbs: ["list"] }];
    await cluster.client.of(ClusterRole).create({ metadata: { name: "reader" }, rules });
    await cluster.client.of(RoleBinding).create({
      metadata: robot,
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "reader" },
      subjects: [{ kind: "ServiceAccount", name: "robot" }],
    });
    expect(await ask(maps)).toContain("kube-root-ca.crt");
    expect(await ask(`/api/v1/namespaces/${namespace}/secrets`)).toContain("403");
    expect(await ask("/api/v1/namespaces/kube-system/configmaps")).toContain("403");
  });

  it("loses its token with itself", async () => {
    await cluster.client.of(Pod).delete(pod, { gracePeriodSeconds: 0 });
    await expect
      .poll(async () => await ifFound(cluster.client.of(Pod).get(pod)), { interval: 200 })
      .toBeUndefined();
    expect(await review()).toMatchObject({
      error: "[invalid bearer token, service account token has been invalidated]",
    });
  });
});
