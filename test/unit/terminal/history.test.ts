import { describe, expect, test } from "vitest";
import type { RowCells } from "../../../src/terminal/cells.js";
import { History } from "../../../src/terminal/history.js";

/** A row that says its number, as the emulator's cells; `cols` wide. */
function cells(number: number, cols = 8): RowCells {
  const words = new Uint32Array(cols * 3);
  for (const [column, digit] of [...String(number)].entries()) {
    words[column * 3] = digit.charCodeAt(0) | (1 << 22);
  }
  return { words, combined: {}, extended: {} };
}

const PLACE = { wrapped: false, goesOn: false };

function filled(limit: number, rows: number): History {
  const history = new History(limit);
  for (let number = 0; number < rows; number++) {
    history.push(cells(number), PLACE);
  }
  return history;
}

function texts(history: History, start: number, end: number): string[] {
  const found: string[] = [];
  history.forEach(start, end, (ansi) => found.push(ansi));
  return found;
}

describe("the history of a terminal", () => {
  test.each([1, 5, 128, 129, 1000])("keeps the newest %i rows under their numbers", (limit) => {
    const history = filled(limit, 1500);
    expect([history.first, history.end]).toEqual([1500 - limit, 1500]);
    expect(history.at(1499)?.ansi).toBe("1499");
    expect(history.at(history.first)?.ansi).toBe(String(history.first));
    expect(history.at(history.first - 1)).toBeUndefined();
    expect(history.at(1500)).toBeUndefined();
    expect(texts(history, 0, 9999)).toHaveLength(limit);
  });

  test("takes rows back across blocks, and numbers the next ones on", () => {
    const history = filled(1000, 600);
    history.takeBack(300);
    expect(history.end).toBe(300);
    history.push(cells(7777), PLACE);
    expect(texts(history, 298, 400)).toEqual(["298", "299", "7777"]);
  });

  test("takes back no more than there is", () => {
    const history = filled(100, 250);
    history.takeBack(1000);
    expect([history.first, history.end]).toEqual([150, 150]);
    history.push(cells(1), PLACE);
    expect(texts(history, 0, 999)).toEqual(["1"]);
  });

  test("forgets everything when cleared and numbers on", () => {
    const history = filled(100, 250);
    history.clear();
    expect([history.first, history.end, history.hasCells]).toEqual([250, 250, false]);
    history.push(cells(250), PLACE);
    expect(history.at(250)?.ansi).toBe("250");
  });

  test("reads the same before and after its rows are drawn", () => {
    const history = filled(700, 1000);
    const before = texts(history, 0, 1000);
    while (history.hasCells) {
      history.draw(2);
    }
    expect(texts(history, 0, 1000)).toEqual(before);
    history.push(cells(1000), PLACE);
    expect(history.hasCells).toBe(true);
    expect(history.at(1000)?.ansi).toBe("1000");
  });

  test("holds rows of several widths", () => {
    const history = filled(1000, 100);
    for (let number = 100; number < 200; number++) {
      history.push(cells(number, 4 + (number % 7)), PLACE);
    }
    expect(texts(history, 0, 200)).toEqual(Array.from({ length: 200 }, (_, number) => String(number)));
  });

  test("remembers what goes on the row before", () => {
    const history = new History(10);
    const spaced = cells(12);
    spaced.words[6] = 0x20 | (1 << 22);
    history.push(spaced, { wrapped: false, goesOn: true });
    history.push(cells(3), { wrapped: true, goesOn: false });
    for (const drawn of [false, true]) {
      if (drawn) {
        history.draw(9);
      }
      expect(history.at(0)).toEqual({ ansi: "12", wrapped: false, gap: 1 });
      expect(history.at(1)).toEqual({ ansi: "3", wrapped: true, gap: 0 });
    }
  });
});
