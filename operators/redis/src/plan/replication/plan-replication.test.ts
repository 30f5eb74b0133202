import { describe, expect, it } from "vitest";
import { serversOf, type PlayedServer } from "../../testing/servers.ts";
import { planReplication } from "./plan-replication.ts";
import type { ReplicationAction, ReplicationFacts } from "./types.ts";

const down = { isUp: false } as const;
const gone = { fails: "REFUSED", silentMs: 50 } as const;

function factsOf(servers: readonly PlayedServer[], more: Partial<ReplicationFacts> = {}): ReplicationFacts {
  return {
    instance: { namespace: "shop", name: "cache" },
    wanted: servers.length,
    isNew: false,
    status: { epoch: 1, primary: "cache-0", served: 1, historyId: "a", offset: 50 },
    servers: serversOf(...servers),
    durability: "normal",
    isGuardOurs: false,
    revision: "r1",
    switchover: undefined,
    promote: undefined,
    givesVolumeUp: false,
    now: 0,
    ...more,
  };
}

/** What is done, in words. */
function wordsOf(facts: ReplicationFacts): readonly string[] {
  const { first, after, primary } = planReplication(facts);
  return [
    ...first.map((action) => words(action)),
    `Service to ${primary}`,
    ...after.map((action) => words(action)),
  ];
}

function words(action: ReplicationAction): string {
  switch (action.type) {
    case "take epoch":
      return `take ${action.next.epoch} for ${action.next.primary}`;
    case "admit":
      return `admit ${action.server.pod} as ${action.role} of ${action.epoch} by ${action.server.as}`;
    case "record data":
      return `record ${action.server.pod} ${action.epoch}`;
    case "check copies":
      return `check copies of ${action.primary.pod} in ${action.epoch}`;
    case "check hand over":
      return `check ${action.server.pod} to ${action.to.pod} by ${action.server.as}`;
    case "hand over":
      return `${action.server.pod} to ${action.to.pod} by ${action.server.as}`;
    case "adopt server":
    case "fence":
    case "stop pod":
      return `${action.type} ${action.pod}`;
    case "guard writes":
      return `guard ${action.server.pod} by ${action.replicas}`;
    case "label pod":
      return `label ${action.pod} ${action.role}`;
    case "clear annotation":
      return `clear ${action.value}`;
  }
}

/** Whom an epoch is taken for, if one is. */
function promoted(facts: ReplicationFacts): string | undefined {
  return planReplication(facts).first.flatMap((action) =>
    action.type === "take epoch" ? [`${action.next.primary} ${action.next.epoch}`] : [],
  )[0];
}

describe("what is as it should be", () => {
  it("is left alone", () => {
    expect(wordsOf(factsOf([{}, {}, {}]))).toEqual(["Service to cache-0"]);
  });

  it("is the first pod of a new instance", () => {
    const facts = factsOf([], { isNew: true, status: undefined });
    expect(wordsOf(facts)).toEqual(["take 1 for cache-0", "Service to cache-0"]);
  });
});

describe("a server that loads its data", () => {
  it("is looked at again, because nothing else tells when it is done", () => {
    const loading = { follows: "nobody", isRestarted: true, isLoading: true } as const;
    expect(planReplication(factsOf([{}, {}, loading]))).toMatchObject({ first: [], again: 500 });
    expect(planReplication(factsOf([{}, {}, {}])).again).toBeUndefined();
  });
});

