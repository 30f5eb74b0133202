import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Client } from "@kedge/client";
import { findCondition, ifFound, realClock, type DeepReadonly } from "@kedge/machinery";
import { TokenReview } from "@kedge/machinery/kinds/authentication/v1";
import { CertificateSigningRequest } from "@kedge/machinery/kinds/certificates/v1";
import { Lease } from "@kedge/machinery/kinds/coordination/v1";
import { ConfigMap, Node, Pod, Secret, type PodSpec } from "@kedge/machinery/kinds/core/v1";
import { ClusterRoleBinding } from "@kedge/machinery/kinds/rbac/v1";
import { CSINode } from "@kedge/machinery/kinds/storage/v1";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { whyNoContainers } from "../node/needs.ts";
import { buildModules } from "../real/build.ts";
import { startOracle, type Oracle } from "../real/oracle.ts";
import { kubeletModule } from "../real/programs.ts";
import { startOurServer } from "../real/testing/our-server.ts";
import { until, untilGone } from "../real/wait.ts";
import { needs } from "../testing/needs.ts";
import { images } from "./testing/configs.ts";
import { nodeName, startKubelet, type KubeletNode } from "./testing/kubelet-node.ts";

/** Building it takes minutes, with both cores busy many. */
const patience = 3_600_000;

function whyNoKubelet(): string | undefined {
  if (process.arch !== "x64") return "containerd's package is pinned for amd64";
  return whyNoContainers();
}

