import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startOracle, type Oracle } from "../real/oracle.ts";
import { programPath } from "../real/programs.ts";
import { startOurServer } from "../real/testing/our-server.ts";
import { kubectlFor, type Kubectl } from "./testing/kubectl.ts";

/** What kubectl asks the API server alone: no node is needed for it. */
let oracle: Oracle;
let kubectl: Kubectl;
beforeAll(async () => {
  oracle = await startOracle({ server: startOurServer });
  kubectl = kubectlFor({
    program: programPath("kubectl"),
    kubeconfig: oracle.kubeconfig.path,
    home: oracle.folder,
  });
});
afterAll(async () => {
  await oracle?.stop();
});

it("applies a List, and says what is unchanged", async () => {
  const list = (text: string): string => `
apiVersion: v1
kind: List
items:
  - { apiVersion: v1, kind: ConfigMap, metadata: { name: one }, data: { text: ${text} } }
  - { apiVersion: v1, kind: Service, metadata: { name: two }, spec: { ports: [{ port: 80 }] } }
`;
  expect(await kubectl.ok("apply -f -", list("hello"))).toBe("configmap/one created\nservice/two created\n");
  expect(await kubectl.ok("apply -f -", list("bye"))).toBe(
    "configmap/one configured\nservice/two unchanged\n",
  );
  // Of Lists it asks OpenAPI v2.
  const wrong = list("bye").replace("ports:", "prots:");
  expect(await kubectl.refused("apply -f -", wrong)).toContain(
    'ValidationError(Service.spec): unknown field "prots" in io.k8s.api.core.v1.ServiceSpec',
  );
});

it("applies our own config, which kustomize builds", async () => {
  const config = join(import.meta.dirname, "../../config");
  expect(await kubectl.ok(`apply -k ${config}`)).toContain("namespace/operator-system created\n");
  const again = (await kubectl.ok(`apply -k ${config}`)).trim().split("\n");
  expect(again).toHaveLength(8);
  for (const line of again) expect(line).toMatch(/ unchanged$/u);
});

it("applies what kustomize builds", async () => {
  const folder = join(oracle.folder, "kustomized");
  await mkdir(folder);
  await writeFile(
    join(folder, "kustomization.yaml"),
    "namePrefix: k-\nlabels: [{ pairs: { part: kustomized }, includeSelectors: true }]\nresources: [web.yaml]\nreplicas: [{ name: web, count: 3 }]\nimages: [{ name: web, newTag: '2' }]\nconfigMapGenerator: [{ name: made, literals: [a=1] }]\n",
  );
  await writeFile(
    join(folder, "web.yaml"),
    `apiVersion: apps/v1
kind: Deployment
metadata: { name: web }
spec:
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec:
      containers: [{ name: web, image: web:1, envFrom: [{ configMapRef: { name: made } }] }]
`,
  );
  const said = await kubectl.ok(["apply", "-k", folder]);
  expect(said).toMatch(/^configmap\/k-made-\w+ created\ndeployment.apps\/k-web created\n$/u);
  expect(await kubectl.ok(["apply", "-k", folder])).toMatch(/unchanged\n.*unchanged\n$/u);
  const shown = "jsonpath={.spec.replicas} {.spec.template.spec.containers[0].image} {.metadata.labels.part}";
  expect(await kubectl.ok(["get", "deployment", "k-web", "-o", shown])).toBe("3 web:2 kustomized");
});

it("explains fields by OpenAPI v2, in the protobuf that it asks for", async () => {
  const said = await kubectl.ok(
    "explain deployment.spec.template.spec.containers.ports --output=plaintext-openapiv2",
  );
  expect(said).toContain("RESOURCE: ports <[]Object>");
  expect(said).toContain("containerPort\t<integer> -required-");
  const document = JSON.parse(await kubectl.ok("get --raw /openapi/v2")) as { swagger: string };
  expect(document.swagger).toBe("2.0");
});

it("reads metrics of the server under Kubernetes' names", async () => {
  expect(await kubectl.ok("get --raw /metrics")).toMatch(
    /^apiserver_request_total\{code="201",.*resource="configmaps".*verb="POST".*\} \d+$/mu,
  );
});
