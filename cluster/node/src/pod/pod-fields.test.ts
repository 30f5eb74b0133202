import { isJsonObject } from "@kedge/machinery";
import { builtinTable, type TableShape } from "@kedge/machinery/schema-table";
import { expect, it } from "vitest";
import { appArmorRefusal } from "../containers/app-armor.ts";
import { podOf } from "../testing/pods.ts";
import { unsupportedIn } from "../model/unsupported.ts";

type Verdict = string | { readonly refused: unknown };

/**
 * Every field of a pod's spec that Kubernetes knows, and what becomes of it: "done" by the node, somebody else's
 * business ("scheduler", "server"), or refused. What is refused is shown with a value that is: the test sets it. Only what
 * is not the node's to do stands for all that is below it. A field that a new version of the API brings is in no list,
 * and fails.
 */
const items = "items[].key items[].mode items[].path";
const selfReference = done(
  "fieldRef.apiVersion fieldRef.fieldPath resourceFieldRef.containerName resourceFieldRef.divisor resourceFieldRef.resource",
);
const downward = { ...done("mode path"), ...selfReference };
const httpGet =
  "httpGet.host httpGet.httpHeaders[].name httpGet.httpHeaders[].value httpGet.path httpGet.port httpGet.scheme";
const hook = done(`exec.command[] ${httpGet} sleep.seconds`);
const probe =
  done(`exec.command[] ${httpGet} tcpSocket.host tcpSocket.port grpc.port grpc.service failureThreshold initialDelaySeconds
  periodSeconds successThreshold terminationGracePeriodSeconds timeoutSeconds`);

const container: Readonly<Record<string, Verdict>> = {
  ...done("args[] command[] image imagePullPolicy name restartPolicy stdin stdinOnce tty workingDir"),
  ...done("terminationMessagePath terminationMessagePolicy"),
  ...done("env[].name env[].value"),
  ...below("env[].valueFrom.", done("configMapKeyRef.key configMapKeyRef.name configMapKeyRef.optional")),
  ...below("env[].valueFrom.", done("secretKeyRef.key secretKeyRef.name secretKeyRef.optional")),
  ...below("env[].valueFrom.", selfReference),
  "env[].valueFrom.fileKeyRef": { refused: { key: "k", path: "p", volumeName: "v" } },
  ...below(
    "envFrom[].",
    done("prefix configMapRef.name configMapRef.optional secretRef.name secretRef.optional"),
  ),
  ...below("lifecycle.postStart.", hook),
  ...below("lifecycle.preStop.", hook),
  ...done("lifecycle.stopSignal"),
  "lifecycle.postStart.tcpSocket": { refused: { port: 1 } },
  "lifecycle.preStop.tcpSocket": { refused: { port: 1 } },
  ...below("livenessProbe.", probe),
  // All ports are open; a name or a number is for others to read.
  ...done("ports[].containerPort ports[].name ports[].protocol"),
  ...done("ports[].hostPort"),
  // Nodes have IPv4 addresses.
  "ports[].hostIP": { refused: "::1" },
  ...below("readinessProbe.", probe),
  ...done("resizePolicy[].resourceName resizePolicy[].restartPolicy"),
  "resources.claims": { refused: [{ name: "gpu" }] },
  ...done("resources.limits{}"),
  "resources.requests": "scheduler",
  ...below("restartPolicyRules[].", done("action exitCodes.operator exitCodes.values[]")),
  ...below(
    "securityContext.",
    done(`allowPrivilegeEscalation capabilities.add[] capabilities.drop[] privileged readOnlyRootFilesystem runAsGroup
      runAsNonRoot runAsUser seccompProfile.localhostProfile seccompProfile.type`),
  ),
  "securityContext.appArmorProfile": { refused: { type: "RuntimeDefault" } },
  "securityContext.procMount": { refused: "Unmasked" },
  "securityContext.seLinuxOptions": { refused: { level: "s0" } },
  "securityContext.windowsOptions": { refused: { hostProcess: false } },
  ...below("startupProbe.", probe),
  volumeDevices: { refused: [{ name: "v", devicePath: "/dev/x" }] },
  ...below("volumeMounts[].", done("mountPath name readOnly subPath subPathExpr")),
  "volumeMounts[].mountPropagation": { refused: "Bidirectional" },
  "volumeMounts[].recursiveReadOnly": { refused: "Enabled" },
};

