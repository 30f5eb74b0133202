import type { ApiRequest, ApiResponse } from "@kedge/machinery";
import { etagResponse } from "../../discovery/etag-response.ts";
import { parseAccept } from "../../request/accept.ts";
import { headerOf } from "../../request/header.ts";
import { bytesResponse } from "../../response/responses.ts";
import type { SwaggerDocuments } from "./swagger-documents.ts";

/** Answers `/openapi/v2`, in JSON or in gnostic's protobuf. */
export async function serveSwagger(documents: SwaggerDocuments, request: ApiRequest): Promise<ApiResponse> {
  const form = formOf(headerOf(request.headers, "accept"));
  if (form === undefined) return bytesResponse(406, "", { vary: "Accept" });
  const document = await documents.document();
  return etagResponse(request, document[form], {
    "content-type": types[form],
    "last-modified": new Date(document.made).toUTCString(),
    vary: "Accept",
  });
}

const types = {
  json: "application/json",
  protobuf: "application/com.github.proto-openapi.spec.v2.v1.0+protobuf",
} as const;

const accepted: ReadonlyMap<string, keyof typeof types> = new Map([
  ["*/*", "json"],
  ["application/*", "json"],
  ["application/json", "json"],
  ["application/com.github.proto-openapi.spec.v2@v1.0+protobuf", "protobuf"],
  ["application/com.github.proto-openapi.spec.v2.v1.0+protobuf", "protobuf"],
]);

function formOf(accept: string): keyof typeof types | undefined {
  if (accept.trim() === "") return "json";
  for (const { type } of parseAccept(accept)) {
    const form = accepted.get(type);
    if (form !== undefined) return form;
  }
  return undefined;
}
