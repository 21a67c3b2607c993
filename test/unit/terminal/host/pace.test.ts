import { expect, test } from "vitest";
import { Pace } from "../../../../src/terminal/host/pace.js";
import { waitFor } from "../../../support/wait-for.js";

test("acts at once, then once an interval, and at once again when it is told to", async () => {
  let acts = 0;
  const pace = new Pace(100, () => {
    acts++;
  });
  for (let i = 0; i < 50; i++) pace.due();
  expect(acts).toBe(1);
  pace.flush();
  pace.flush();
  expect(acts).toBe(2);
  pace.due();
  await waitFor("the second", () => acts === 3);
  pace.due();
  pace.dispose();
  await new Promise((resolve) => setTimeout(resolve, 150));
  expect(acts).toBe(3);
});
