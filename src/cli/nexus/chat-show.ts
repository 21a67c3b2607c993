/** nexus chat read and watch: a chat's items as text. */
import type { ChatState } from "../../client/apply.js";
import type { CommonOptions } from "../command.js";
import { withClient } from "../connect.js";
import { createOutput, type Output } from "../output.js";
import { untilStopped } from "../until-stopped.js";
import { itemText } from "./chat-text.js";
import { chatTab, refOf } from "./chat-verbs.js";

export async function read(tab: string, options: CommonOptions & { limit?: number }): Promise<void> {
  const output = createOutput(options);
  const { limit } = options;
  await withClient(options, async (session) => {
    const ref = refOf(await chatTab(session, tab));
    const page = await session.client.call(
      "chat.read",
      { ...ref, ...(limit !== undefined && { limit }) },
      session.call,
    );
    output.value(page);
    for (const item of page.items) showText(output, itemText(item, page.tools));
    for (const request of page.status.requests) output.line(`? ${request.title} (${request.requestId})`);
  });
}

export async function watch(tab: string, options: CommonOptions): Promise<void> {
  const output = createOutput(options);
  const { timeout } = options;
  await withClient({ ...options, timeout: undefined, retry: true }, async (session) => {
    const ref = refOf(await chatTab(session, tab));
    const printer = new Printer(output);
    await untilStopped(timeout, (stop) => {
      const handle = session.client.watchChat(ref, {
        onChange: (state) => printer.show(state),
        onError: (error, final) => {
          if (final) stop(error);
        },
      });
      return () => handle.close();
    });
  });
}

/** Each item once, when it is whole; each question once. */
class Printer {
  readonly #output: Output;
  readonly #shown = new Set<string>();

  constructor(output: Output) {
    this.#output = output;
  }

  show({ items, tools, status }: ChatState): void {
    for (const item of items) {
      const runs =
        item.kind === "tool" && ["pending", "asking", "running"].includes(tools[item.toolUseId]?.state ?? "");
      const grows = "streaming" in item && item.streaming === true;
      if (runs || grows || this.#shown.has(item.key)) continue;
      this.#shown.add(item.key);
      this.#output.value({ item });
      showText(this.#output, itemText(item, tools));
    }
    for (const request of status.requests) {
      if (this.#shown.has(request.requestId)) continue;
      this.#shown.add(request.requestId);
      this.#output.value({ request });
      this.#output.line(`? ${request.title} (${request.requestId})`);
    }
  }
}

function showText(output: Output, text: string): void {
  if (text !== "") output.text(text);
}
