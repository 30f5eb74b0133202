import { describe, expect, it } from "vitest";
import { outdatedUsers, otherRecords, readRecord } from "./users.ts";

describe("what users say of a server", () => {
  it.each([
    ["nothing of a new one", ["default", "kedge-start"], { epoch: 0, isAdmitted: false, data: undefined }],
    [
      "a primary",
      ["kedge-operator-4", "kedge-primary-4"],
      { epoch: 4, isAdmitted: true, data: { role: "primary", epoch: 4 } },
    ],
    [
      "a primary that was fenced",
      ["kedge-operator-10", "kedge-primary-9"],
      { epoch: 10, isAdmitted: true, data: { role: "primary", epoch: 9 } },
    ],
    [
      "the newest of several records",
      ["kedge-replica-2", "kedge-primary-3", "kedge-start", "kedge-primary-x", "kedge-operators-7"],
      { epoch: 3, isAdmitted: false, data: { role: "primary", epoch: 3 } },
    ],
  ])("%s", (_what, users, record) => {
    expect(readRecord(users)).toEqual(record);
  });

  it("names those that an admission takes away", () => {
    const users = ["default", "kedge-operator-1", "kedge-operator-2", "kedge-primary-1", "kedge-replica-2"];
    expect(outdatedUsers(users, 2)).toEqual(["kedge-operator-1"]);
    expect(otherRecords(users, "kedge-replica-2")).toEqual(["kedge-primary-1"]);
  });
});