// The same on both: what the kubelet does as a node of the real server is what it has to do on ours.
describe.each([
  ["the real API server", {}],
  ["our API server", { server: startOurServer }],
])("the real kubelet as a node of %s", needs(whyNoKubelet()), (_, options) => {
  let oracle: Oracle;
  let client: Client;
  let kubelet: KubeletNode;
  beforeAll(async () => {
    const built = await buildModules([kubeletModule()], { env: process.env, print: () => undefined });
    if (!built.ok) throw new Error(built.reason);
    oracle = await startOracle({ controllerManager: true, scheduler: true, ...options });
    client = oracle.admin;
    for (const [role, subject] of bindings) {
      await client.of(ClusterRoleBinding).create({
        metadata: { name: `test:${role}` },
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: role },
        subjects: [{ apiGroup: "rbac.authorization.k8s.io", ...subject }],
      });
    }
    kubelet = await startKubelet(oracle);
  }, patience);
  afterAll(async () => {
    await kubelet?.[Symbol.asyncDispose]();
    await oracle?.stop();
  });

  const at = (name: string) => ({ namespace: "default", name });
  const run = (name: string, spec: Partial<PodSpec> & Pick<PodSpec, "containers">) =>
    client.of(Pod).create({ metadata: at(name), spec: { terminationGracePeriodSeconds: 1, ...spec } });
  const untilPod = (name: string, what: string, isSo: (pod: DeepReadonly<Pod>) => boolean) =>
    until(`the pod ${name} ${what}`, async () => {
      await kubelet.throwIfEnded();
      return isSo(await client.of(Pod).get(at(name)));
    });
  const exec = async (name: string, ...command: readonly string[]) =>
    client.of(Pod).exec.run(at(name), { command });

  it("gets its certificates by asking for them, and is ready", async () => {
    await until("the node is there", async () => {
      await kubelet.throwIfEnded();
      const { items } = await client.of(Node).list({}).all();
      return items.some(({ metadata }) => metadata.name === nodeName);
    });
    await approveServing(client, kubelet);
    await until("the node is ready", async () => {
      await kubelet.throwIfEnded();
      const { status } = await client.of(Node).get({ name: nodeName });
      return findCondition(status?.conditions, "Ready")?.status === "True";
    });
    const { status } = await client.of(Node).get({ name: nodeName });
    expect(status?.nodeInfo).toMatchObject({
      kubeletVersion: kubeletModule().version,
      containerRuntimeVersion: expect.stringMatching(/^containerd:\/\/2\./u) as unknown,
    });
    expect(status?.addresses).toContainEqual({ type: "InternalIP", address: kubelet.address });
  });

  it("renews the lease of its node", async () => {
    const lease = () => ifFound(client.of(Lease).get({ namespace: "kube-node-lease", name: nodeName }));
    await until("there is a lease", async () => (await lease()) !== undefined);
    const first = (await lease())?.spec;
    expect(first?.holderIdentity).toBe(nodeName);
    await until("it is renewed", async () => (await lease())?.spec?.renewTime !== first?.renewTime);
  });

  it("runs a pod, with files of a ConfigMap, a Secret and a token", async () => {
    await client.of(ConfigMap).create({ metadata: at("settings"), data: { colour: "blue" } });
    await client.of(Secret).create({ metadata: at("password"), stringData: { word: "sesame" } });
    await run("web", {
      containers: [
        {
          name: "web",
          image: images.shell,
          command: ["sh", "-c", script],
          env: [
            { name: "COLOUR", valueFrom: { configMapKeyRef: { name: "settings", key: "colour" } } },
            { name: "NODE", valueFrom: { fieldRef: { fieldPath: "spec.nodeName" } } },
          ],
          volumeMounts: [{ name: "password", mountPath: "/password" }],
          readinessProbe: { exec: { command: ["cat", "/ready"] }, periodSeconds: 1 },
          ports: [{ containerPort: 8080 }],
        },
      ],
      volumes: [{ name: "password", secret: { secretName: "password" } }],
    });
    await untilPod("web", "runs", ({ status }) => status?.phase === "Running");
    const { spec, status } = await client.of(Pod).get(at("web"));
    expect(spec?.nodeName).toBe(nodeName);
    expect(status?.podIP?.startsWith(kubelet.podNetwork)).toBe(true);
    expect(status?.containerStatuses?.[0]?.containerID).toMatch(/^containerd:\/\//u);
  });

  it("tells its log, and runs commands in it, through the API server", async () => {
    await until("the pod has said something", async () =>
      (await client.of(Pod).log.text(at("web"))).includes("\n"),
    );
    expect(await client.of(Pod).log.text(at("web"))).toBe(`blue on ${nodeName}\n`);
    expect(await exec("web", "cat", "/password/word")).toMatchObject({ code: 0, stdout: "sesame" });
    expect(await exec("web", "sh", "-c", "echo no >&2; exit 7")).toMatchObject({
      code: 7,
      stderr: "no\n",
    });
  });

  it("tells that it is ready as soon as its probe has found it so", async () => {
    const { status } = await client.of(Pod).get(at("web"));
    expect(findCondition(status?.conditions, "Ready")?.status).toBe("False");
    await exec("web", "sh", "-c", "echo yes > /ready");
    await untilPod("web", "is ready", (pod) => isReady(pod));
  });

  it("leads to its port", async () => {
    const forward = await client.of(Pod).portforward.listen(at("web"), { port: 8080 });
    try {
      const answer = await fetch(`http://127.0.0.1:${forward.port}/`);
      expect(await answer.text()).toBe("hello");
    } finally {
      await forward.close();
    }
  });

  it("starts a container again that has ended, and tells how", async () => {
    await exec("web", "sh", "-c", "echo 3 > /end");
    await untilPod("web", "has been started again", ({ status }) => {
      const [web] = status?.containerStatuses ?? [];
      return web?.restartCount === 1 && web.state?.running !== undefined;
    });
    const { status } = await client.of(Pod).get(at("web"));
    expect(status?.containerStatuses?.[0]?.lastState?.terminated).toMatchObject({
      exitCode: 3,
      reason: "Error",
    });
    expect(await client.of(Pod).log.text(at("web"), { previous: true })).toBe(`blue on ${nodeName}\n`);
  });

  it("runs a pod to its end", async () => {
    const command = ["sh", "-c", "echo done > /dev/termination-log"];
    await run("once", {
      restartPolicy: "Never",
      containers: [{ name: "once", image: images.shell, command }],
    });
    await untilPod("once", "has succeeded", ({ status }) => status?.phase === "Succeeded");
    const { status } = await client.of(Pod).get(at("once"));
    expect(status?.containerStatuses?.[0]?.state?.terminated).toMatchObject({
      exitCode: 0,
      message: "done\n",
    });
  });

  it("gives a pod another container to look into it", async () => {
    const looker = { name: "look", image: images.shell, command: ["cat", "/proc/1/cmdline"] };
    const containers = [{ ...looker, targetContainerName: "web" }];
    await client
      .of(Pod)
      .ephemeralcontainers.patch(at("web"), { merge: { spec: { ephemeralContainers: containers } } });
    await untilPod("web", "has been looked into", ({ status }) => {
      return status?.ephemeralContainerStatuses?.[0]?.state?.terminated?.exitCode === 0;
    });
    expect(await client.of(Pod).log.text(at("web"), { container: "look" })).toContain("$COLOUR on $NODE");
  });

  it("tells what its pods use, and which volumes it can attach", async () => {
    const path = `/api/v1/nodes/${nodeName}/proxy/stats/summary`;
    await expect
      .poll(async () => await client.getJson(path))
      .toMatchObject({
        node: { nodeName },
        pods: expect.arrayContaining([
          expect.objectContaining({ podRef: expect.objectContaining(at("web")) as unknown }),
        ]) as unknown,
      });
    const { metadata } = await client.of(CSINode).get({ name: nodeName });
    expect(metadata.ownerReferences).toMatchObject([{ kind: "Node", name: nodeName }]);
  });

  it("shows a pod that it runs from a file, and shows it again when somebody deletes it", async () => {
    const name = `fixed-${nodeName}`;
    const containers = [{ name: "fixed", image: images.shell, command: ["sleep", "2147483647"] }];
    const manifest = { apiVersion: "v1", kind: "Pod", metadata: at("fixed"), spec: { containers } };
    await writeFile(join(kubelet.staticPods, "fixed.json"), JSON.stringify(manifest));
    const shown = () => ifFound(client.of(Pod).get(at(name)));
    const untilRuns = () =>
      until("the pod of the file is shown", async () => {
        await kubelet.throwIfEnded();
        return (await shown())?.status?.phase === "Running";
      });
    await untilRuns();
    const first = await client.of(Pod).get(at(name));
    expect(first.metadata.annotations).toMatchObject({ "kubernetes.io/config.source": "file" });
    expect(first.metadata.ownerReferences).toMatchObject([{ kind: "Node", name: nodeName }]);
    await client.of(Pod).delete(at(name), { gracePeriodSeconds: 0 });
    await until("another is shown", async () => (await shown())?.metadata.uid !== first.metadata.uid);
    await untilRuns();
    const again = await client.of(Pod).get(at(name));
    const ids = [first, again].map(({ status }) => status?.containerStatuses?.[0]?.containerID);
    expect(ids[0]).toBe(ids[1]);
    await rm(join(kubelet.staticPods, "fixed.json"));
    await untilGone("the pod of the file", () => client.of(Pod).get(at(name)));
  });

  it("is kept to its own node, and to what its pods name", async () => {
    const agent = await oracle.clientFor(`system:node:${nodeName}`, ["system:nodes"]);
    expect(await agent.of(Secret).get(at("password"))).toMatchObject({ metadata: { name: "password" } });
    await client.of(Secret).create({ metadata: at("other"), stringData: { word: "no" } });
    await expect(agent.of(Secret).get(at("other"))).rejects.toThrow(
      "no relationship found between node 'real-node' and this object",
    );
    const label = { merge: { metadata: { labels: { "node-restriction.kubernetes.io/x": "y" } } } };
    await expect(agent.of(Node).patch({ name: nodeName }, label)).rejects.toThrow(
      "is not allowed to modify labels: node-restriction.kubernetes.io/x",
    );
  });

  it("deletes a pod, and its token is worth nothing then", async () => {
    const { stdout: token } = await exec("web", "cat", tokenFile);
    const reviewed = async () => (await client.of(TokenReview).create({ spec: { token } })).status;
    expect(await reviewed()).toMatchObject({
      authenticated: true,
      user: {
        username: "system:serviceaccount:default:default",
        extra: {
          "authentication.kubernetes.io/pod-name": ["web"],
          "authentication.kubernetes.io/node-name": [nodeName],
        },
      },
    });
    for (const name of ["web", "once"]) {
      await client.of(Pod).delete(at(name));
      await untilGone(`the pod ${name}`, () => client.of(Pod).get(at(name)));
    }
    // The real server remembers for ten seconds whose a token is.
    await expect.poll(async () => (await reviewed())?.authenticated ?? false).toBe(false);
    await expect.poll(() => kubelet.containers()).toBe("");
  });

  it("was never told that it may not", async () => {
    const complaints = (await kubelet.log()).split("\n").filter(isComplaint);
    expect(complaints).toEqual([]);
  });
});

