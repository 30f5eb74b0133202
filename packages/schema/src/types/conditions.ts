import * as z from "zod";
import { listMap } from "./lists.ts";
import { time } from "./time.ts";

/** `status.conditions` in the form that all newer kinds share. */
export function conditions(): z.ZodArray<typeof condition> {
  return listMap(condition, "type").describe("What is known of the object, one statement each.");
}

const condition = z.object({
  type: z
    .string()
    .max(316)
    .regex(
      /^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\/)?([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/u,
    )
    .describe("What the statement is about, in CamelCase."),
  status: z.enum(["True", "False", "Unknown"]).describe("Whether it holds."),
  observedGeneration: z
    .int()
    .min(0)
    .optional()
    .describe("The generation of the object that this was found out of."),
  lastTransitionTime: time().describe("When status last changed."),
  reason: z
    .string()
    .min(1)
    .max(1024)
    .regex(/^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$/u)
    .describe("Why, as one CamelCase word for programs."),
  message: z.string().max(32_768).describe("Why, for people; may be empty."),
});
