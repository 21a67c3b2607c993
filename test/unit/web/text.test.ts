import fc from "fast-check";
import { expect, test } from "vitest";
import { segment, unsegment } from "../../../src/web/routes.js";
import { plainOf, segmentsOf } from "../../../src/web/terminal/ansi.js";
import { shiftOf } from "../../../src/web/terminal/shift.js";
import { decodeReferences, safeHref } from "../../../src/web/text/safe-link.js";

test("any text goes through an address and comes back, half a surrogate pair too", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      expect(unsegment(segment(text))).toBe(text);
      expect(segment(text)).toMatch(/^[A-Za-z0-9_~-]*$/);
    }),
  );
  expect(unsegment(segment("caf\udce9/100%"))).toBe("caf\udce9/100%");
});

test.each([
  ["https://example.org/a", "https://example.org/a"],
  ["mailto:a@example.org", "mailto:a@example.org"],
  ["javascript:alert(1)", undefined],
  [" JaVaScRiPt:alert(1)", undefined],
  ["java\nscript:alert(1)", undefined],
  ["data:text/html,<script>", undefined],
  ["file:///etc/passwd", undefined],
  ["/relative", undefined],
])("a link to %j leads to %j", (href, safe) => {
  expect(safeHref(href)).toBe(safe);
});

test("character references become what they mean, and unknown ones stay", () => {
  expect(decodeReferences("a &amp; b &lt;i&gt; &#39;q&#x27; &nope; &#1114112;")).toBe(
    "a & b <i> 'q' &nope; &#1114112;",
  );
});

test("colours and styles of a row, without a trace of the escapes", () => {
  const row =
    "\u001b[1;38;5;196mred\u001b[0m plain \u001b[4:3;58:2::1:2:3mcurly\u001b[0m \u001b[7m \u001b[0m\u001b[38;2;1;2;3mtrue\u001b[0m";
  const segments = segmentsOf(row);
  expect(segments.map(({ text }) => text).join("")).toBe(plainOf(row));
  expect(segments[0]).toEqual({ text: "red", classes: "t-bold", color: "rgb(255 0 0)" });
  expect(segments.find(({ text }) => text === "curly")?.classes).toBe("t-underline");
  expect(segments.find(({ classes }) => classes.includes("b-default"))?.classes).toBe("f-default b-default");
  expect(segments.at(-1)?.color).toBe("rgb(1 2 3)");
});

test("a row of a megabyte is cut with a mark", () => {
  const segments = segmentsOf("w".repeat(1_000_000));
  expect(segments.at(-1)?.classes).toBe("cut");
  expect(segments.reduce((sum, { text }) => sum + text.length, 0)).toBeLessThan(5000);
});

test("rows that only moved up are found", () => {
  const rows = Array.from({ length: 50 }, (_, at) => `row ${at}`);
  expect(shiftOf(rows, rows)).toBe(0);
  expect(shiftOf(rows, [...rows.slice(7), "new"])).toBe(7);
  expect(shiftOf(rows, ["other"])).toBe(50);
  expect(shiftOf([], rows)).toBe(0);
});
