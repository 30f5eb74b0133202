import { notFound, tooManyRequests } from "@kedge/machinery";
import { expect, it } from "vitest";
import { errorResponse } from "./status-response.ts";

const plain = { encoding: "json", pretty: false } as const;

async function read(error: unknown): Promise<{ status: number; headers: object; body: unknown }> {
  const { status, headers, body } = errorResponse(error, plain);
  const text = Buffer.concat(await Array.fromAsync(body)).toString();
  return { status, headers, body: JSON.parse(text) };
}

it("answers with the code and the Status of an error", async () => {
  const error = notFound({ group: "", plural: "pods" }, "a");
  expect(await read(error)).toMatchObject({ status: 404, body: error.status });
});

it("says when to come again", async () => {
  const { headers } = await read(tooManyRequests("busy", 3));
  expect(headers).toMatchObject({ "retry-after": "3" });
});

it("answers what is no Status with a 500, and tells what it says", async () => {
  expect(await read(new Error("broken"))).toMatchObject({
    status: 500,
    body: {
      kind: "Status",
      status: "Failure",
      code: 500,
      message: expect.stringContaining("broken") as string,
    },
  });
});
