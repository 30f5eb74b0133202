import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fieldErrorBody } from "@kedge/machinery";
import { expect, test } from "vitest";
import type { ApiObject } from "../../registry/types.ts";
import { testContext } from "../../kinds/testing/write-context.ts";
import { definitionResource } from "./definition-resource.ts";
import { allErrors } from "../../write/errors-of.ts";

/**
 * What a real kube-apiserver 1.36 answered to such a definition: field, reason and message of each cause. Fields that
 * are not named here belong to its only version.
 */
interface Recorded {
  readonly schema?: unknown;
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly causes: readonly (readonly [string, string, string])[];
}

const recorded = JSON.parse(
  readFileSync(join(import.meta.dirname, "../testing/recorded-definitions.json"), "utf8"),
) as Recorded[];
const resource = definitionResource();

test.each(recorded.map(({ causes, ...sent }) => [JSON.stringify(sent), sent, causes] as const))(
  "a real server says the same of %s",
  (_, sent, causes) => {
    const object = definition(sent);
    resource.strategy.default?.(object);
    resource.strategy.prepareForCreate?.(object, testContext());
    resource.strategy.default?.(object);
    const errors = allErrors(resource.strategy.validate?.(object));
    const ours = errors.map((error) => [error.field, error.type, fieldErrorBody(error)]);
    expect(ours).toEqual(causes);
  },
);

function definition({
  schema = { type: "object" },
  spec = {},
  annotations,
  ...version
}: Omit<Recorded, "causes">): ApiObject {
  const full: Record<string, unknown> = {
    group: "example.com",
    scope: "Namespaced",
    names: { plural: "things", kind: "Thing" },
    versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema }, ...version }],
    ...spec,
  };
  return structuredClone({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `things.${String(full["group"])}`, ...(annotations !== undefined && { annotations }) },
    spec: full,
  });
}
