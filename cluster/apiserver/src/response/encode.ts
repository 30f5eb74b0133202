import type { ApiResponse } from "@kedge/machinery";
import { encodeProtobuf } from "../protobuf/index.ts";
import { mediaTypes, type Form } from "../request/negotiate.ts";
import { bytesResponse } from "./responses.ts";
import { yamlText } from "./yaml-in-steps.ts";

/** Answers with a value in the form that the client accepts. */
export function encodedResponse(
  status: number,
  { value }: { readonly value: unknown },
  form: Pick<Form, "encoding" | "pretty">,
  headers: ApiResponse["headers"] = {},
): ApiResponse {
  const message = form.encoding === "protobuf" ? encodeProtobuf(value) : undefined;
  if (message !== undefined)
    return bytesResponse(status, message, { "content-type": mediaTypes.protobuf, ...headers });
  if (form.encoding === "yaml")
    return bytesResponse(status, yamlText(value), { "content-type": "application/yaml", ...headers });
  const text = form.pretty ? JSON.stringify(value, null, 2) : `${JSON.stringify(value)}\n`;
  return bytesResponse(status, text, { "content-type": "application/json", ...headers });
}