describe("a primary that is lost", () => {
  it("is replaced in a new epoch by who has most, before the Service moves; the others follow", () => {
    expect(wordsOf(factsOf([gone, { ...down, offset: 90 }, { ...down, offset: 95 }]))).toEqual([
      "take 2 for cache-2",
      "admit cache-2 as primary of 2 by kedge-operator-1",
      "Service to cache-2",
      "label cache-0 replica",
      "label cache-2 primary",
      "admit cache-1 as replica of 2 by kedge-operator-1",
    ]);
  });

  it.each<[string, readonly PlayedServer[]]>([
    ["its pod is gone, too", [{ fails: "UNREACHABLE", isDeleting: true }, down]],
    [
      "it is silent, and its replicas hear nothing",
      [{ fails: "TIMEOUT", silentMs: 1000 }, { stalledMs: 1300 }],
    ],
    ["it is silent, and one of them has even lost the link", [{ fails: "TIMEOUT", silentMs: 1000 }, down]],
  ])("when %s", (_when, servers) => {
    expect(promoted(factsOf(servers))).toBe("cache-1 2");
  });

  it("is stopped first when it hangs", () => {
    expect(wordsOf(factsOf([{ fails: "TIMEOUT", silentMs: 1500 }, { stalledMs: 2000 }])).slice(0, 4)).toEqual(
      [
        "take 2 for cache-1",
        "Service to cache-1",
        "fence cache-0",
        "admit cache-1 as primary of 2 by kedge-operator-1",
      ],
    );
  });

  describe("because it hangs under writes", () => {
    const hung = { fails: "TIMEOUT", silentMs: 850, isReached: true } as const;
    const starved = { stalledMs: 650, wasBusy: true } as const;

    it("is replaced sooner: its machine answers, and a stream that never stood still does", () => {
      expect(promoted(factsOf([hung, starved, starved]))).toBe("cache-1 2");
    });

    it.each<[string, readonly PlayedServer[]]>([
      ["its machine does not answer: we may be cut off", [{ ...hung, isReached: false }, starved, starved]],
      [
        "nobody has written: there may be nothing to hear of",
        [hung, { stalledMs: 1200 }, { stalledMs: 1200 }],
      ],
      ["one of them had not been busy", [hung, starved, { stalledMs: 650 }]],
      ["one of them still hears of it", [hung, starved, { stalledMs: 100, wasBusy: true }]],
      ["it is silent for a moment only", [{ ...hung, silentMs: 800 }, starved, starved]],
    ])("but not when %s", (_when, servers) => {
      expect(promoted(factsOf(servers))).toBeUndefined();
    });

    const saves = { isUnderWay: true, lastMs: 3 } as const;
    const forksSlowly = { isUnderWay: false, lastMs: 800 } as const;
    const starvedLong = { ...starved, stalledMs: 9000 } as const;
    it.each<[string, PlayedServer, string | undefined]>([
      ["saves its data, and has time for it", { forks: saves, silentMs: 2900 }, undefined],
      ["saves its data, and takes too long", { forks: saves, silentMs: 3000 }, "cache-1 2"],
      ["forks slowly, and may be at it", { forks: forksSlowly, silentMs: 2400 }, undefined],
      ["forks slowly, and takes too long", { forks: forksSlowly, silentMs: 2450 }, "cache-1 2"],
      ["forks as quickly as most do", { forks: { isUnderWay: false, lastMs: 99 } }, "cache-1 2"],
      ["forked for a minute", { forks: { isUnderWay: false, lastMs: 60_000 }, silentMs: 5850 }, "cache-1 2"],
      ["saved its data, and ended", { forks: saves, fails: "CLOSED", silentMs: 850 }, "cache-1 2"],
    ])("of one that %s", (_what, primary, expected) => {
      expect(promoted(factsOf([{ ...hung, ...primary }, starvedLong, starvedLong]))).toBe(expected);
    });

    it.each([
      ["one that saves its data is asked once more", saves, 3000, false],
      ["any other was asked a moment ago", undefined, 850, true],
    ])("%s", (_what, forks, silentMs, isTrusted) => {
      const facts = factsOf([{ ...hung, forks, silentMs }, starvedLong, starvedLong]);
      const { first, after } = planReplication(facts);
      const lost = first.flatMap((action) => (action.type === "take epoch" ? (action.lost ?? []) : []));
      expect(lost.map((one) => "missedAt" in one)).toEqual([isTrusted]);
      expect(after.find(({ type }) => type === "fence")).toMatchObject({ asksFirst: !isTrusted });
    });
  });

  describe("and for which another one was chosen that is not admitted yet", () => {
    const status = { epoch: 2, primary: "cache-1", served: 1, historyId: "a", offset: 50 };

    it("is stopped first when it hangs: who chose may have ended before that", () => {
      const servers = [{ fails: "TIMEOUT", silentMs: 300 }, { stalledMs: 500 }] as const;
      expect(wordsOf(factsOf(servers, { status })).slice(0, 2)).toEqual([
        "fence cache-0",
        "admit cache-1 as primary of 2 by kedge-operator-1",
      ]);
    });

    it("goes on when it is back: nobody else has taken writes", () => {
      expect(promoted(factsOf([{}, {}, {}], { status }))).toBe("cache-0 3");
    });

    it.each<[string, readonly PlayedServer[], Partial<typeof status>]>([
      ["the other one was seen serving", [{}, {}], { served: 2 }],
      ["the other one has more", [{ offset: 90 }, { offset: 95 }], {}],
      ["it is of an older epoch than the other one", [{ epoch: 0, data: ["primary", 0] }, {}], {}],
    ])("is demoted before the other one opens when %s", (_when, servers, more) => {
      const [demotion, opening] = wordsOf(factsOf(servers, { status: { ...status, ...more } }));
      expect(demotion).toContain("admit cache-0 as replica of 2");
      expect(opening).toContain("admit cache-1 as primary of 2");
    });
  });

  it.each<[string, readonly PlayedServer[]]>([
    ["only the operator cannot reach it", [{ fails: "TIMEOUT", silentMs: 600_000 }, {}, {}]],
    ["one replica still hears of it", [{ fails: "TIMEOUT", silentMs: 600_000 }, down, {}]],
    ["it has been silent for a moment", [{ fails: "TIMEOUT", silentMs: 900 }, { stalledMs: 2000 }]],
    ["nobody answers: it may be the operator that is cut off", [gone, gone, gone]],
    [
      "the only one that answers follows nobody",
      [{ fails: "TIMEOUT", silentMs: 9000 }, { follows: "nobody" }],
    ],
    ["it says that it is busy", [{ fails: "BUSY", silentMs: 9000 }, { stalledMs: 9000 }]],
    ["it says that it loads", [{ isLoading: true }, down]],
    ["the others have no data of what was served", [gone, { ...down, data: ["replica", 0], id: "x" }]],
    ["the other one loads", [gone, { ...down, isLoading: true }]],
    [
      "the other one was just restarted: it may come back with more",
      [gone, { follows: "nobody", isRestarted: true, uptime: 3 }],
    ],
  ])("is kept when %s", (_when, servers) => {
    expect(promoted(factsOf(servers))).toBeUndefined();
  });

  it.each<[string, readonly PlayedServer[], string]>([
    ["an empty one", [gone, { ...down, keys: 0, offset: 999 }, down], "cache-2"],
    [
      "older data, whatever its offset",
      [gone, { ...down, data: ["replica", 0], id: "x", offset: 999 }, { ...down, data: ["replica", 1] }],
      "cache-2",
    ],
    ["one that was restarted", [gone, { ...down, isRestarted: true }, { ...down, offset: 60 }], "cache-2"],
  ])("is never replaced by %s", (_what, servers, pod) => {
    const status = { epoch: 1, primary: "cache-0", served: 1, historyId: "a", offset: 50 };
    expect(promoted(factsOf(servers, { status }))).toBe(`${pod} 2`);
  });

  it("is waited for while it starts for the first time", () => {
    const status = { epoch: 1, primary: "cache-0" };
    expect(promoted(factsOf([gone, { ...down, uptime: 3, keys: 0 }], { status }))).toBeUndefined();
    expect(promoted(factsOf([gone, { ...down, uptime: 20, keys: 0 }], { status }))).toBe("cache-1 2");
  });

  it("has nobody to replace it when all with its data are away, and says what to do", () => {
    const { trouble } = planReplication(factsOf([gone, { ...down, data: "none", id: "x", keys: 3 }]));
    expect(trouble).toMatchObject({ reason: "PrimaryHeld" });
    expect(trouble?.message).toContain("cache-1 has 3 keys");
    expect(trouble?.message).toContain("redis.github.com/promote=<pod>");
  });

  it("is replaced by whom somebody names, whatever is lost", () => {
    expect(
      promoted(factsOf([gone, { ...down, data: "none", id: "x", keys: 3 }], { promote: "cache-1" })),
    ).toBe("cache-1 2");
  });
});

