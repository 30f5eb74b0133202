import type { JsonObject } from "../json.ts";
import { deployment, secret } from "./strategic-deployment.ts";
import { meta, metadataSites, type StrategicObject } from "./strategic-object.ts";

const servicePort = (number: string | number): JsonObject => ({
  name: `p${number}`,
  port: number,
  protocol: "TCP",
  targetPort: number,
});

const service: StrategicObject = {
  type: "io.k8s.api.core.v1.Service",
  path: "/api/v1/namespaces/NAMESPACE/services",
  object: {
    metadata: meta("web"),
    spec: {
      clusterIP: "None",
      selector: { app: "web", tier: "front" },
      ports: [80, 443, 53].map(servicePort),
    },
  },
  sites: [
    ...metadataSites,
    {
      is: "list",
      path: "spec/ports",
      mergeKey: "port",
      has: [80, 443, 53],
      lacks: [8080, 9090],
      make: servicePort,
      change: { targetPort: "http" },
    },
    { is: "map", path: "spec/selector", has: ["app", "tier"], lacks: ["x"] },
    {
      is: "fixed",
      path: "spec/",
      patches: [{ sessionAffinity: "None" }, { publishNotReadyAddresses: true }],
    },
  ],
};

const serviceAccount: StrategicObject = {
  type: "io.k8s.api.core.v1.ServiceAccount",
  path: "/api/v1/namespaces/NAMESPACE/serviceaccounts",
  object: { metadata: meta("robot"), secrets: [secret("x"), secret("y")], imagePullSecrets: [secret("x")] },
  sites: [
    ...metadataSites,
    {
      is: "list",
      path: "secrets",
      mergeKey: "name",
      has: ["x", "y"],
      lacks: ["z"],
      make: secret,
      change: {},
    },
    // Its order cannot be set: as there is no merge key, the server panics.
    { is: "fixed", path: "imagePullSecrets", patches: [[], [secret("z"), secret("x")], null] },
    {
      is: "fixed",
      path: "",
      patches: [{ automountServiceAccountToken: true }, { automountServiceAccountToken: null }],
    },
  ],
};

const condition = (type: string | number): JsonObject => ({
  type,
  status: "True",
  lastHeartbeatTime: "2026-01-01T00:00:00Z",
  lastTransitionTime: "2026-01-01T00:00:00Z",
  reason: "x",
  message: "y",
});
const address = (type: string | number): JsonObject => ({ type, address: "192.0.2.7" });

const nodeStatus: StrategicObject = {
  type: "io.k8s.api.core.v1.Node",
  path: "/api/v1/nodes",
  subresource: "status",
  object: {
    metadata: { name: "strategic" },
    status: {
      conditions: [condition("Ready"), condition("DiskPressure")],
      addresses: [address("InternalIP"), address("Hostname")],
      capacity: { cpu: "4", memory: "1Gi" },
    },
  },
  sites: [
    {
      is: "list",
      path: "status/conditions",
      mergeKey: "type",
      has: ["Ready", "DiskPressure"],
      lacks: ["PIDPressure"],
      make: condition,
      change: { status: "False", reason: "z" },
    },
    {
      is: "list",
      path: "status/addresses",
      mergeKey: "type",
      has: ["InternalIP", "Hostname"],
      lacks: ["ExternalIP"],
      make: address,
      change: { address: "192.0.2.8" },
    },
    {
      is: "fixed",
      path: "status/capacity",
      patches: [{ cpu: "8" }, { memory: null }, { "example.com/gpu": "1", $patch: "replace" }],
    },
  ],
};

const webhook = (name: string | number): JsonObject => ({
  name,
  clientConfig: { url: "https://example.com/" },
  rules: [],
  failurePolicy: "Fail",
  matchPolicy: "Equivalent",
  namespaceSelector: {},
  objectSelector: {},
  sideEffects: "None",
  timeoutSeconds: 10,
  admissionReviewVersions: ["v1"],
});

const webhooks: StrategicObject = {
  type: "io.k8s.api.admissionregistration.v1.ValidatingWebhookConfiguration",
  path: "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations",
  object: { metadata: meta("strategic"), webhooks: [webhook("a.example.com"), webhook("b.example.com")] },
  sites: [
    ...metadataSites,
    {
      is: "list",
      path: "webhooks",
      mergeKey: "name",
      has: ["a.example.com", "b.example.com"],
      lacks: ["c.example.com"],
      make: webhook,
      change: { timeoutSeconds: 5, admissionReviewVersions: ["v1", "v1beta1"] },
    },
  ],
};

/** The objects that strategic merge patches are for. */
export const strategicObjects: Readonly<
  Record<"deployment" | "service" | "serviceAccount" | "nodeStatus" | "webhooks", StrategicObject>
> = { deployment, service, serviceAccount, nodeStatus, webhooks };
