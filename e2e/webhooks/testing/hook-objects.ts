import { dirname } from "node:path";
import type { Client } from "@kedge/client";
import { realClock, realRandom, type Kind, type StoredMeta } from "@kedge/machinery";
import {
  MutatingWebhookConfiguration,
  ValidatingWebhookConfiguration,
} from "@kedge/machinery/kinds/admissionregistration/v1";
import { CustomResourceDefinition } from "@kedge/machinery/kinds/apiextensions/v1";
import { APIService } from "@kedge/machinery/kinds/apiregistration/v1";
import { Deployment } from "@kedge/machinery/kinds/apps/v1";
import { ConfigMap, Namespace, Secret, Service } from "@kedge/machinery/kinds/core/v1";
import { createAuthority } from "@kedge/pki";
import { hookProgram } from "./hook-program.ts";

const namespace = "hooks";
const labels = { app: "hooks" };
const metadata = { namespace, name: "hooks" };

/** Who signed the certificate of the webhooks, as configurations name it: PEM in base64. */
export interface Hooks {
  readonly caBundle: string;
}

/** Webhooks in pods, one on each node as far as there are nodes, behind a Service with a port of its own. */
export async function createHooks(client: Client, replicas: number): Promise<Hooks> {
  const ca = await createAuthority({ name: "hooks", clock: realClock, random: realRandom });
  const serving = await ca.issueServing({ name: "hooks", hosts: ["hooks.hooks.svc"] });
  const stringData = { "tls.crt": serving.certificate, "tls.key": serving.key };
  await client.of(Namespace).create({ metadata: { name: namespace } });
  await client.of(Secret).create({ metadata, type: "kubernetes.io/tls", stringData });
  await client.of(ConfigMap).create({ metadata, data: { "hooks.cjs": hookProgram } });
  await client.of(Service).create({
    metadata,
    spec: { selector: labels, ports: [{ name: "https", port: 443, targetPort: 8443 }] },
  });
  await client.of(Deployment).create({
    metadata,
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: podSpec() },
    },
  });
  return { caBundle: Buffer.from(ca.certificate).toString("base64") };
}

/** The programs of this machine, and the Node.js that runs this test. */
function podSpec() {
  const mounts = [
    { name: "tls", mountPath: "/tls" },
    { name: "program", mountPath: "/program" },
    { name: "node", mountPath: "/node", readOnly: true },
  ];
  return {
    terminationGracePeriodSeconds: 5,
    containers: [
      {
        name: "hooks",
        image: "kedge.dev/host:any",
        command: ["/node/node", "/program/hooks.cjs"],
        volumeMounts: mounts,
        readinessProbe: { tcpSocket: { port: 8443 }, periodSeconds: 1 },
      },
    ],
    volumes: [
      { name: "tls", secret: { secretName: metadata.name } },
      { name: "program", configMap: { name: metadata.name } },
      { name: "node", hostPath: { path: dirname(process.execPath) } },
    ],
  };
}

const service = { namespace, name: metadata.name };

/** Has the webhooks asked of every new config map of namespaces with a label, by their Service. */
export async function registerHooks(client: Client, { caBundle }: Hooks): Promise<void> {
  const hook = (path: string) => ({
    name: `${path}.hooks.example.com`,
    clientConfig: { service: { ...service, path: `/${path}` }, caBundle },
    rules: [{ apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"], operations: ["CREATE"] }],
    namespaceSelector: { matchLabels: { hooked: "yes" } },
    admissionReviewVersions: ["v1"],
    sideEffects: "None",
  });
  await client
    .of(ValidatingWebhookConfiguration)
    .create({ metadata: { name: "hooks" }, webhooks: [hook("validate")] });
  await client
    .of(MutatingWebhookConfiguration)
    .create({ metadata: { name: "hooks" }, webhooks: [hook("mutate")] });
}

/** What the webhook converts. */
export interface Palette {
  metadata: StoredMeta;
  color?: string;
  colors?: string[];
}

/** Its kind, in one of both versions. */
export function palette(version: string): Kind<Palette, "Namespaced"> {
  return {
    group: "hooks.example.com",
    version,
    kind: "Palette",
    plural: "palettes",
    scope: "Namespaced",
    subresources: [],
  };
}

/** A kind that is stored as v2 and converted by the webhook. */
export async function definePalettes(client: Client, { caBundle }: Hooks): Promise<void> {
  const version = (name: string, storage: boolean) => ({
    name,
    storage,
    served: true,
    schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
  });
  await client.of(CustomResourceDefinition).create({
    metadata: { name: "palettes.hooks.example.com" },
    spec: {
      group: "hooks.example.com",
      scope: "Namespaced",
      names: { plural: "palettes", kind: "Palette" },
      versions: [version("v1", false), version("v2", true)],
      conversion: {
        strategy: "Webhook",
        webhook: {
          conversionReviewVersions: ["v1"],
          clientConfig: { service: { ...service, path: "/convert" }, caBundle },
        },
      },
    },
  });
}

/** Has the API of the same pods served through the API server, by their Service. */
export async function registerTints(client: Client, { caBundle }: Hooks): Promise<void> {
  const group = "tints.example.com";
  await client.of(APIService).create({
    metadata: { name: tintsService },
    spec: { group, version: "v1", groupPriorityMinimum: 1000, versionPriority: 10, service, caBundle },
  });
}

/** The name of its APIService. */
export const tintsService = "v1.tints.example.com";
