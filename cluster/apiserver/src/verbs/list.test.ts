import { describe, expect, it } from "vitest";
import { startServer } from "../testing/start-server.ts";

const maps = "/api/v1/namespaces/default/configmaps";

describe("a list", () => {
  it.each(["1.5", "2.000001", "1e300", "9007199254740993"])(
    "refuses a continue token with revision %s",
    async (rv) => {
      await using server = await startServer();
      const token = Buffer.from(`{"v":"meta.k8s.io/v1","rv":${rv},"start":"a\\u0000"}`).toString("base64url");
      const { status, body } = await server.ask("GET", `${maps}?limit=1&continue=${token}`);
      expect(status).toBe(400);
      expect(body.message).toContain("invalid continue token: continue key is not valid: json: cannot");
    },
  );

  it.each(["limit", "timeoutSeconds"])("refuses a %s that is no int64", async (name) => {
    await using server = await startServer();
    for (const [value, why] of [
      ["1.5", "invalid syntax"],
      ["9223372036854775808", "value out of range"],
      ["-9223372036854775809", "value out of range"],
    ] as const) {
      const { status, body } = await server.ask("GET", `${maps}?${name}=${value}`);
      expect([status, body.message]).toEqual([400, `strconv.ParseInt: parsing "${value}": ${why}`]);
    }
    expect((await server.ask("GET", `${maps}?${name}=9223372036854775807`)).status).toBe(200);
  });
});
