import * as z from "zod";
import type { ObjectOf } from "@kedge/machinery";
import {
  conditions,
  coreType,
  defineKind,
  intOrString,
  listMap,
  listSet,
  quantity,
  rule,
  time,
} from "../index.ts";

const part = z.object({
  name: z.string().min(1),
  weight: z.number().gt(0).max(10).multipleOf(0.5).optional(),
  port: intOrString().optional(),
});

/** A kind that uses all that a definition can say. */
export const Widget = defineKind({
  group: "test.kedge.dev",
  version: "v1beta1",
  kind: "Widget",
  plural: "widgets",
  shortNames: ["wd"],
  categories: ["toys"],
  scope: "Namespaced",
  description: "A thing with parts.",
  name: z
    .string()
    .max(30)
    .regex(/^[a-z]+$/u),
  spec: z.object({
    image: z.string().min(1).describe("What it runs."),
    replicas: z.int32().min(0).max(99).default(1).describe("How many."),
    mode: z.enum(["Fast", "Careful"]).default("Careful"),
    size: quantity().default("1Gi"),
    parts: listMap(part, "name").min(1).max(5).optional(),
    tags: listSet(z.string()).optional(),
    config: z.record(z.string(), z.string().max(64)).optional(),
    schedule: z.object({ at: time(), often: z.boolean().default(false) }).optional(),
    limits: z.object({ cpu: quantity().default("100m") }).prefault({}),
    resources: coreType("ResourceRequirements").optional(),
    toleration: coreType("Toleration").optional(),
    extra: z.looseObject({}).optional(),
    anything: z.unknown().optional(),
    nothing: z.string().nullable().optional(),
    fixed: rule(z.string(), { rule: "self == oldSelf", message: "cannot be changed" }).optional(),
  }),
  status: z.object({
    phase: z.string().optional(),
    replicas: z.int32().optional(),
    selector: z.string().optional(),
    conditions: conditions().optional(),
  }),
  printColumns: [
    { name: "Phase", type: "string", jsonPath: ".status.phase", description: "What it does" },
    { name: "Ready", type: "string", jsonPath: '.status.conditions[?(@.type=="Ready")].status', priority: 1 },
  ],
  scale: {
    specReplicasPath: ".spec.replicas",
    statusReplicasPath: ".status.replicas",
    labelSelectorPath: ".status.selector",
  },
});

/** A Widget as the server answers it. */
export type Widget = ObjectOf<typeof Widget>;
