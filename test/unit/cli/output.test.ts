import { expect, test } from "vitest";
import { Output, whenText } from "../../../src/cli/output.js";

class Page {
  text = "";
  readonly isTTY: boolean;
  readonly columns: number | undefined;
  constructor(columns?: number) {
    this.isTTY = columns !== undefined;
    this.columns = columns;
  }
  write(text: string): void {
    this.text += text;
  }
}

function pages(options: { json?: boolean; columns?: number; color?: boolean } = {}): {
  output: Output;
  out: Page;
  err: Page;
} {
  const out = new Page(options.columns);
  const err = new Page();
  const { json = false, color = false } = options;
  return { output: new Output({ json, out, err, color }), out, err };
}

test("a table has columns as wide as their cells, CJK and emoji counted as two", () => {
  const { output, out } = pages();
  output.table(
    ["NAME", "N"],
    [
      ["日本", "1"],
      ["🦀", "22"],
      ["plain", "3"],
    ],
  );
  expect(out.text).toBe("NAME   N\n日本   1\n🦀     22\nplain  3\n");
});

test("on a terminal the last column is cut to fit, elsewhere it is whole", () => {
  const long = "x".repeat(50);
  const narrow = pages({ columns: 20 });
  narrow.output.table(["A", "B"], [["one", long]]);
  for (const line of narrow.out.text.trimEnd().split("\n")) expect(line.length).toBeLessThanOrEqual(20);
  expect(narrow.out.text).toContain("…");
  const pipe = pages();
  pipe.output.table(["A", "B"], [["one", long]]);
  expect(pipe.out.text).toContain(long);
});

test("a cell from the wire can neither colour nor break the table", () => {
  const { output, out } = pages({ columns: 80, color: true });
  output.table(["A", "B"], [[{ text: "\x1b[31mred\n", style: "green" }, "last"]]);
  expect(out.text).toContain("␛[31mred␊");
  expect(out.text.split("\n")).toHaveLength(3);
  expect(out.text).not.toContain("\x1b[31m");
  expect(out.text).toContain("\x1b[32m");
});

test("without colour no escape is written", () => {
  const { output, out } = pages({ columns: 80 });
  output.table(["A"], [[{ text: "x", style: "red" }]]);
  expect(out.text).not.toContain("\x1b");
});

test("with --json there is one value a line and nothing else on standard output", () => {
  const { output, out, err } = pages({ json: true });
  output.line("for people");
  output.text("for people");
  output.table(["A"], [["1"]]);
  output.value({ a: "\u202e" });
  output.value([1]);
  output.note("beside");
  expect(out.text).toBe('{"a":"\\u202e"}\n[1]\n');
  expect(err.text).toBe("beside\n");
});

test("text ends with one newline, and nothing stays nothing", () => {
  const { output, out } = pages();
  output.text("a\nb");
  output.text("c\n");
  output.text("");
  expect(out.text).toBe("a\nb\nc\n");
});

test("a moment of today is a time, an older one a day too", () => {
  const now = new Date(2026, 4, 5, 18, 30).getTime();
  expect(whenText(new Date(2026, 4, 5, 7, 3).getTime(), now)).toBe("07:03");
  expect(whenText(new Date(2026, 4, 4, 7, 3).getTime(), now)).toBe("2026-05-04 07:03");
});