describe("a primary that comes back", () => {
  const held = { role: "replica", follows: "nobody", isRestarted: true, data: ["primary", 1] } as const;

  it("is admitted again when its data is whole", () => {
    expect(wordsOf(factsOf([held, down]))).toContain("admit cache-0 as primary of 1 by kedge-start");
  });

  it.each<[string, PlayedServer, PlayedServer]>([
    ["without its data", { ...held, keys: 0, data: "none", epoch: 0 }, down],
    ["with an older snapshot", { ...held, appendOnly: false, keys: 5 }, down],
  ])("is replaced when it comes back %s", (_how, primary, other) => {
    expect(promoted(factsOf([primary, other]))).toBe("cache-1 2");
  });

  it("waits when it is empty and who may have the data does not answer", () => {
    const plan = planReplication(factsOf([{ ...held, keys: 0, data: "none", epoch: 0 }, gone]));
    expect(plan.trouble?.reason).toBe("PrimaryHeld");
    expect(plan.first).toEqual([]);
  });

  it("is a replica when another was promoted meanwhile: its clients are cut", () => {
    const status = { epoch: 2, primary: "cache-1", served: 2 };
    const servers = [{ epoch: 1 }, { role: "primary", epoch: 2 }] as const;
    const { first } = planReplication(factsOf(servers, { status }));
    expect(first).toMatchObject([
      { type: "admit", role: "replica", epoch: 2, cutClients: true, server: { pod: "cache-0" } },
    ]);
  });
});

