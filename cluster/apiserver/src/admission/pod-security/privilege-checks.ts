import { containersText, hasOwnUsers, isForWindows, namesOf, quoted, settersText, sorted } from "./texts.ts";
import type { Check, CheckedContainer, CheckedPod, CheckPod, Violation } from "./types.ts";

/** Rules about who a container runs as, and what that one may do. */
export const privilegeChecks: readonly Check[] = [
  { id: "privileged", level: "baseline", versions: [[0, privileged]] },
  { id: "capabilities_baseline", level: "baseline", versions: [[0, addedCapabilities]] },
  {
    id: "capabilities_restricted",
    level: "restricted",
    overrides: "capabilities_baseline",
    versions: [
      [22, capabilities],
      [25, unless(isForWindows, capabilities)],
    ],
  },
  {
    id: "allowPrivilegeEscalation",
    level: "restricted",
    versions: [
      [8, privilegeEscalation],
      [25, unless(isForWindows, privilegeEscalation)],
    ],
  },
  {
    id: "procMount",
    level: "baseline",
    versions: [
      [0, procMount],
      [35, unless(hasOwnUsers, procMount)],
    ],
  },
  { id: "procMount_restricted", level: "restricted", overrides: "procMount", versions: [[35, procMount]] },
  {
    id: "runAsNonRoot",
    level: "restricted",
    versions: [
      [0, runAsNonRoot],
      [35, unless(hasOwnUsers, runAsNonRoot)],
    ],
  },
  {
    id: "runAsUser",
    level: "restricted",
    versions: [
      [23, runAsUser],
      [35, unless(hasOwnUsers, runAsUser)],
    ],
  },
];

/** A check that such pods pass. */
export function unless(isExempt: (pod: CheckedPod) => boolean, check: CheckPod): CheckPod {
  return (pod) => (isExempt(pod) ? undefined : check(pod));
}

function privileged(pod: CheckedPod): Violation | undefined {
  const names = namesOf(pod, ({ securityContext }) => securityContext?.privileged === true);
  if (names.length === 0) return undefined;
  return {
    reason: "privileged",
    detail: `${containersText(names)} must not set securityContext.privileged=true`,
  };
}

function privilegeEscalation(pod: CheckedPod): Violation | undefined {
  const names = namesOf(pod, ({ securityContext }) => securityContext?.allowPrivilegeEscalation !== false);
  if (names.length === 0) return undefined;
  return {
    reason: "allowPrivilegeEscalation != false",
    detail: `${containersText(names)} must set securityContext.allowPrivilegeEscalation=false`,
  };
}

/** Those that containers have unless they say otherwise. */
const defaultCapabilities: ReadonlySet<string> = new Set([
  "AUDIT_WRITE",
  "CHOWN",
  "DAC_OVERRIDE",
  "FOWNER",
  "FSETID",
  "KILL",
  "MKNOD",
  "NET_BIND_SERVICE",
  "SETFCAP",
  "SETGID",
  "SETPCAP",
  "SETUID",
  "SYS_CHROOT",
]);

function addedCapabilities(pod: CheckedPod): Violation | undefined {
  const detail = addedText(pod, (name) => defaultCapabilities.has(name));
  return detail === undefined ? undefined : { reason: "non-default capabilities", detail };
}

function capabilities(pod: CheckedPod): Violation | undefined {
  const keeping = namesOf(
    pod,
    ({ securityContext }) => securityContext?.capabilities?.drop?.includes("ALL") !== true,
  );
  const adding = addedText(pod, (name) => name === "NET_BIND_SERVICE");
  const details = [
    ...(keeping.length > 0
      ? [`${containersText(keeping)} must set securityContext.capabilities.drop=["ALL"]`]
      : []),
    ...(adding === undefined ? [] : [adding]),
  ];
  return details.length === 0
    ? undefined
    : { reason: "unrestricted capabilities", detail: details.join("; ") };
}

function addedText(pod: CheckedPod, isAllowed: (name: string) => boolean): string | undefined {
  const addedBy = ({ securityContext }: CheckedContainer): readonly string[] =>
    (securityContext?.capabilities?.add ?? []).filter((name) => !isAllowed(name));
  const names = namesOf(pod, (container) => addedBy(container).length > 0);
  if (names.length === 0) return undefined;
  const added = quoted(sorted(pod.containers.flatMap(addedBy)));
  return `${containersText(names)} must not include ${added} in securityContext.capabilities.add`;
}

function procMountOf({ securityContext }: CheckedContainer): string {
  return securityContext?.procMount ?? "Default";
}

function procMount(pod: CheckedPod): Violation | undefined {
  const names = namesOf(pod, (container) => procMountOf(container) !== "Default");
  if (names.length === 0) return undefined;
  const types = sorted(pod.containers.map(procMountOf).filter((type) => type !== "Default"));
  return {
    reason: "procMount",
    detail: `${containersText(names)} must not set securityContext.procMount to ${quoted(types)}`,
  };
}

function runAsNonRoot(pod: CheckedPod): Violation | undefined {
  const ofPod = pod.spec.securityContext?.runAsNonRoot;
  const setting = namesOf(pod, ({ securityContext }) => securityContext?.runAsNonRoot === false);
  const reason = "runAsNonRoot != true";
  if (ofPod === false || setting.length > 0) {
    const setters = settersText(ofPod === false, setting);
    return { reason, detail: `${setters} must not set securityContext.runAsNonRoot=false` };
  }
  const silent =
    ofPod === true ? [] : namesOf(pod, ({ securityContext }) => securityContext?.runAsNonRoot === undefined);
  if (silent.length === 0) return undefined;
  return { reason, detail: `pod or ${containersText(silent)} must set securityContext.runAsNonRoot=true` };
}

function runAsUser(pod: CheckedPod): Violation | undefined {
  const isPod = pod.spec.securityContext?.runAsUser === 0;
  const names = namesOf(pod, ({ securityContext }) => securityContext?.runAsUser === 0);
  if (!isPod && names.length === 0) return undefined;
  return { reason: "runAsUser=0", detail: `${settersText(isPod, names)} must not set runAsUser=0` };
}
