import type { Client } from "@kedge/client";
import type { DeepReadonly, Draft, Kind, NamespacedMeta } from "@kedge/machinery";
import * as z from "zod";
import { describe, expect, expectTypeOf, it } from "vitest";
import { defineKind, type InputOf, type KindDefinition } from "./index.ts";
import { Widget } from "./testing/widget.ts";

describe("a kind", () => {
  it("is a descriptor for clients", () => {
    expect(Widget).toMatchObject({
      group: "test.kedge.dev",
      version: "v1beta1",
      kind: "Widget",
      plural: "widgets",
      singular: "widget",
      shortNames: ["wd"],
      categories: ["toys"],
      scope: "Namespaced",
      subresources: ["scale", "status"],
    });
  });

  it("has only the subresources that it was given", () => {
    expect(defineKind(minimal()).subresources).toEqual(["status"]);
  });

  it("has typed objects: defaults are there when it is read, and may be left out when it is written", () => {
    expectTypeOf(Widget).toExtend<Kind<Widget, "Namespaced", "scale" | "status">>();
    expectTypeOf<Widget["metadata"]>().toEqualTypeOf<NamespacedMeta>();
    expectTypeOf<Widget["spec"]["replicas"]>().toEqualTypeOf<number>();
    expectTypeOf<Widget["spec"]["mode"]>().toEqualTypeOf<"Fast" | "Careful">();
    expectTypeOf<Widget["spec"]["limits"]["cpu"]>().toEqualTypeOf<string | number>();
    expectTypeOf<InputOf<typeof Widget>["spec"]["replicas"]>().toEqualTypeOf<number | undefined>();
    expectTypeOf<InputOf<typeof Widget>["spec"]["image"]>().toEqualTypeOf<string>();
    expectTypeOf<NonNullable<Widget["spec"]["resources"]>["limits"]>().toEqualTypeOf<
      Record<string, string | number> | undefined
    >();
    type Create = ReturnType<typeof clientOf>["create"];
    expectTypeOf<Parameters<Create>[0]>().toEqualTypeOf<DeepReadonly<Draft<Widget>>>();
  });
});

/** Never called: its type is looked at. */
function clientOf(client: Client) {
  return client.of(Widget);
}

describe("a definition is refused at once", () => {
  it.each<[string, Partial<KindDefinition>, string]>([
    [
      "a column of a field that is not there",
      { printColumns: [{ name: "Phase", type: "string", jsonPath: ".status.fase" }] },
      "printColumns Phase: .status.fase is not the path of a field of this kind; write it like .status.phase",
    ],
    [
      "a path without its dot",
      { printColumns: [{ name: "Phase", type: "string", jsonPath: "status.phase" }] },
      "printColumns Phase: status.phase is not the path of a field of this kind; write it like .status.phase",
    ],
    [
      "a scale that is no number",
      { scale: { specReplicasPath: ".spec.text", statusReplicasPath: ".status.replicas" } },
      "scale.specReplicasPath: .spec.text is of type string, and must be of type integer",
    ],
    [
      "a field that a CRD cannot hold",
      { status: z.object({ when: z.date() }) },
      "status.when: z.date() has no equal in a CRD",
    ],
    [
      "a name that a CRD cannot check",
      { name: z.string().refine((name) => name !== "no") },
      "metadata.name: .refine(), .check() and z.custom() are code, and a CRD cannot hold it; use rule() with CEL",
    ],
  ])("%s", (_what, change, message) => {
    expect(() => defineKind({ ...minimal(), ...change })).toThrow(message);
  });
});

function minimal(): KindDefinition {
  return {
    group: "test.kedge.dev",
    version: "v1",
    kind: "Minimal",
    plural: "minimals",
    scope: "Cluster",
    description: "The least that a kind is.",
    spec: z.object({ text: z.string().optional() }),
    status: z.object({ phase: z.string().optional(), replicas: z.int32().optional() }),
  };
}
