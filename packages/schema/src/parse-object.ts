import * as z from "zod";
import { apiVersionOf, withTypeMeta } from "@kedge/machinery";
import type { DefinedKind, InputOf, KindDefinition } from "./kind-definition.ts";

/** An object with its defaults, and without the fields that the kind does not have: what a server would store. */
export interface ParsedObject<D extends KindDefinition> {
  apiVersion: string;
  kind: string;
  metadata: { name: string; namespace?: string | undefined; labels?: Record<string, string> | undefined };
  spec: z.output<D["spec"]>;
  status?: z.output<D["status"]> | undefined;
}

/**
 * Checks an object and fills in its defaults as an API server does, but for rules in CEL. Throws a `TypeError` with one
 * line for each field that is wrong. For tests and tools: servers check what they store themselves.
 */
export function parseObject<D extends KindDefinition>(kind: DefinedKind<D>, value: unknown): ParsedObject<D>;
export function parseObject(kind: DefinedKind, value: unknown): unknown {
  const { definition } = kind;
  const name = `${kind.kind} of ${apiVersionOf(kind)}`;
  const schema = z.object({
    apiVersion: z.literal(apiVersionOf(kind)),
    kind: z.literal(kind.kind),
    metadata: z.looseObject({
      name: definition.name ?? z.string().min(1),
      namespace: z.string().optional(),
      labels: z.record(z.string(), z.string()).optional(),
    }),
    spec: definition.spec,
    status: definition.status.optional(),
  });
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const lines = result.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`);
  throw new TypeError(`not a ${name}:\n${lines.join("\n")}`);
}

/** A whole object of what a user must write: what the kind says by itself and its defaults are filled in. */
export function withDefaults<D extends KindDefinition>(
  kind: DefinedKind<D>,
  input: InputOf<DefinedKind<D>>,
): ParsedObject<D> {
  return parseObject(kind, withTypeMeta(kind, input));
}
