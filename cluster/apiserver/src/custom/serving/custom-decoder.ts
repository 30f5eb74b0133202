import { fieldErrorText } from "@kedge/machinery";
import type { CompiledSchema } from "@kedge/validation";
import type { ApiObject, CustomDecoder } from "../../registry/types.ts";

/** Decoding by the schema of a version; `stored` is that of the version that is stored. */
export function customDecoder(schema: CompiledSchema, stored: CompiledSchema = schema): CustomDecoder {
  const read = (object: ApiObject): void => {
    stored.prune(object);
    stored.default(object);
    if (schema !== stored) schema.prune(object);
  };
  return {
    prune: (object) => {
      const { dropped, error } = schema.prune(object);
      // The decoder makes a 400 of it.
      if (error !== undefined) throw new TypeError(fieldErrorText(error));
      return dropped;
    },
    default: (object) => {
      schema.default(object);
    },
    read,
    ...(schema !== stored && { settle: read }),
  };
}
