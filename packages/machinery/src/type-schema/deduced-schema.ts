import type { MapSchema, TypeSchema } from "./type-schema.ts";

const noFields = { fieldNames: [], field: () => undefined } as const;

/** Content of unknown shape that is owned as a whole. */
export const untypedSchema: TypeSchema = {
  name: "__untyped_atomic_",
  goKind: "interface",
  scalar: "untyped",
  get list() {
    return { type: "atomic", keys: [], item: untypedSchema } as const;
  },
  get map(): MapSchema {
    return { ...noFields, atomic: true, values: untypedSchema };
  },
};

/** Content of unknown shape of which objects are owned field by field, and lists as a whole. */
export const deducedSchema: TypeSchema = {
  name: "__untyped_deduced_",
  goKind: "interface",
  scalar: "untyped",
  list: { type: "atomic", keys: [], item: untypedSchema },
  get map(): MapSchema {
    return { ...noFields, atomic: false, values: deducedSchema };
  },
};
