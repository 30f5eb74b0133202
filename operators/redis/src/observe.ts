import { selectorFromLabels, type DeepReadonly, type ObjectKey } from "@kedge/machinery";
import { StatefulSet } from "@kedge/machinery/kinds/apps/v1";
import { ConfigMap, PersistentVolumeClaim, Pod, Secret, Service } from "@kedge/machinery/kinds/core/v1";
import type { ReconcileContext } from "@kedge/runtime";
import type { RedisInstance } from "./kind.ts";
import { labelsOf, namesOf, passwordKey } from "./names.ts";

/** All that a plan is made of. The password itself is not in it. */
export interface Observed {
  readonly instance: DeepReadonly<RedisInstance>;
  readonly configMap: DeepReadonly<ConfigMap> | undefined;
  readonly statefulSet: DeepReadonly<StatefulSet> | undefined;
  readonly service: DeepReadonly<Service> | undefined;
  readonly headlessService: DeepReadonly<Service> | undefined;
  /** `unusable`: a Secret without the key `password`. */
  readonly password: "there" | "missing" | "unusable";
  readonly pods: readonly DeepReadonly<Pod>[];
  readonly claims: readonly DeepReadonly<PersistentVolumeClaim>[];
}

/** Gathers from the caches what there is of an instance. */
export function observe(
  context: Pick<ReconcileContext<RedisInstance>, "read">,
  instance: DeepReadonly<RedisInstance>,
): Observed {
  const { namespace, name } = instance.metadata;
  const names = namesOf(name);
  const at = (child: string): ObjectKey => ({ namespace, name: child });
  const ours = { namespace, selector: selectorFromLabels(labelsOf(name)) };
  return {
    instance,
    configMap: context.read(ConfigMap).get(at(names.configMap)),
    statefulSet: context.read(StatefulSet).get(at(names.statefulSet)),
    service: context.read(Service).get(at(names.service)),
    headlessService: context.read(Service).get(at(names.headlessService)),
    password: passwordState(context.read(Secret).get(at(names.authSecret))),
    pods: context.read(Pod).list(ours),
    claims: context.read(PersistentVolumeClaim).list(ours),
  };
}

/** Whether a Secret has a password, and nothing more. */
export function passwordState(secret: DeepReadonly<Secret> | undefined): Observed["password"] {
  if (secret === undefined) return "missing";
  return (secret.data?.[passwordKey] ?? "") === "" ? "unusable" : "there";
}
