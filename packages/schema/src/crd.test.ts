import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fieldErrorText, fieldPath } from "@kedge/machinery";
import { checkSchema } from "@kedge/validation";
import { parse } from "yaml";
import { describe, expect, it } from "vitest";
import { crdFiles, crdOf, crdYaml, writeCrds } from "./index.ts";
import { Widget } from "./testing/widget.ts";

describe("the CustomResourceDefinition of a kind", () => {
  it("is the golden file", async () => {
    await expect(crdYaml(Widget)).toMatchFileSnapshot("testing/golden/widgets.yaml");
  });

  it("says the same as YAML and as an object", () => {
    expect(parse(crdYaml(Widget))).toEqual(crdOf(Widget));
  });

  it("has a schema that an API server takes, but for rules in CEL, which ours does not know yet", () => {
    const { schema } = crdOf(Widget).spec.versions[0] ?? {};
    const errors = checkSchema(schema?.openAPIV3Schema ?? {}, fieldPath("schema"), {
      statusSubresource: true,
    });
    expect(errors.map((error) => fieldErrorText(error))).toEqual([]);
  });

  it("goes into files that are named after group and plural", async () => {
    const folder = await mkdtemp(join(tmpdir(), "kedge-crds-"));
    try {
      const bases = join(folder, "crd", "bases");
      const paths = await writeCrds(bases, [Widget]);
      expect(paths).toEqual([join(bases, "test.kedge.dev_widgets.yaml")]);
      expect(await readdir(bases)).toEqual(["test.kedge.dev_widgets.yaml"]);
      expect(await readFile(paths[0] ?? "", "utf8")).toBe(
        crdFiles([Widget]).get("test.kedge.dev_widgets.yaml"),
      );
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
