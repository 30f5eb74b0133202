import { ControllerRevision, StatefulSet } from "@kedge/machinery/kinds/apps/v1";
import { ConfigMap, PersistentVolumeClaim, Pod, Secret, Service } from "@kedge/machinery/kinds/core/v1";
import { may, type Right } from "@kedge/runtime";
import { ownedExtras } from "./extras.ts";
import { RedisInstance } from "./kind.ts";

/** What the operator asks of the API server beside what follows from its kinds. `e2e/operators/rights` uses each. */
export const rights: readonly Right[] = [
  // The finalizer, and annotations that are done with.
  may(["get", "patch"], RedisInstance),
  // A template that did not work is undone.
  may(["delete", "get"], StatefulSet),
  may(["get"], ControllerRevision),
  // Copies of configs that no pod uses any more.
  may(["delete"], ConfigMap),
  // That of metrics that are not wanted any more.
  may(["delete"], Service),
  // Roles as labels, rolls one by one, a server that must not come back.
  may(["delete", "get", "patch"], Pod),
  may(["delete", "patch"], PersistentVolumeClaim),
  // Passwords: never listed beyond the watch.
  may(["create", "get", "patch"], Secret),
  ...ownedExtras.map(({ kind }) => may(["delete"], kind)),
];
