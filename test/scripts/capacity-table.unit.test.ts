import { describe, expect, it } from "vitest";
import { capacityTable } from "../../scripts/capacity-table.ts";

describe("the capacity table", () => {
  it("the table of docs/scaling.md counts tweets, homes, follows, notifications and users", () => {
    const nothing = {
      bytesEnglishTweet: 0,
      bytesJapaneseTweet: 0,
      bytesFullHome: 0,
      bytesFollow: 0,
      bytesUser: 0,
      bytesNotification: 0,
    };
    const allOfAMillion = (figures: Partial<typeof nothing>) =>
      capacityTable({ ...nothing, ...figures })
        .split("\n")[3]
        ?.split(" | ")[6];
    expect(allOfAMillion({ bytesEnglishTweet: 100 })).toBe("49 GB / 0 GB");
    expect(allOfAMillion({ bytesJapaneseTweet: 100 })).toBe("0 GB / 49 GB");
    expect(allOfAMillion({ bytesFullHome: 3000 })).toBe("1 GB / 1 GB");
    expect(allOfAMillion({ bytesFollow: 20 })).toBe("1 GB / 1 GB");
    expect(allOfAMillion({ bytesNotification: 3 })).toBe("1 GB / 1 GB");
    expect(allOfAMillion({ bytesUser: 1000 })).toBe("1 GB / 1 GB");
  });
});
