import { describe, expect, it } from "vitest";
import { AdmissionChain } from "../admission/chain.ts";
import type { AdmissionRequest, Operation } from "../admission/types.ts";
import { configMap, startWrites } from "./testing/start-writes.ts";
import { admissionOf } from "./write-admission.ts";
import type { WriteScope } from "./scope.ts";

type Asked = Pick<AdmissionRequest, "operation" | "name" | "options" | "kind"> & { readonly step: string };

/** What a plug-in is asked of a write. */
async function asked(operation: Operation, more: Partial<WriteScope>, name = "a"): Promise<readonly Asked[]> {
  await using writes = await startWrites();
  const heard: Asked[] = [];
  const hear =
    (step: string) =>
    ({ operation: of, name: called, options, kind }: AdmissionRequest): void =>
      void heard.push({ step, operation: of, name: called, options, kind });
  const operations = ["CREATE", "UPDATE", "DELETE", "CONNECT"] as const;
  const plugin = { name: "Listener", operations, admit: hear("admit"), validate: hear("validate") as never };
  const scope = writes.scope(writes.resource(), more);
  const core = { ...scope.core, admission: new AdmissionChain([plugin]) };
  const admission = admissionOf({ ...scope, core }, operation);
  const object = configMap(name === "" ? { generateName: "a-" } : { name });
  await admission.admit(object, undefined);
  await admission.validate(object, undefined);
  return heard;
}

describe("admission of a write", () => {
  it("is asked before and after validation, with the kind of the resource", async () => {
    const kind = { group: "", version: "v1", kind: "ConfigMap" };
    expect(await asked("CREATE", {})).toMatchObject([
      { step: "admit", operation: "CREATE", kind },
      { step: "validate", operation: "CREATE", kind },
    ]);
  });

  it("is not asked again of the parts of an action that it was asked of", async () => {
    expect(await asked("UPDATE", { isAdmitted: true })).toEqual([]);
  });

  it.each([
    ["a", "", "a", "by the object itself when the path does not name it"],
    ["a", "b", "b", "by the path"],
    ["", "", "", "not at all before a name was generated"],
  ])("object %j at %j is called %j: %s", async (name, path, called) => {
    expect(await asked("CREATE", { name: path }, name)).toMatchObject([{ name: called }, { name: called }]);
  });

  it.each([
    ["CREATE", false, { kind: "CreateOptions", apiVersion: "meta.k8s.io/v1", fieldManager: "me" }],
    ["UPDATE", false, { kind: "UpdateOptions", apiVersion: "meta.k8s.io/v1", fieldManager: "me" }],
    [
      "DELETE",
      true,
      { kind: "DeleteOptions", apiVersion: "meta.k8s.io/v1", fieldManager: "me", dryRun: ["All"] },
    ],
    // What a connection asks for is its object.
    ["CONNECT", false, {}],
  ] as const)("the options of %s, dry run %j", async (operation, dryRun, options) => {
    const [first] = await asked(operation, { dryRun, options: { fieldManager: "me" } });
    expect(first?.options).toEqual(options);
  });
});
