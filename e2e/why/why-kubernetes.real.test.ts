import { mkdtemp, rm } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { realClock, realRandom } from "@kedge/machinery";
import { ValidatingWebhookConfiguration } from "@kedge/machinery/kinds/admissionregistration/v1";
import { Deployment } from "@kedge/machinery/kinds/apps/v1";
import { ResourceQuota } from "@kedge/machinery/kinds/core/v1";
import { createAuthority } from "@kedge/pki";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runCli } from "../cluster/testing/run-cli.ts";
import { startOracle, type Oracle } from "../real/oracle.ts";
import { makeNamespace } from "../real/testing/both-sides.ts";

/** What a cluster of ours does not have: quotas, and webhooks that are asked before pods are created. */
describe("kedge why on a real Kubernetes", () => {
  let oracle: Oracle;
  let webhook: Server;
  let home = "";
  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), "kedge-why-"));
    oracle = await startOracle({ controllerManager: true });
    const authority = await createAuthority({ name: "webhooks", clock: realClock, random: realRandom });
    const serving = await authority.issueServing({ name: "webhook", hosts: ["127.0.0.1"] });
    webhook = createServer({ cert: serving.certificate, key: serving.key }, (request, response) => {
      void refuse(request, response);
    });
    await new Promise<void>((resolve) => {
      webhook.listen(0, "127.0.0.1", resolve);
    });
    const { port } = webhook.address() as AddressInfo;
    const caBundle = Buffer.from(authority.certificate).toString("base64");
    for (const [name, url] of [
      ["friday", `https://127.0.0.1:${port}/`],
      ["gone", "https://127.0.0.1:1/"],
    ] as const) {
      await makeNamespace(oracle.admin, name);
      await oracle.admin.of(ValidatingWebhookConfiguration).create({
        metadata: { name },
        webhooks: [
          {
            name: `${name}.example.com`,
            clientConfig: { url, caBundle },
            rules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["pods"] }],
            namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": name } },
            sideEffects: "None",
            admissionReviewVersions: ["v1"],
            timeoutSeconds: 5,
          },
        ],
      });
    }
    await makeNamespace(oracle.admin, "full");
    await oracle.admin
      .of(ResourceQuota)
      .create({ metadata: { namespace: "full", name: "small" }, spec: { hard: { pods: "0" } } });
  });
  afterAll(async () => {
    webhook?.closeAllConnections();
    webhook?.close();
    await oracle?.stop();
    await rm(home, { recursive: true, force: true });
  });

  it.each([
    ["full", "exceeded quota: small", "kubectl describe resourcequota small -n full"],
    ["friday", "a webhook refuses", "no pods on a Friday", "grep friday.example.com"],
    ["gone", "a webhook refuses", "failed calling webhook", "grep gone.example.com"],
  ])("a Deployment in the namespace %s", async (namespace, ...words) => {
    const labels = { app: "web" };
    await oracle.admin.of(Deployment).create({
      metadata: { namespace, name: "web" },
      spec: {
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: "web", image: "web:1" }] } },
      },
    });
    const lacks = async (): Promise<readonly string[]> => {
      const flags = ["-n", namespace, "--kubeconfig", oracle.kubeconfig.path];
      const { stdout, stderr, code } = await runCli(["why", "deploy/web", ...flags], home);
      const missing = words.filter((word) => !stdout.includes(word));
      if (code !== 1) missing.push(`code 1, not ${code}`);
      if (stdout.trimEnd().split("\n").length > 10) missing.push("brevity");
      return missing.length === 0 ? [] : [...missing, stdout + stderr];
    };
    await expect.poll(lacks, { interval: 500, timeout: 120_000 }).toEqual([]);
  });
});

async function refuse(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const review = (await json(request)) as { readonly request: { readonly uid: string } };
  const answer = { uid: review.request.uid, allowed: false, status: { message: "no pods on a Friday" } };
  response.setHeader("content-type", "application/json");
  response.end(
    JSON.stringify({ apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", response: answer }),
  );
}