describe("an operator that has been overtaken", () => {
  it("commands nobody who knows a newer epoch, and takes one above it", () => {
    const facts = factsOf([
      { epoch: 3, role: "replica", follows: "cache-1" },
      { epoch: 3, role: "primary" },
    ]);
    expect(wordsOf(facts)[0]).toBe("take 4 for cache-1");
  });
});

describe("a planned change", () => {
  const whole = [{}, { offset: 100 }, { offset: 100 }] as const;
  const steps = [
    "check cache-0 to cache-1 by kedge-operator-1",
    "take 2 for cache-0",
    "admit cache-0 as primary of 2 by kedge-operator-1",
    "Service to cache-1",
    "cache-0 to cache-1 by kedge-operator-2",
    "take 3 for cache-1",
    "admit cache-1 as primary of 3 by kedge-operator-1",
    "label cache-0 replica",
    "label cache-1 primary",
    "admit cache-0 as replica of 3 by kedge-operator-2",
    "admit cache-2 as replica of 3 by kedge-operator-1",
  ];

  it("is asked for by annotation, which goes as soon as the status says so", () => {
    expect(wordsOf(factsOf(whole, { switchover: "any" }))).toEqual(steps.toSpliced(2, 0, "clear any"));
  });

  it.each<[string, readonly PlayedServer[], Partial<ReplicationFacts>]>([
    ["its pod is deleted", [{ isDeleting: true }, {}, {}], {}],
    ["it is the last of the old template", [{ revision: "r0" }, {}, {}], {}],
    ["it cannot write to its volume", [{ isDiskFailing: true }, {}, {}], {}],
    [
      "it was begun, and the operator died",
      whole,
      { status: { epoch: 1, primary: "cache-0", target: "cache-1" } },
    ],
  ])("is made when %s", (_when, servers, more) => {
    const { historyId: _id, ...status } = factsOf(servers, more).status ?? { epoch: 1, primary: "cache-0" };
    expect(wordsOf(factsOf(servers, { ...more, status }))).toEqual(
      servers[0]?.isDeleting === true ? steps.filter((step) => step !== "label cache-0 replica") : steps,
    );
  });

  it("leads to nobody who cannot write to its volume, either", () => {
    const full = { isDiskFailing: true };
    expect(wordsOf(factsOf([full, full, {}]))).toContain("Service to cache-2");
    expect(wordsOf(factsOf([full, full, full]))).toEqual(["Service to cache-0"]);
  });

  it("is made when the primary is scaled away, to one that stays", () => {
    const servers = [
      { role: "replica", follows: "cache-2" },
      { follows: "cache-2" },
      { role: "primary" },
    ] as const;
    const status = { epoch: 1, primary: "cache-2" };
    expect(wordsOf(factsOf(servers, { wanted: 2, status }))).toContain("Service to cache-0");
  });

  it.each<[string, readonly PlayedServer[]]>([
    ["no replica is in sync", [{}, down]],
    ["the one that is named is not", [{}, down, {}]],
    ["it is megabytes behind", [{ offset: 9_000_000 }, { offset: 1_000_000 }]],
  ])("waits while %s", (_when, servers) => {
    const plan = planReplication(factsOf(servers, { switchover: "cache-1" }));
    expect(plan.trouble?.reason).toBe("SwitchoverWaits");
    expect(plan.first).toEqual([]);
  });

  it("is forgotten when it names nobody, or who is the primary already", () => {
    expect(wordsOf(factsOf(whole, { switchover: "cache-0" }))).toEqual([
      "Service to cache-0",
      "clear cache-0",
    ]);
  });

  describe("that was given up", () => {
    const at = "2026-11-18T01:00:00Z";
    const began = Date.parse(at);
    const statusAfter = (times: number) => ({
      epoch: 1,
      primary: "cache-0",
      served: 1,
      givenUp: { times, at, why: "The switchover to cache-1 was given up: no." },
    });
    const last = [{ revision: "r0" }, {}, {}] as const;

    it.each([
      [1, 5000],
      [2, 10_000],
      [5, 80_000],
      [50, 300_000],
    ])("%i times rests for %i ms: clients write to the primary, and it is said why", (times, ms) => {
      const facts = factsOf(last, { status: statusAfter(times), now: began });
      expect(planReplication(facts)).toMatchObject({
        primary: "cache-0",
        first: [],
        again: ms,
        trouble: { reason: "SwitchoverGivenUp" },
      });
      expect(planReplication({ ...facts, now: began + ms - 1 }).again).toBe(1);
      expect(wordsOf({ ...facts, now: began + ms })).toEqual(steps);
    });

    it("is tried at once when somebody asks for it, and soon when the pod is being deleted", () => {
      const status = statusAfter(9);
      expect(wordsOf(factsOf(whole, { status, now: began, switchover: "any" }))).toContain(steps[1]);
      const deleting = factsOf([{ isDeleting: true }, {}, {}], { status, now: began });
      expect(planReplication(deleting)).toMatchObject({ primary: "cache-0", again: 1000 });
      expect(planReplication({ ...deleting, now: began + 1000 }).primary).toBe("cache-1");
    });

    it("is no trouble when nobody wants it any more", () => {
      const plan = planReplication(factsOf(whole, { status: statusAfter(3), now: began }));
      expect(plan).toMatchObject({ trouble: undefined, again: undefined });
    });

    it("is counted until one comes about", () => {
      const facts = factsOf(last, { status: statusAfter(3), now: began + 3_600_000 });
      const { first, after } = planReplication(facts);
      const taken = [...first, ...after].flatMap((action) =>
        action.type === "take epoch" ? [action.next.givenUp?.times] : [],
      );
      expect(taken).toEqual([3, undefined]);
    });
  });

  describe("in which an operator ended in the middle of Redis' own FAILOVER", () => {
    const status = { epoch: 1, primary: "cache-0", target: "cache-1", served: 1 };
    const changing = {
      role: "replica",
      follows: "cache-1",
      data: ["primary", 1],
      isFailingOver: true,
    } as const;

    it.each<[string, PlayedServer]>([
      ["has taken over", { role: "primary", id: "b" }],
      ["does not answer", { fails: "TIMEOUT", silentMs: 1000 }],
    ])("waits while the successor %s", (_when, successor) => {
      const plan = planReplication(factsOf([changing, successor], { status }));
      expect(plan).toMatchObject({ first: [], again: 500 });
    });

    it("and another one was promoted: it is told to follow that one, whatever it was about to do", () => {
      const servers = [{ ...changing, role: "primary" }, {}, { role: "primary", epoch: 2 }] as const;
      const { first } = planReplication(
        factsOf(servers, { status: { epoch: 2, primary: "cache-2", served: 2 } }),
      );
      expect(first[0]).toMatchObject({
        type: "admit",
        role: "replica",
        abortsFailover: true,
        server: { pod: "cache-0" },
      });
    });

    it.each<[string, PlayedServer]>([
      ["has not taken over", {}],
      ["does not answer for long", { fails: "TIMEOUT", silentMs: 5000 }],
    ])("lets the primary go on when the successor %s", (_when, successor) => {
      const { first } = planReplication(factsOf([changing, successor], { status }));
      expect(first[0]).toMatchObject({ type: "admit", role: "primary", abortsFailover: true });
    });
  });

  it("by hand is taken over", () => {
    const servers = [{ role: "replica", follows: "cache-1" }, { role: "primary" }] as const;
    expect(promoted(factsOf(servers))).toBe("cache-1 2");
  });
});

