import type { ApiResponse } from "@kedge/machinery";
import { stringify } from "yaml";
import type { Form } from "../request/negotiate.ts";
import { bytesResponse } from "./responses.ts";

/** JSON that is ready, or a value that is still to be encoded. */
export type Content = { readonly json: string } | { readonly value: unknown };

/** Answers with content in the form that the client accepts. */
export function encodedResponse(
  status: number,
  content: Content,
  form: Pick<Form, "encoding" | "pretty">,
  headers: ApiResponse["headers"] = {},
): ApiResponse {
  if (form.encoding === "yaml") {
    const value: unknown = "json" in content ? JSON.parse(content.json) : content.value;
    const text = stringify(value, { aliasDuplicateObjects: false, lineWidth: 0, version: "1.1" });
    return bytesResponse(status, text, { "content-type": "application/yaml", ...headers });
  }
  return bytesResponse(status, jsonText(content, form.pretty), {
    "content-type": "application/json",
    ...headers,
  });
}

function jsonText(content: Content, pretty: boolean): string {
  if (!pretty) return `${"json" in content ? content.json : JSON.stringify(content.value)}\n`;
  const value: unknown = "json" in content ? JSON.parse(content.json) : content.value;
  return JSON.stringify(value, null, 2);
}
