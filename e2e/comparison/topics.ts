import type { AnyTopic } from "./topic.ts";
import { fieldSelectors } from "./topics/field-selectors.ts";
import { jsonPatch } from "./topics/json-patch.ts";
import { labelSelectors } from "./topics/label-selectors.ts";
import { madePatches } from "./topics/made-patches.ts";
import { mergePatch } from "./topics/merge-patch.ts";
import { names } from "./topics/names.ts";
import { serverSideApplyOf } from "./topics/server-side-apply.ts";
import { strategicMerge } from "./topics/strategic-merge.ts";
import { quantities } from "./topics/quantities.ts";

/** All that our code is compared with the real server in. */
export const topics: readonly AnyTopic[] = [
  jsonPatch,
  mergePatch,
  quantities,
  labelSelectors,
  fieldSelectors,
  names,
  strategicMerge,
  madePatches,
  serverSideApplyOf("ConfigMap", 60),
  serverSideApplyOf("Thing", 100),
  serverSideApplyOf("Deployment", 30),
  serverSideApplyOf("Service", 30),
];
