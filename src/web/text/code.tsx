/** Code, coloured when its language is here. Its tree becomes elements; no HTML is ever parsed. */
import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { MAX_HIGHLIGHT_CHARS } from "../limits.js";
import { S } from "../strings.js";
import { IconButton } from "../ui/button.js";
import { copyText } from "../ui/copy.js";
import { highlighter, languageOf, loadLanguage } from "./languages.js";

type Tree = ReturnType<typeof highlighter.highlight>;
type Node = Tree["children"][number];

/** The coloured text of `code`; plain until its language was loaded. */
export function Highlighted({ code, language }: { code: string; language: string | undefined }) {
  const wanted = code.length <= MAX_HIGHLIGHT_CHARS ? language : undefined;
  const [loaded, setLoaded] = useState(wanted !== undefined && highlighter.registered(wanted));
  useEffect(() => {
    if (wanted === undefined) return;
    let alive = true;
    loadLanguage(wanted).then(
      () => alive && setLoaded(true),
      () => undefined, // without its colours it is still the code
    );
    return () => {
      alive = false;
    };
  }, [wanted]);
  const colored = useMemo(() => {
    if (wanted === undefined || !loaded || !highlighter.registered(wanted)) return code;
    return highlighter.highlight(wanted, code).children.map(elementOf);
  }, [code, wanted, loaded]);
  return <>{colored}</>;
}

function elementOf(node: Node, key: number): ComponentChildren {
  if (node.type === "text") return node.value;
  if (node.type !== "element") return null;
  const { className } = node.properties;
  return (
    <span key={key} class={Array.isArray(className) ? className.join(" ") : ""}>
      {node.children.map((child, index) => elementOf(child as Node, index))}
    </span>
  );
}

export function CodeBlock({ code, word }: { code: string; word: string }) {
  return (
    <figure class="code-block">
      <figcaption>
        <span>{word}</span>
        <IconButton icon="copy" label={S.copy} onClick={() => copyText(code)} />
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys */}
      <pre tabIndex={0}>
        <code>
          <Highlighted code={code} language={languageOf(word)} />
        </code>
      </pre>
    </figure>
  );
}
