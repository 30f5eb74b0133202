import { describe, expect, it } from "vitest";
import type { User } from "../registry/types.ts";
import { authenticate } from "./authenticate.ts";
import type { Authenticator } from "./types.ts";

const jane: User = { name: "jane", groups: ["dev"] };
const withToken = { authorization: "Bearer secret" };

const finds =
  (found: User | "refused" | undefined): Authenticator =>
  () =>
    Promise.resolve(found);

describe("who sends a request", () => {
  it.each<[string, Parameters<typeof authenticate>, User]>([
    [
      "is whom the door knows, among the authenticated",
      [jane, {}, undefined],
      { name: "jane", groups: ["dev", "system:authenticated"] },
    ],
    [
      "is whom the door knows, whatever token is shown",
      [jane, withToken, finds("refused")],
      { name: "jane", groups: ["dev", "system:authenticated"] },
    ],
    [
      "is in no group twice",
      [{ name: "jane", groups: ["system:authenticated"] }, {}, undefined],
      { name: "jane", groups: ["system:authenticated"] },
    ],
    [
      "is whose token it is",
      [undefined, withToken, finds(jane)],
      { name: "jane", groups: ["dev", "system:authenticated"] },
    ],
    [
      "is nobody without credentials",
      [undefined, {}, finds(undefined)],
      { name: "system:anonymous", groups: ["system:unauthenticated"] },
    ],
    [
      "is nobody by what is no bearer token",
      [undefined, { authorization: "Basic amFuZTo=" }, undefined],
      { name: "system:anonymous", groups: ["system:unauthenticated"] },
    ],
  ])("%s", async (_name, [known, headers, authenticator], expected) => {
    expect(await authenticate(known, headers, authenticator)).toEqual(expected);
  });

  it.each<[string, Parameters<typeof authenticate>]>([
    ["a certificate that the door refuses", ["refused", {}, finds(jane)]],
    ["a token that was never issued", [undefined, withToken, finds("refused")]],
    ["a token, when nobody knows tokens", [undefined, withToken, undefined]],
    ["a token that no authenticator knows", [undefined, withToken, finds(undefined)]],
  ])("is refused with %s", async (_name, [known, headers, authenticator]) => {
    await expect(authenticate(known, headers, authenticator)).rejects.toMatchObject({
      status: { code: 401, reason: "Unauthorized" },
    });
  });
});
