import type { Client } from "@kedge/client";
import { isNotFound, messageOf } from "@kedge/machinery";
import { Deployment } from "@kedge/machinery/kinds/apps/v1";
import { Pod, Service, type PodSpec } from "@kedge/machinery/kinds/core/v1";

/** A pod that answers, as this test needs it. */
export interface WebPod {
  readonly name: string;
  readonly node: string;
  readonly address: string;
}

const namespace = "default";
const labels = { app: "web" };

/** A server that says its name. It is given up soon when its node is lost. */
export const webPod = {
  containers: [{ name: "web", image: "kedge.dev/echo:1", readinessProbe: { tcpSocket: { port: 80 } } }],
  terminationGracePeriodSeconds: 1,
  tolerations: ["not-ready", "unreachable"].map((state) => ({
    key: `node.kubernetes.io/${state}`,
    operator: "Exists",
    effect: "NoExecute",
    tolerationSeconds: 1,
  })),
};

/** Such servers, or others, behind a Service of the name `web`, at port 80 and at a port of each node. */
export async function createWeb(
  client: Client,
  replicas: number,
  { spec = webPod }: { readonly spec?: PodSpec } = {},
): Promise<void> {
  const metadata = { namespace, name: "web" };
  const template = { metadata: { labels }, spec };
  const selector = { matchLabels: labels };
  const strategy = { rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } };
  await client.of(Deployment).create({ metadata, spec: { replicas, selector, strategy, template } });
  await client
    .of(Service)
    .create({ metadata, spec: { type: "NodePort", selector: labels, ports: [{ port: 80 }] } });
}

/** Whether there is no pod of this name any more. */
export async function gone(client: Client, name: string): Promise<boolean> {
  return await client
    .of(Pod)
    .get({ namespace, name })
    .then(
      () => false,
      (error: unknown) => isNotFound(error),
    );
}

/** Those that are ready, sorted by their nodes. */
export async function readyPods(client: Client): Promise<readonly WebPod[]> {
  const { items } = await client.of(Pod).list({ namespace, labelSelector: "app=web" }).all();
  return items
    .filter(
      ({ metadata, status }) =>
        metadata.deletionTimestamp === undefined &&
        status?.conditions?.some((one) => one.type === "Ready" && one.status === "True"),
    )
    .map(({ metadata, spec, status }) => ({
      name: metadata.name,
      node: spec?.nodeName ?? "",
      address: status?.podIP ?? "",
    }))
    .toSorted((one, other) => (one.node < other.node ? -1 : 1));
}

/** Where the Service is: its own address, and the port of the nodes. */
export async function webService(
  client: Client,
): Promise<{ readonly address: string; readonly nodePort: number }> {
  const { spec } = await client.of(Service).get({ namespace, name: "web" });
  return { address: spec?.clusterIP ?? "", nodePort: spec?.ports?.[0]?.nodePort ?? 0 };
}

/** Runs a command in a pod; gives what it printed, or why it could not. */
export async function runIn(
  client: Client,
  { name }: Pick<WebPod, "name">,
  ...command: string[]
): Promise<string> {
  try {
    const result = await client.of(Pod).exec.run({ namespace, name }, { command, timeout: 20_000 });
    return `${result.stdout}${result.stderr}`.trim();
  } catch (error) {
    return messageOf(error);
  }
}

/** Asks a server from within a pod: who answers; "no answer" after two seconds. */
export async function whoAnswers(client: Client, from: WebPod, host: string, port = 80): Promise<string> {
  const ask = String.raw`printf 'GET / HTTP/1.0\r\n\r\n' | nc -w 2 ${host} ${port}`;
  return /^(\S+) GET \/$/mu.exec(await runIn(client, from, "sh", "-c", ask))?.[1] ?? "no answer";
}