const fields: Readonly<Record<string, Verdict>> = {
  ...done(
    "activeDeadlineSeconds dnsPolicy enableServiceLinks hostNetwork hostPID hostname hostnameOverride restartPolicy",
  ),
  ...done("serviceAccountName setHostnameAsFQDN subdomain terminationGracePeriodSeconds"),
  ...done("dnsConfig.nameservers[] dnsConfig.options[].name dnsConfig.options[].value dnsConfig.searches[]"),
  ...done("hostAliases[].hostnames[] hostAliases[].ip readinessGates[].conditionType"),
  affinity: "scheduler",
  automountServiceAccountToken: "server",
  ...below("containers[].", container),
  // Done as the others, one by one: see refusals.test.ts for what they cannot have.
  ephemeralContainers: "in their status",
  hostIPC: { refused: true },
  hostUsers: { refused: false },
  // Nothing is pulled from a registry.
  imagePullSecrets: "nothing to do",
  ...below("initContainers[].", container),
  nodeName: "scheduler",
  nodeSelector: "scheduler",
  "os.name": { refused: "windows" },
  // Set by admission for a runtime class, of which there is none.
  overhead: "with runtimeClassName",
  preemptionPolicy: "scheduler",
  priority: "scheduler",
  priorityClassName: "server",
  resourceClaims: { refused: [{ name: "gpu" }] },
  "resources.claims": { refused: [{ name: "gpu" }] },
  "resources.limits": { refused: { cpu: "1" } },
  "resources.requests": { refused: { cpu: "1" } },
  runtimeClassName: { refused: "gvisor" },
  schedulerName: "scheduler",
  schedulingGates: "scheduler",
  schedulingGroup: "scheduler",
  ...below(
    "securityContext.",
    done(`fsGroup fsGroupChangePolicy runAsGroup runAsNonRoot runAsUser seccompProfile.localhostProfile
      seccompProfile.type supplementalGroups[] supplementalGroupsPolicy`),
  ),
  "securityContext.appArmorProfile": { refused: { type: "Localhost", localhostProfile: "x" } },
  // How labels are set, which is refused itself.
  "securityContext.seLinuxChangePolicy": "with seLinuxOptions",
  "securityContext.seLinuxOptions": { refused: { type: "spc_t" } },
  "securityContext.sysctls": { refused: [{ name: "kernel.shm_rmid_forced", value: "1" }] },
  "securityContext.windowsOptions": { refused: { hostProcess: false } },
  serviceAccount: "server",
  shareProcessNamespace: { refused: true },
  // Taints with NoExecute: the taint-eviction controller.
  tolerations: "scheduler",
  topologySpreadConstraints: "scheduler",
  ...below("volumes[].configMap.", done(`defaultMode name ${items} optional`)),
  ...below("volumes[].downwardAPI.", { ...done("defaultMode"), ...below("items[].", downward) }),
  ...done("volumes[].emptyDir.sizeLimit"),
  "volumes[].emptyDir.medium": { refused: "HugePages" },
  ...done("volumes[].hostPath.path volumes[].hostPath.type volumes[].name"),
  ...below("volumes[].persistentVolumeClaim.", done("claimName readOnly")),
  ...done("volumes[].projected.defaultMode"),
  ...below("volumes[].projected.sources[].", {
    ...below("configMap.", done(`name ${items} optional`)),
    ...below("downwardAPI.items[].", downward),
    ...below("secret.", done(`name ${items} optional`)),
    ...below("serviceAccountToken.", done("audience expirationSeconds path")),
  }),
  "volumes[].projected.sources[].clusterTrustBundle": { refused: { path: "x" } },
  "volumes[].projected.sources[].podCertificate": { refused: { keyType: "ED25519", signerName: "x/y" } },
  ...below("volumes[].secret.", done(`defaultMode secretName ${items} optional`)),
  ...Object.fromEntries(
    `awsElasticBlockStore azureDisk azureFile cephfs cinder csi ephemeral fc flexVolume flocker gcePersistentDisk
      gitRepo glusterfs image iscsi nfs photonPersistentDisk portworxVolume quobyte rbd scaleIO storageos vsphereVolume`
      .split(/\s+/u)
      .map((type) => [`volumes[].${type}`, { refused: {} }]),
  ),
};

