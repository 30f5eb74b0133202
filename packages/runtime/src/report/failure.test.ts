import { ClientError } from "@kedge/client";
import { conflict, forbidden, OwnershipError, serviceUnavailable, tooManyRequests } from "@kedge/machinery";
import { describe, expect, it } from "vitest";
import { failureOf } from "./failure.ts";
import { refusalText } from "./refusal.ts";

const pods = { group: "", plural: "pods" };

describe("what an error says about an object", () => {
  it.each<[string, unknown, string | undefined]>([
    ["refused by the server", forbidden(pods, "p", "quota"), "Forbidden"],
    ["somebody was quicker", conflict(pods, "p", "changed"), undefined],
    ["the server is busy", tooManyRequests("later", 1), undefined],
    ["the server is down", serviceUnavailable("later"), undefined],
    ["nobody listens", new ClientError("UNREACHABLE", "nobody"), undefined],
    ["the name is taken", new OwnershipError("OtherController", "taken"), "NameTaken"],
    ["anything else", new TypeError("broken"), "ReconcileFailed"],
    ["no error at all", "broken", "ReconcileFailed"],
  ])("%s", (_what, error, reason) => {
    expect(failureOf(error)?.reason).toBe(reason);
  });
});

describe("refusals as one text", () => {
  it("names each field", () => {
    expect(
      refusalText([
        { field: "spec.a", message: "is bad" },
        { field: "spec.b", message: "is worse" },
      ]),
    ).toBe("spec.a is bad; spec.b is worse");
  });
});
