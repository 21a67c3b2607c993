/** What the command line prints of the wire goes through the protocol's one way to show text. */
export { type PrintableOptions, printable, printableJson } from "../protocol/printable.js";
