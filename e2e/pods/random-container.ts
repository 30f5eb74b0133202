import type { Container, EnvVar, SecurityContext } from "@kedge/machinery/kinds/core/v1";
import type { Chooser } from "../fuzz/chooser.ts";
import { behaviour } from "./random-command.ts";
import { lifecycle, probe } from "./random-probe.ts";
import { mount } from "./random-volume.ts";

/** What a container is in its pod. */
export interface ContainerPlace {
  readonly name: string;
  readonly role: "main" | "init" | "sidecar";
  /** The names of the pod's volumes. */
  readonly volumes: readonly string[];
}

/** A container of any sort. */
export function container(choose: Chooser, { name, role, volumes }: ContainerPlace): Container {
  const isInit = role === "init";
  const does = behaviour(choose, { ends: isInit });
  const resources = does.resources ?? (choose.maybe(35) ? someResources(choose) : undefined);
  return {
    name,
    ...does,
    ...(resources !== undefined && { resources }),
    env: [{ name: "WHO", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } }, ...environment(choose)],
    ...(role === "sidecar" && { restartPolicy: "Always" }),
    ...(name === "main-0" && choose.maybe(30) && { ports: [{ name: "web", containerPort: 80 }] }),
    ...(volumes.length > 0 && {
      volumeMounts: volumes
        .filter((_, index) => index === 0 || choose.maybe(70))
        .map((volume, index) => mount(choose, volume, `/v${index}`)),
    }),
    ...(!isInit && choose.maybe(25) && { readinessProbe: probe(choose, { once: false }) }),
    ...(!isInit && choose.maybe(20) && { livenessProbe: probe(choose, { once: true }) }),
    ...(!isInit && choose.maybe(15) && { startupProbe: probe(choose, { once: true }) }),
    ...(!isInit && choose.maybe(25) && { lifecycle: lifecycle(choose) }),
    ...(choose.maybe(30) && { securityContext: securityContext(choose) }),
    ...(choose.maybe(10) && { workingDir: choose.one(["/tmp", "/not/there/yet", "/v0"]) }),
    ...(choose.maybe(10) && { imagePullPolicy: choose.one(["Always", "Never", "IfNotPresent"]) }),
    ...(choose.maybe(15) && { terminationMessagePolicy: "FallbackToLogsOnError" }),
    ...(choose.maybe(5) && { terminationMessagePath: choose.one(["/tmp/last-words", "/v0/last-words"]) }),
  };
}

/** For any process to begin. */
const tooLittle: Container["resources"] = { limits: { memory: "1Ki" } };

function someResources(choose: Chooser): Container["resources"] {
  return choose.one([
    { requests: { cpu: "1m", memory: "1Mi" } },
    { limits: { cpu: "100m", memory: "64Mi" } },
    { limits: { cpu: "1", memory: "128Mi", "ephemeral-storage": "64Mi" } },
    ...(choose.maybe(80) ? [] : [tooLittle]),
  ]);
}

function environment(choose: Chooser): readonly EnvVar[] {
  if (choose.maybe(60)) return [];
  const ref = choose.maybe(80) ? { name: "there", key: "key" } : { name: "missing", key: "key" };
  return [
    choose.one<EnvVar>([
      { name: "A", value: "$(WHO) and $(NOBODY)" },
      { name: "A", valueFrom: { configMapKeyRef: { ...ref, optional: choose.maybe() } } },
      { name: "A", valueFrom: { secretKeyRef: { ...ref, optional: choose.maybe() } } },
      { name: "A", valueFrom: { resourceFieldRef: { resource: "limits.memory", divisor: "1Mi" } } },
    ]),
  ];
}

function securityContext(choose: Chooser): SecurityContext {
  const usual: readonly SecurityContext[] = [
    { runAsUser: 1234, runAsGroup: 99 },
    { readOnlyRootFilesystem: true },
    { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } },
    { capabilities: { add: ["NET_ADMIN", "SYS_ADMIN"] } },
    { privileged: true },
    { seccompProfile: { type: "RuntimeDefault" } },
  ];
  const refused: readonly SecurityContext[] = [
    { runAsNonRoot: true },
    { capabilities: { add: ["NO_SUCH_THING"] } },
    { seccompProfile: { type: "Localhost", localhostProfile: "not/there.json" } },
    { appArmorProfile: { type: "RuntimeDefault" } },
    { procMount: "Unmasked" },
  ];
  return choose.one(choose.maybe(85) ? usual : refused);
}