describe("servers that are older than the status", () => {
  it.each<[string, readonly PlayedServer[], string]>([
    [
      "keep the primary of their records",
      [
        { role: "replica", epoch: 7, follows: "nobody", isRestarted: true },
        { role: "replica", epoch: 7, data: ["primary", 7], follows: "nobody", isRestarted: true },
      ],
      "take 8 for cache-1",
    ],
    [
      "keep the one that others follow, when there are no records",
      [
        { epoch: 0, data: "none" },
        { epoch: 0, data: "none" },
      ],
      "take 1 for cache-0",
    ],
    [
      "have the one with most, when none was a primary",
      [
        { role: "replica", epoch: 0, data: "none", follows: "nobody", keys: 3 },
        { role: "replica", epoch: 0, data: "none", follows: "nobody", keys: 9, id: "b" },
      ],
      "take 1 for cache-1",
    ],
  ])("%s", (_what, servers, expected) => {
    expect(wordsOf(factsOf(servers, { status: undefined }))[0]).toBe(expected);
  });

  it("are waited for", () => {
    expect(
      promoted(
        factsOf([gone, { role: "replica", epoch: 0, data: "none", follows: "nobody" }], {
          status: undefined,
        }),
      ),
    ).toBeUndefined();
  });

  it("are given the system's users when they do not know them", () => {
    expect(wordsOf(factsOf([{ fails: "WRONGPASS" }], { status: undefined }))[0]).toBe("adopt server cache-0");
  });
});

