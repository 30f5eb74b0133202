import { gunzipSync } from "node:zlib";
import { realClock, seededRandom } from "@kedge/machinery";
import { describe, expect, it } from "vitest";
import { acceptsGzip, compressed, gzipped } from "./compress.ts";
import { bytesResponse } from "./responses.ts";

const large = "x".repeat(128 * 1024 + 1);

async function bytesOf(body: AsyncIterable<Uint8Array>): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(body));
}

describe("an answer", () => {
  it("is compressed when it is large and the client can read that", async () => {
    const { headers, body } = await compressed(bytesResponse(200, large, { a: "b" }), "gzip", realClock);
    const bytes = await bytesOf(body);
    expect(headers).toMatchObject({
      a: "b",
      "content-encoding": "gzip",
      "content-length": String(bytes.length),
      vary: "Accept-Encoding",
    });
    expect(gunzipSync(bytes).toString()).toBe(large);
  });

  it.each([
    ["small", large.slice(1), "gzip", {}],
    ["for somebody who cannot read gzip", large, "br", {}],
    ["encoded already", large, "gzip", { "content-encoding": "gzip" }],
  ])("is left as it is when it is %s", async (_name, text, accept, headers) => {
    const response = bytesResponse(200, text, headers);
    expect(await compressed(response, accept, realClock)).toBe(response);
  });
});

it.each([
  ["gzip", true],
  ["deflate, gzip;q=0.5", true],
  ["", false],
  ["br", false],
  ["xgzip", false],
])("a client that accepts %j can read gzip: %s", (header, expected) => {
  expect(acceptsGzip(header)).toBe(expected);
});

it("compresses a long answer as it comes, and stops asking for it when nobody reads", async () => {
  const random = seededRandom(1);
  let made = 0;
  let isClosed = false;
  async function* body(): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        made++;
        // What cannot be made smaller comes out soon.
        yield Uint8Array.from({ length: 64 * 1024 }, () => random.int(256));
      }
    } finally {
      isClosed = true;
    }
  }
  const reader = gzipped(body());
  await reader.next();
  expect(made).toBeLessThan(50);
  await reader.return(undefined);
  await expect.poll(() => isClosed).toBe(true);
});
