import { describe, expect, it } from "vitest";
import type { User } from "../registry/types.ts";
import { authenticate } from "./authenticate.ts";
import type { Authenticator } from "./types.ts";

const jane: User = { name: "jane", groups: ["dev"] };
const withToken = { authorization: "Bearer secret" };

const finds =
  (found: User | "refused" | undefined): Authenticator =>
  () =>
    found;

describe("who sends a request", () => {
  it.each<[string, Parameters<typeof authenticate>, User]>([
    [
      "is whom the door knows, among the authenticated",
      [jane, {}, finds(undefined)],
      { name: "jane", groups: ["dev", "system:authenticated"] },
    ],
    [
      "is whom the door knows, whatever token is shown",
      [jane, withToken, finds("refused")],
      { name: "jane", groups: ["dev", "system:authenticated"] },
    ],
    [
      "is in no group twice",
      [{ name: "jane", groups: ["system:authenticated"] }, {}, finds(undefined)],
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
      [undefined, { authorization: "Basic amFuZTo=" }, finds(undefined)],
      { name: "system:anonymous", groups: ["system:unauthenticated"] },
    ],
  ])("%s", (_name, [known, headers, authenticator], expected) => {
    expect(authenticate(known, headers, authenticator)).toEqual(expected);
  });

  it.each<[string, Parameters<typeof authenticate>]>([
    ["a certificate that the door refuses", ["refused", {}, finds(jane)]],
    ["a token that was never issued", [undefined, withToken, finds("refused")]],
    ["a token that no authenticator knows", [undefined, withToken, finds(undefined)]],
  ])("is refused with %s", (_name, [known, headers, authenticator]) => {
    expect(() => authenticate(known, headers, authenticator)).toThrow("Unauthorized");
  });
});
