import { describe, expect, it } from "vitest";
import { passwordHash, systemPassword } from "../users.ts";
import { nextAccounts, nextExpiry } from "./accounts.ts";
import {
  allKeys,
  contentData,
  isSameContent,
  newContent,
  nextContent,
  readContent,
  rememberingContent,
  turnedContent,
} from "./content.ts";
import { usersMarker, usersText } from "./users-text.ts";

const open = { clients: undefined, users: {}, graceMs: 1000 };
const asking = (...passwords: readonly string[]) => ({
  ...open,
  clients: passwords.map((password) => passwordHash(password)),
});
const hash = (password: string): string => passwordHash(password);

describe("passwords that are accepted", () => {
  const grace = { now: 10, graceMs: () => 5 };

  it("are the old one, too, until its time has run out", () => {
    const first = nextAccounts({}, { app: ["a"] }, grace);
    const second = nextAccounts(first, { app: ["b"] }, grace);
    expect(second).toEqual({ app: { hashes: ["b"], old: [{ hash: "a", until: 15 }] } });
    expect(nextExpiry(second)).toBe(15);
    expect(nextAccounts(second, { app: ["b"] }, { ...grace, now: 14 })).toEqual(second);
    expect(nextAccounts(second, { app: ["b"] }, { ...grace, now: 15 })).toEqual({
      app: { hashes: ["b"], old: [] },
    });
  });

  it("do not run out when they are wanted again", () => {
    const changed = nextAccounts({ app: { hashes: ["a"], old: [] } }, { app: ["b"] }, grace);
    expect(nextAccounts(changed, { app: ["a"] }, grace)).toEqual({
      app: { hashes: ["a"], old: [{ hash: "b", until: 15 }] },
    });
  });

  it("are of a bounded number", () => {
    let accounts = nextAccounts({}, { app: ["0"] }, grace);
    for (let n = 1; n < 100; n++)
      accounts = nextAccounts(accounts, { app: [String(n)] }, { ...grace, now: 10 + n / 100 });
    expect(accounts["app"]?.old).toHaveLength(16);
    expect(accounts["app"]?.old.at(-1)?.hash).toBe("98");
  });
});

describe("the Secret of the system", () => {
  const first = nextContent(newContent("key"), asking("one"), 0);

  it("is the same where nothing has changed", () => {
    const data = contentData(first);
    const again = readContent({ data } as never);
    expect(again).toEqual(first);
    if (again === undefined) throw new Error("it says nothing");
    expect(isSameContent(nextContent(again, asking("one"), 5), first)).toBe(true);
  });

  it("has another marker with each change, and the old password until it has run out", () => {
    const both = nextContent(first, asking("one", "two"), 0);
    const over = nextContent(both, asking("two"), 0);
    const gone = nextContent(over, asking("two"), 1000);
    expect([first, both, over, gone].map(({ state }) => state.generation)).toEqual([1, 2, 2, 3]);
    expect(usersText(over.state)).toContain(hash("one"));
    expect(usersText(gone.state)).not.toContain(hash("one"));
    expect(usersText(gone.state)).toContain(`user ${usersMarker(gone.state)} off\n`);
  });

  it("has no password in what servers read, and no key in what pods see", () => {
    const text = usersText(first.state);
    for (const user of ["kedge-probe", "kedge-replication", "kedge-start", "kedge-cli", "kedge-exporter"]) {
      expect(text).toContain(`user ${user} on #${hash(systemPassword("key", user))} `);
      expect(text).not.toContain(systemPassword("key", user));
    }
  });

  it("lets the keys of before in for as long as pods may not have seen the new ones", () => {
    const spreading = nextContent({ ...first, nextKey: "next" }, asking("one"), 0);
    const turned = nextContent({ ...spreading, key: "next", nextKey: undefined }, asking("one"), 0);
    const old = hash(systemPassword("key", "kedge-probe"));
    expect(usersText(turned.state)).toContain(old);
    // Replicas are told of the key by which they are let in.
    expect(turned.state.generation).toBe(spreading.state.generation + 1);
    expect(usersText(nextContent(turned, asking("one"), 179_999).state)).toContain(old);
    expect(usersText(nextContent(turned, asking("one"), 180_000).state)).not.toContain(old);
  });

  it("says who is of the spec, so that no volume brings them back", () => {
    const app = { isEnabled: true, rules: "+get", hashes: ["h"] };
    const made = nextContent(first, { ...asking("one"), users: { app } }, 0);
    expect(usersText(made.state)).toContain("user app on #h +get\n");
    expect(usersText(made.state)).toContain(`user ${usersMarker(made.state)} off ~app\n`);
    const left = nextContent(made, asking("one"), 0);
    expect(usersText(left.state)).not.toContain("app");
    const back = nextContent(left, { ...asking("one"), users: { app: { ...app, isEnabled: false } } }, 0);
    expect(usersText(back.state)).toContain("user app off #h +get\n");
  });

  it("keeps the last keys, because a pod may know an old one alone", () => {
    let content = first;
    for (const nextKey of ["two", "three", "four", "five"]) content = turnedContent({ ...content, nextKey });
    expect(allKeys(content)).toEqual(["five", "four", "three", "two"]);
    expect(readContent({ data: contentData(content) } as never)).toEqual(content);
    expect(turnedContent(content)).toBe(content);
  });

  it("takes passwords over that servers were found to accept, for a while", () => {
    const found = { "kedge-probe": ["lost"], default: [hash("one"), "lost"], stranger: ["lost"] };
    const now = { now: 0, graceMs: 1000 };
    const adopted = nextContent(rememberingContent(first, found, now), asking("one"), 0);
    expect(adopted.state.generation).toBe(first.state.generation + 1);
    expect(usersText(adopted.state).match(/#lost/gu)).toHaveLength(2);
    expect(rememberingContent(adopted, found, now)).toBe(adopted);
    expect(usersText(nextContent(adopted, asking("one"), 1000).state).match(/#lost/gu)).toHaveLength(1);
    expect(usersText(nextContent(adopted, asking("one"), 180_000).state)).not.toContain("#lost");
  });

  it("of others, or spoilt, says nothing", () => {
    expect(readContent(undefined)).toBeUndefined();
    expect(readContent({ data: {} } as never)).toBeUndefined();
    const spoilt = { data: { key: btoa("key"), state: btoa("{") } };
    expect(readContent(spoilt as never)).toEqual(newContent("key"));
  });
});
