/** The floor: a plain node-pty whose bytes go to a plain WebSocket as they come, with backpressure. */
import pty from "node-pty";
import { WebSocketServer } from "ws";

const HIGH_BYTES = 1 << 20;

const server = new WebSocketServer({ port: 0, host: "127.0.0.1", perMessageDeflate: false });
server.on("listening", () => process.send({ port: server.address().port }));
server.on("connection", (socket) => {
  const shell = pty.spawn("/bin/bash", ["--norc"], { cols: 120, rows: 40, encoding: null, env: process.env });
  shell.onData((data) => {
    socket.send(data, () => {
      if (socket.bufferedAmount < HIGH_BYTES) shell.resume();
    });
    if (socket.bufferedAmount > HIGH_BYTES) shell.pause();
  });
  socket.on("message", (data) => shell.write(data.toString()));
  socket.on("close", () => shell.kill("SIGKILL"));
});
process.on("disconnect", () => process.exit());
