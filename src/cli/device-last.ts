/** `nexus --device NAME chat send …` as well as `nexus chat send … --device NAME`. */

/** The arguments with a leading --device put behind the verb's own, before a `--`. */
export function deviceLast(argv: readonly string[]): string[] {
  const [node = "", program = "", first = "", ...rest] = argv;
  const joined = first.startsWith("--device=");
  if (first !== "--device" && !joined) return [...argv];
  const device = joined ? [first] : [first, ...rest.slice(0, 1)];
  const others = joined ? rest : rest.slice(1);
  const end = others.indexOf("--");
  const at = end === -1 ? others.length : end;
  return [node, program, ...others.slice(0, at), ...device, ...others.slice(at)];
}