describe("with strict durability", () => {
  const strict = { durability: "strict" } as const;

  it("another primary is chosen among so many that one has every confirmed write", () => {
    expect(promoted(factsOf([gone, down, down], strict))).toBe("cache-1 2");
    expect(promoted(factsOf([gone, down], strict))).toBe("cache-1 2");
    expect(promoted(factsOf([gone, down, down, down, gone], strict))).toBe("cache-1 2");
  });

  it.each<[string, readonly PlayedServer[]]>([
    ["one of two does not answer", [gone, down, gone]],
    ["one of two loads", [gone, down, { ...down, isLoading: true }]],
    ["two of four do not answer", [gone, down, down, gone, gone]],
    [
      "it is back without its data, and one of two does not answer",
      [{ isRestarted: true, keys: 0 }, {}, gone],
    ],
  ])("nobody is when %s", (_when, servers) => {
    const { first, trouble } = planReplication(factsOf(servers, strict));
    expect(first).toEqual([]);
    expect(trouble).toMatchObject({ reason: "PrimaryHeld" });
    expect(trouble?.message).toContain("only cache-1");
    expect(promoted(factsOf(servers, { ...strict, promote: "cache-1" }))).toBe("cache-1 2");
  });
});

describe("however it was lost, a primary is replaced when both others have its data", () => {
  const long = { silentMs: 5000 } as const;
  const lost: Readonly<Record<string, PlayedServer>> = {
    ended: { ...gone, ...long },
    "cut off": { fails: "TIMEOUT", ...long },
    hung: { fails: "TIMEOUT", ...long, isReached: true },
    "being deleted": { fails: "UNREACHABLE", ...long, isDeleting: true },
  };
  const others: Readonly<Record<string, PlayedServer>> = {
    "has lost its link": down,
    "hears nothing": { stalledMs: 5000 },
    "heard writes, and hears nothing": { stalledMs: 5000, wasBusy: true },
    "was restarted, and is held": { follows: "nobody", isRestarted: true },
    "was restarted, and follows in vain": { ...down, isRestarted: true, id: "b", offset: 0 },
    "is being deleted": { ...down, isDeleting: true },
    "cannot write to its volume": { ...down, isDiskFailing: true },
    "follows the third": { follows: "cache-2", isUp: false },
  };
  const cases = Object.keys(lost).flatMap((how) =>
    Object.keys(others).flatMap((one) => Object.keys(others).map((other) => [how, one, other] as const)),
  );

  it.each(cases)("when it is %s, one %s, and the other %s", (how, one, other) => {
    for (const durability of ["cache", "normal", "strict"] as const) {
      const servers = [lost[how] ?? {}, others[one] ?? {}, others[other] ?? {}];
      const facts = factsOf(servers, { durability });
      // Else somebody is told to follow it, and knows the next time whether that is possible.
      const isTold = planReplication(facts).first.some(({ type }) => type === "admit");
      expect([durability, promoted(facts) !== undefined || isTold]).toEqual([durability, true]);
    }
  });
});

