/** A page that holds nothing but the client, for a test to drive. */
import { connectDevice, NexusClient, pairDevice } from "../../../src/client/index.js";

let client: NexusClient | undefined;

const nexus = {
  /** Pairs and connects; resolves with the code at once, the client follows when the owner approved. */
  async pair(link: string): Promise<string> {
    const pairing = await pairDevice({ link, name: "test page", kind: "phone", wants: [], WebSocket });
    void pairing.approved.then((record) => {
      client = new NexusClient({
        connect: connectDevice(record, { WebSocket, client: "test page" }),
      }).start();
    });
    return pairing.code;
  },
  state: () => client?.state.state,
  call: async (method: "sessions.list" | "terminal.open" | "terminal.input", params: never) =>
    await client?.call(method, params),
  /** Keeps the whole text of a watched terminal in `nexus.text`. */
  watch(tab: { workspaceId: string; tabId: string }): void {
    client?.watchTerminal(tab, {
      onChange: (text) => {
        nexus.text = text;
      },
    });
  },
  text: "",
};

export type ClientPage = typeof nexus;

Object.assign(globalThis, { nexus });
