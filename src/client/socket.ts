/** The WebSocket that is handed in: a browser's own, or that of the `ws` package. */

export interface SocketLike {
  binaryType: string;
  send(data: Uint8Array): void;
  close(code?: number): void;
  addEventListener(type: "open" | "error", listener: () => void): void;
  addEventListener(type: "message", listener: (event: { readonly data: unknown }) => void): void;
  addEventListener(
    type: "close",
    listener: (event: { readonly code: number; readonly reason: string }) => void,
  ): void;
}

export type SocketConstructor = new (url: string, protocol: string) => SocketLike;