describe("a primary that may be cut off", () => {
  const guards = (
    servers: readonly PlayedServer[],
    more: Partial<ReplicationFacts> = {},
  ): readonly string[] =>
    wordsOf(factsOf(servers, { isGuardOurs: true, ...more })).filter((one) => one.startsWith("guard"));
  const silent = { fails: "TIMEOUT" } as const;

  it("refuses writes that no replica has, when there are two", () => {
    expect(guards([{}, {}, {}])).toEqual(["guard cache-0 by 1"]);
    expect(guards([{ isGuarded: true }, {}, {}])).toEqual([]);
  });

  it.each<[string, readonly PlayedServer[]]>([
    ["one of two is gone", [{ isGuarded: true, lags: [0] }, {}, silent]],
    ["both lag", [{ isGuarded: true, lags: [4, 5] }, silent, silent]],
  ])("is let off when %s", (_when, servers) => {
    expect(guards(servers)).toEqual(["guard cache-0 by 0"]);
  });

  it("stays so when only the operator cannot see the replicas, and is looked at again", () => {
    const servers = [{ isGuarded: true, lags: [0, 1] }, silent, silent];
    expect(guards(servers)).toEqual([]);
    expect(planReplication(factsOf(servers, { isGuardOurs: true })).again).toBe(1000);
  });

  it.each<[string, readonly PlayedServer[], Partial<ReplicationFacts>]>([
    ["there is one replica: it would stop writes when that fails", [{}, {}], {}],
    ["it is a cache", [{}, {}, {}], { durability: "cache" }],
    ["the spec says what is needed", [{ isGuarded: true }, {}], { isGuardOurs: false }],
  ])("is left alone when %s", (_when, servers, more) => {
    expect(guards(servers, more)).toEqual([]);
  });

  it("does not begin with it when it comes to serve", () => {
    expect(guards([{ isGuarded: true }, { isGuarded: true }, {}])).toEqual(["guard cache-1 by 0"]);
  });
});
