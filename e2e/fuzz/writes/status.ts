import type { Write, WriteMaterial } from "./write.ts";

/** A write to the status, in one of the ways that controllers use. */
export function writeStatus({ choose, kind, name }: WriteMaterial): Write {
  const status = kind.status?.(choose) ?? {};
  const { apiVersion, kind: kindName } = kind;
  const common = { subresource: "status", said: status } as const;
  const applied = { apiVersion, kind: kindName, metadata: { name }, status };
  return choose.one<Write>([
    { ...common, method: "PUT", type: "application/json", body: ({ latest }) => ({ ...latest, status }) },
    {
      ...common,
      method: "PATCH",
      type: "application/merge-patch+json",
      body: () => ({ status, spec: { ignored: 1 } }),
      query: { fieldValidation: "Ignore" },
    },
    {
      ...common,
      method: "PATCH",
      type: `application/${kind.strategic ? "strategic-" : ""}merge-patch+json`,
      body: () => ({ status }),
    },
    {
      ...common,
      method: "PATCH",
      type: "application/apply-patch+yaml",
      query: { fieldManager: "one", force: "true" },
      body: () => applied,
    },
  ]);
}
