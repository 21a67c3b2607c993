/** A screen whose events nobody listens to, but those that a test names. */
import { Screen, type ScreenEvents, type ScreenOptions } from "../../src/terminal/screen.js";

const NOTHING = () => undefined;

export function quietScreen(
  options: Partial<ScreenOptions> = {},
  events: Partial<ScreenEvents> = {},
): Screen {
  return new Screen(
    { cols: 80, rows: 24, reply: NOTHING, ...options },
    { title: NOTHING, bell: NOTHING, notify: NOTHING, mark: NOTHING, parsed: NOTHING, ...events },
  );
}

/** Writes text and waits until it is on the screen. */
export async function show(screen: Screen, ...texts: readonly string[]): Promise<void> {
  for (const text of texts) {
    screen.write(Buffer.from(text));
  }
  await screen.settled();
}
