import type { ObjectOf } from "@kedge/machinery";
import { conditions, defineKind } from "@kedge/schema";
import * as z from "zod";

/** A page, and servers that show it. */
export const Website = defineKind({
  group: "example.com",
  version: "v1",
  kind: "Website",
  plural: "websites",
  scope: "Namespaced",
  description: "A page, and servers that show it.",
  spec: z.object({
    html: z.string().describe("The page."),
    replicas: z.int32().min(0).max(100).default(1).describe("How many servers show it."),
  }),
  status: z.object({
    ready: z.string().optional().describe("How many servers are ready, of how many: 1/2."),
    conditions: conditions().optional(),
  }),
  printColumns: [{ name: "Ready", type: "string", jsonPath: ".status.ready" }],
});

/** A Website as the server answers it. */
export type Website = ObjectOf<typeof Website>;
