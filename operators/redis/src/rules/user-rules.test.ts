import { describe, expect, it } from "vitest";
import { aclRules, userRefusals } from "./user-rules.ts";

const app = { name: "app", enabled: true, passwords: [{ secret: "app", key: "password" }] };

describe("a user of the spec", () => {
  it("may do nothing until it is said", () => {
    expect(aclRules(app)).toBe("resetchannels -@all");
    expect(userRefusals([app])).toEqual([]);
  });

  it("is a rule of an ACL", () => {
    const user = {
      ...app,
      commands: ["+@read", "-keys", "+config|get"],
      keys: ["app:*"],
      readKeys: ["shared:*"],
      writeKeys: ["log:*"],
      channels: ["news"],
    };
    expect(aclRules(user)).toBe(
      "resetchannels -@all +@read -keys +config|get ~app:* %R~shared:* %W~log:* &news",
    );
  });

  it.each([
    ["the user of clients", { name: "default" }, ".name", "choose another name"],
    ["one of ours", { name: "kedge-probe" }, ".name", "are the operator's"],
    ["a name that an ACL cannot have", { name: "a b" }, ".name", "letters, digits"],
    ["more than one rule in one", { commands: ["+get >secret"] }, ".commands", "a rule is + or -"],
    ["a password among the commands", { commands: [">secret"] }, ".commands", "a rule is + or -"],
    [
      "another user's line",
      { keys: ["a\nuser evil on nopass"] },
      ".keys",
      "cannot have blanks or line breaks",
    ],
    ["a blank in a channel", { channels: ["a b"] }, ".channels", "cannot have blanks"],
  ])("is refused with %s", (_what, wrong, part, words) => {
    const user = { ...app, ...wrong };
    const [refusal] = userRefusals([user]);
    expect(refusal?.field).toBe(`spec.users[${JSON.stringify(user.name)}]${part}`);
    expect(refusal?.message).toContain(words);
  });

  it("is there once", () => {
    expect(userRefusals([app, app])).toMatchObject([{ field: 'spec.users["app"]' }]);
  });
});
