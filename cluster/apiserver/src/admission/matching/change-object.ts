import { deepEqual, internalError, setOwn, type JsonObject } from "@kedge/machinery";
import { decodeParsed } from "../../decode/decode-object.ts";
import { checkValues } from "../../decode/most-values.ts";
import type { BodyReaders } from "../../decode/parse-body.ts";
import { convertObject } from "../../registry/convert-object.ts";
import type { ApiObject } from "../../registry/types.ts";
import type { AdmissionRequest } from "../types.ts";
import type { Asked } from "./rules.ts";

/** What somebody outside of the server made of an object, in the version in which they were shown it. */
export interface Change {
  readonly asked: Asked;
  readonly changed: JsonObject;
  readonly readers: BodyReaders;
}

/**
 * Puts it in the place of the object of a request: without fields that its type does not have, with its defaults. Says
 * whether it is another one now. Rejects with a `StatusError`: of what does not fit the type, a 500.
 */
export async function changeObject(
  request: AdmissionRequest,
  object: ApiObject,
  { asked, changed, readers }: Change,
): Promise<boolean> {
  checkValues(changed);
  const { resource, kind } = asked;
  const isOwn = kind.kind === resource.kind;
  const decoded = decodeParsed(
    { value: changed, text: { json: undefined, hasDuplicates: false, hasWritten: false } },
    {
      ...readers,
      expected: kind,
      custom: isOwn ? resource.custom : undefined,
      fieldValidation: "Ignore",
      warn: () => undefined,
      failure: (why) => internalError(new Error(why)),
    },
    "text",
  );
  if (isOwn) {
    resource.custom?.default(decoded);
    resource.strategy.default?.(decoded);
  }
  const isOther = isOwn && resource !== request.resource;
  const made = isOther ? await convertObject(decoded, resource, request.resource) : decoded;
  if (deepEqual(made, object)) return false;
  for (const field of Object.keys(object)) delete object[field];
  for (const [field, value] of Object.entries(made)) setOwn(object, field, value);
  return true;
}
