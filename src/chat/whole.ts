/** What pages show clipped or not at all: whole results and images, from the chat's blobs or the agent's own log. */
import { notFound, unavailable } from "../protocol/errors.js";
import type { RpcParams, RpcResult } from "../protocol/rpc.js";
import type { ViewToolCall } from "../protocol/view.js";
import type { Blobs } from "./blobs.js";
import type { AgentDriver, ImageData, PastPlace } from "./driver.js";
import type { ImageShrinker } from "./images.js";
import type { ChatItems } from "./items.js";
import { KEPT_RESULT_CHARS } from "./limits.js";
import { scrubText } from "./scrub.js";
import { head } from "./text.js";

export interface WholeDeps {
  readonly items: ChatItems;
  readonly blobs: Blobs;
  readonly driver: AgentDriver;
  readonly place: PastPlace;
  readonly images: ImageShrinker;
  readonly secrets: readonly string[];
  readonly sessionId: () => string | undefined;
}

type ImageRef = RpcParams<"chat.image">["ref"];

export class Whole {
  readonly #deps: WholeDeps;

  constructor(deps: WholeDeps) {
    this.#deps = deps;
  }

  /** One call with as much of its result as is kept anywhere; NotFound for an unknown one. */
  async tool(toolUseId: string): Promise<ViewToolCall> {
    const { items, blobs, secrets } = this.#deps;
    const call = items.tools.get(toolUseId);
    if (call === undefined) throw notFound("tool call");
    if (call.result?.truncated !== true) return call;
    const text = (await blobs.text(toolUseId)) ?? (await this.#recall(toolUseId))?.text;
    if (text === undefined) return call;
    const kept = head(text, KEPT_RESULT_CHARS);
    const { truncated: _truncated, ...result } = call.result;
    const cut = kept.length < text.length ? { truncated: true } : {};
    return { ...call, result: { ...result, text: scrubText(kept, secrets), ...cut } };
  }

  /** An image, small enough for a frame. */
  async image(ref: ImageRef): Promise<RpcResult<"chat.image">> {
    const { items, blobs, images } = this.#deps;
    const owner = ref.kind === "user" ? ref.itemKey : ref.toolUseId;
    const shown = ref.kind === "user" ? items.get(owner) : items.tools.get(owner)?.result;
    const listed = shown !== undefined && "images" in shown ? shown.images : undefined;
    if (listed?.[ref.index] === undefined) throw notFound("image");
    const image = (await blobs.image(owner, ref.index)) ?? (await this.#recallImage(ref, owner));
    if (image === undefined) throw unavailable("The image is gone from the agent's own log");
    const small = await images.shrink(image.data);
    return { ...small, data: small.data.toString("base64") };
  }

  async #recall(toolUseId: string) {
    const sessionId = this.#deps.sessionId();
    if (sessionId === undefined) return undefined;
    return this.#deps.driver.recall(this.#deps.place, sessionId, toolUseId);
  }

  async #recallImage(ref: ImageRef, owner: string): Promise<ImageData | undefined> {
    if (ref.kind === "tool") return (await this.#recall(owner))?.images[ref.index];
    const sessionId = this.#deps.sessionId();
    if (sessionId === undefined) return undefined;
    return (await this.#deps.driver.recallMessage(this.#deps.place, sessionId, owner))?.[ref.index];
  }
}