it("each field that Kubernetes knows is done or refused", () => {
  const unknown = [...leaves({ is: "reference", to: "io.k8s.api.core.v1.PodSpec" }, "")].filter(
    (leaf) => !Object.entries(fields).some(([path, verdict]) => covers(path, verdict, leaf)),
  );
  expect(unknown).toEqual([]);
});

it("each that is listed is a field that Kubernetes knows", () => {
  const known = [...leaves({ is: "reference", to: "io.k8s.api.core.v1.PodSpec" }, "")];
  expect(Object.keys(fields).filter((path) => !known.some((leaf) => isBelow(leaf, path)))).toEqual([]);
});

const refused = Object.entries(fields).flatMap(([path, verdict]) =>
  typeof verdict === "string" ? [] : [[path, verdict.refused] as const],
);

it.each(refused)("refuses %s: %j", (path, value) => {
  const pod = podOf({ spec: { containers: [{ name: "app", image: "app:1" }], ...specWith(path, value) } });
  const refusal = unsupportedIn(pod) ?? appArmorRefusal(pod, false);
  expect(refusal?.toLowerCase()).toContain(wordFor(path).toLowerCase());
});

it("refuses nothing of a pod that asks for nothing", () => {
  expect(unsupportedIn(podOf())).toBeUndefined();
  expect(appArmorRefusal(podOf(), false)).toBeUndefined();
});

/** How a refusal calls it, where that is not by the field's own name. */
function wordFor(path: string): string {
  const [last = ""] = path.split(".").slice(-1);
  if (last === "appArmorProfile") return "AppArmor is not enabled";
  if (path.startsWith("resources.")) return "spec.resources";
  return last === "name" ? "spec.os.name" : last;
}

/** A spec with one field set, however deep. */
function specWith(path: string, value: unknown): Record<string, unknown> {
  const [first = "", ...rest] = path.split(".");
  const inner = rest.length === 0 ? value : specWith(rest.join("."), value);
  const named =
    isJsonObject(inner) && rest.length > 0 && first.endsWith("[]") ? { name: "it", ...inner } : inner;
  return first.endsWith("[]") ? { [first.slice(0, -2)]: [named] } : { [first]: inner };
}

function below(prefix: string, list: Readonly<Record<string, Verdict>>): Record<string, Verdict> {
  return Object.fromEntries(Object.entries(list).map(([path, verdict]) => [`${prefix}${path}`, verdict]));
}

function done(words: string): Record<string, Verdict> {
  return Object.fromEntries(words.split(/\s+/u).map((path) => [path, "done"]));
}

function covers(path: string, verdict: Verdict, leaf: string): boolean {
  return verdict === "done" ? leaf === path : isBelow(leaf, path);
}

function isBelow(leaf: string, path: string): boolean {
  return leaf === path || [".", "[", "{"].some((next) => leaf.startsWith(`${path}${next}`));
}

const table = builtinTable();

function* leaves(shape: TableShape, path: string): Generator<string, void, undefined> {
  if (shape.is === "list" || shape.is === "map") {
    yield* leaves(shape.of, `${path}${shape.is === "list" ? "[]" : "{}"}`);
    return;
  }
  const type = shape.is === "reference" ? table.type(shape.to) : undefined;
  if (type === undefined || type.fields.size === 0) {
    yield path;
    return;
  }
  for (const field of type.fields.values()) {
    yield* leaves(field.shape, path === "" ? field.name : `${path}.${field.name}`);
  }
}
