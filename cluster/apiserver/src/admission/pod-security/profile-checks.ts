import { goQuote } from "@kedge/machinery";
import type { SELinuxOptions } from "@kedge/machinery/kinds/core/v1";
import type { Decoded } from "../../registry/decoded.ts";
import { unless } from "./privilege-checks.ts";
import { containersText, isForWindows, namesOf, plural, quoted, settersText, sorted } from "./texts.ts";
import type { Check, CheckedContainer, CheckedPod, Violation } from "./types.ts";

/** Rules about what the kernel's security modules hold containers to. */
export const profileChecks: readonly Check[] = [
  { id: "appArmorProfile", level: "baseline", versions: [[0, appArmor]] },
  {
    id: "seLinuxOptions",
    level: "baseline",
    versions: [
      [0, seLinux(["", "container_t", "container_init_t", "container_kvm_t"])],
      [31, seLinux(["", "container_t", "container_init_t", "container_kvm_t", "container_engine_t"])],
    ],
  },
  {
    id: "seccompProfile_baseline",
    level: "baseline",
    versions: [
      [0, seccompAnnotations],
      [19, seccomp(false)],
    ],
  },
  {
    id: "seccompProfile_restricted",
    level: "restricted",
    overrides: "seccompProfile_baseline",
    versions: [
      [19, seccomp(true)],
      [25, unless(isForWindows, seccomp(true))],
    ],
  },
];

const isConfining = (type: string): boolean => type === "RuntimeDefault" || type === "Localhost";

type SecurityContext = CheckedPod["spec"]["securityContext"] | CheckedContainer["securityContext"];

function appArmorType(context: SecurityContext): string {
  return context?.appArmorProfile === undefined ? "RuntimeDefault" : (context.appArmorProfile.type ?? "");
}

function appArmor(pod: CheckedPod): Violation | undefined {
  const ofPod = appArmorType(pod.spec.securityContext);
  const names = namesOf(pod, ({ securityContext }) => !isConfining(appArmorType(securityContext)));
  const types = sorted(
    [ofPod, ...pod.containers.map(({ securityContext }) => appArmorType(securityContext))].filter(
      (type) => !isConfining(type),
    ),
  );
  const annotations = Object.entries(pod.annotations)
    .filter(([key, value = ""]) => key.startsWith(appArmorPrefix) && !isConfiningText(value))
    .map(([key, value = ""]) => `${key}=${goQuote(value)}`);
  const setters = [
    settersText(!isConfining(ofPod), names),
    annotations.length === 0 ? "" : plural("annotation", "annotations", annotations),
  ].filter((text) => text !== "");
  if (setters.length === 0) return undefined;
  const values = [...types, ...sorted(annotations)];
  return {
    reason: plural("forbidden AppArmor profile", "forbidden AppArmor profiles", values),
    detail: `${setters.join(" and ")} must not set AppArmor profile type to ${quoted(values)}`,
  };
}

const appArmorPrefix = "container.apparmor.security.beta.kubernetes.io/";

function isConfiningText(value: string): boolean {
  return value === "" || value === "runtime/default" || value.startsWith("localhost/");
}

function seLinux(allowed: readonly string[]): (pod: CheckedPod) => Violation | undefined {
  const isBad = (options: Decoded<SELinuxOptions> | undefined): boolean =>
    options !== undefined &&
    (!allowed.includes(options.type ?? "") || (options.user ?? "") !== "" || (options.role ?? "") !== "");
  return (pod) => {
    const ofPod = pod.spec.securityContext?.seLinuxOptions;
    const names = namesOf(pod, ({ securityContext }) => isBad(securityContext?.seLinuxOptions));
    if (!isBad(ofPod) && names.length === 0) return undefined;
    const all = [ofPod, ...pod.containers.map(({ securityContext }) => securityContext?.seLinuxOptions)];
    const types = sorted(all.map((options) => options?.type ?? "").filter((type) => !allowed.includes(type)));
    const faults = [
      ...(types.length > 0 ? [`${plural("type", "types", types)} ${quoted(types)}`] : []),
      ...(all.some((options) => (options?.user ?? "") !== "") ? ["user may not be set"] : []),
      ...(all.some((options) => (options?.role ?? "") !== "") ? ["role may not be set"] : []),
    ];
    const setters = settersText(isBad(ofPod), names);
    return {
      reason: "seLinuxOptions",
      detail: `${setters} set forbidden securityContext.seLinuxOptions: ${faults.join("; ")}`,
    };
  };
}

/** Before there was a field for it. */
function seccompAnnotations({ annotations, containers }: CheckedPod): Violation | undefined {
  const keys = [
    "seccomp.security.alpha.kubernetes.io/pod",
    ...containers.map(({ name = "" }) => `container.seccomp.security.alpha.kubernetes.io/${name}`),
  ];
  const forbidden = sorted(
    keys.flatMap((key) => {
      const value = annotations[key];
      const isAllowed =
        value === undefined ||
        value === "runtime/default" ||
        value === "docker/default" ||
        value.startsWith("localhost/");
      return isAllowed ? [] : [`${key}=${goQuote(value)}`];
    }),
  );
  if (forbidden.length === 0) return undefined;
  const what = plural("annotation", "annotations", forbidden);
  return { reason: "seccompProfile", detail: `forbidden ${what} ${forbidden.join(", ")}` };
}

function seccompType({ securityContext }: CheckedContainer | CheckedPod["spec"]): string | undefined {
  const profile = securityContext?.seccompProfile;
  return profile === undefined ? undefined : (profile.type ?? "");
}

function isUnconfined(type: string | undefined): type is string {
  return type !== undefined && !isConfining(type);
}

function seccomp(isRequired: boolean): (pod: CheckedPod) => Violation | undefined {
  return (pod) => {
    const ofPod = seccompType(pod.spec);
    const setting = namesOf(pod, (container) => isUnconfined(seccompType(container)));
    const reason = "seccompProfile";
    if (isUnconfined(ofPod) || setting.length > 0) {
      const types = sorted([ofPod, ...pod.containers.map(seccompType)].filter(isUnconfined));
      const setters = settersText(isUnconfined(ofPod), setting);
      return {
        reason,
        detail: `${setters} must not set securityContext.seccompProfile.type to ${quoted(types)}`,
      };
    }
    if (!isRequired || ofPod !== undefined) return undefined;
    const silent = namesOf(pod, (container) => seccompType(container) === undefined);
    if (silent.length === 0) return undefined;
    return {
      reason,
      detail: `pod or ${containersText(silent)} must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"`,
    };
  };
}