/** As kubeadm binds them: who joins asks for a certificate, which is given unseen; the API server uses the kubelet's. */
const bindings = [
  ["system:node-bootstrapper", { kind: "Group", name: "system:bootstrappers" }],
  [
    "system:certificates.k8s.io:certificatesigningrequests:nodeclient",
    { kind: "Group", name: "system:bootstrappers" },
  ],
  ["system:kubelet-api-admin", { kind: "User", name: "kube-apiserver-kubelet-client" }],
] as const;

const tokenFile = "/var/run/secrets/kubernetes.io/serviceaccount/token";

/** Greets, serves one page, and ends when it is told so. */
const script = `
echo "$COLOUR on $NODE"
while :; do printf 'HTTP/1.1 200 OK\\r\\nContent-Length: 5\\r\\nConnection: close\\r\\n\\r\\nhello' | nc -l -p 8080 > /dev/null; done &
while :; do [ -f /end ] && exit 3; sleep 0.1; done
`;

/** Until it has its first certificate it asks without one, and is told that it may not, on any server. */
const isComplaint = (line: string): boolean => complaint.test(line) && !line.includes("system:anonymous");
const complaint = /forbidden|Unauthorized|could not find the requested resource|unable to decode/u;

function isReady({ status }: DeepReadonly<Pod>): boolean {
  return findCondition(status?.conditions, "Ready")?.status === "True";
}

/** What a person does who has joined a node: nobody gives serving certificates unseen. */
async function approveServing(client: Client, kubelet: KubeletNode): Promise<void> {
  const requests = client.of(CertificateSigningRequest);
  await until("the kubelet asks for its serving certificate", async () => {
    await kubelet.throwIfEnded();
    const { items } = await requests.list({}).all();
    const asked = items.find(({ spec }) => spec.signerName === "kubernetes.io/kubelet-serving");
    if (asked === undefined) return false;
    const now = new Date(realClock.now()).toISOString();
    const approved = { type: "Approved", status: "True", reason: "Test", lastUpdateTime: now };
    await requests.approval.replace({ ...asked, status: { ...asked.status, conditions: [approved] } });
    return true;
  });
}
