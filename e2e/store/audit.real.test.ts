import { readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createApiServer, parseAuditPolicy } from "@kedge/apiserver";
import { Client, connect, inProcessTransport } from "@kedge/client";
import { realClock, realRandom } from "@kedge/machinery";
import { ConfigMap, Namespace, Pod, Secret, ServiceAccount } from "@kedge/machinery/kinds/core/v1";
import { Deployment } from "@kedge/machinery/kinds/apps/v1";
import { createMemoryStore } from "@kedge/store";
import { expect, it } from "vitest";
import { startOracle } from "../real/oracle.ts";
import { until } from "../real/wait.ts";

const policy = `
apiVersion: audit.k8s.io/v1
kind: Policy
omitManagedFields: true
rules:
- {level: None, nonResourceURLs: ["/healthz*", "/readyz*", "/livez*"]}
- {level: None, resources: [{group: coordination.k8s.io}]}
- {level: Metadata, resources: [{group: "", resources: [secrets]}], omitStages: [RequestReceived]}
- {level: Request, resources: [{group: apps, resources: [deployments, deployments/scale]}]}
- {level: RequestResponse, namespaces: [audited], verbs: [create, delete, patch], resources: [{group: "", resources: [serviceaccounts, pods]}]}
- {level: Metadata, namespaces: [audited]}
`;
const userAgent = "audit-test/1";
const namespace = "audited";

/** Requests whose events both servers must tell alike. */
async function script(client: Client): Promise<void> {
  await client.of(Namespace).create({ metadata: { name: namespace } });
  await client.of(ServiceAccount).create({ metadata: { namespace, name: "default" } });
  await client.of(Secret).create({ metadata: { namespace, name: "a" }, stringData: { a: "hidden value" } });
  await client.of(Secret).get({ namespace, name: "a" });
  await client.of(ConfigMap).create({ metadata: { namespace, generateName: "g-" } });
  await client
    .of(ConfigMap)
    .get({ namespace, name: "none" })
    .catch(() => undefined);
  await client.of(ConfigMap).list({ namespace }).all();
  const labels = { app: "a" };
  const template = { metadata: { labels }, spec: { containers: [{ name: "a", image: "a" }] } };
  const spec = { replicas: 0, selector: { matchLabels: labels }, template };
  await client.of(Deployment).create({ metadata: { namespace, name: "a" }, spec });
  await client
    .of(Deployment)
    .create({ metadata: { namespace, name: "a" }, spec })
    .catch(() => undefined);
  await client.of(Pod).create({ metadata: { namespace, name: "a" }, spec: template.spec });
  await client
    .of(Pod)
    .create({ metadata: { namespace, name: "B_" }, spec: template.spec })
    .catch(() => undefined);
  await client.of(ServiceAccount).delete({ namespace, name: "default" });
}

it("our server tells of the same requests what the real one tells, by the same policy", async () => {
  const folder = await mkdtemp(join(tmpdir(), "kedge-audit-"));
  const [policyFile, log] = [join(folder, "policy.yaml"), join(folder, "audit.log")];
  writeFileSync(policyFile, policy);
  const flags = { "audit-policy-file": policyFile, "audit-log-path": log };
  await using oracle = await startOracle({ flags: { "kube-apiserver": flags } });
  const real = connect(oracle.adminConfig, { clock: realClock, userAgent });
  await script(real);
  await real.close();
  const isLast = (line: string): boolean =>
    line.includes('"verb":"delete"') && line.includes("ResponseComplete");
  await until("the real server has written its last event", async () =>
    told(readFileSync(log, "utf8")).some(isLast),
  );

  const lines: string[] = [];
  const store = createMemoryStore({ clock: realClock });
  const audit = {
    policy: parseAuditPolicy(policy),
    sink: { write: (line: string) => void lines.push(line) },
  };
  const server = createApiServer({ store, clock: realClock, random: realRandom, audit });
  await server.start();
  const { handle, upgrade } = server.doorFor({ name: "admin", groups: ["system:masters"] });
  await script(new Client(inProcessTransport(handle, upgrade), { clock: realClock, userAgent }));
  await server.close();
  const realText = readFileSync(log, "utf8");
  await rm(folder, { recursive: true });

  const [ours, theirs] = [lines.join(""), realText].map((text) =>
    told(text).map((line) => masked(JSON.parse(line) as Record<string, unknown>)),
  );
  // The real server tells of an object with its defaults, ours as it was sent.
  const sent = (ours ?? []).map(({ requestObject }) => ({ requestObject }));
  expect(theirs?.map(({ requestObject }) => ({ requestObject }))).toMatchObject(sent);
  expect(ours?.map(withoutRequest)).toEqual(theirs?.map(withoutRequest));
});

function withoutRequest({ requestObject, ...rest }: Masked): object {
  return { ...rest, hasRequest: requestObject !== undefined };
}

function told(text: string): readonly string[] {
  return text.split("\n").filter((line) => line.includes(`"userAgent":"${userAgent}"`));
}

/**
 * Without what differs from run to run, who the user is, and what only kube-apiserver knows of its reasons. It also writes
 * the empty status of objects that were sent without one.
 */
function masked(event: Record<string, unknown>): Masked {
  const { auditID, user, requestReceivedTimestamp, stageTimestamp, ...rest } = event;
  const stays = [auditID, user, requestReceivedTimestamp, stageTimestamp].every(
    (value) => value !== undefined,
  );
  const text = JSON.stringify({ ...rest, stays, sourceIPs: undefined, annotations: undefined });
  return JSON.parse(
    text
      .replaceAll(/"(?:uid|resourceVersion|creationTimestamp|deletionTimestamp)":"[^"]*"/gu, '"masked":""')
      .replaceAll(/g-[a-z0-9]{5}/gu, "g-x")
      .replaceAll(/kube-api-access-[a-z0-9]{5}/gu, "kube-api-access-x")
      .replaceAll(',"status":{}', ""),
  ) as Masked;
}

interface Masked {
  readonly [field: string]: unknown;
  readonly requestObject?: unknown;
}
