/**
 * Markdown as elements: marked reads it into tokens, and each token becomes an
 * element here. HTML in it shows as the text it is, pictures become links, and a
 * block that did not change is not drawn again while the text grows.
 */
import { marked, type Token, type Tokens } from "marked";
import type { ComponentChildren } from "preact";
import { memo } from "preact/compat";
import { useMemo } from "preact/hooks";
import { MAX_MARKDOWN_CHARS } from "../limits.js";
import { CodeBlock } from "./code.js";
import { decodeReferences, safeHref } from "./safe-link.js";

export function Markdown({ text }: { text: string }) {
  const tokens = useMemo(() => (text.length > MAX_MARKDOWN_CHARS ? undefined : marked.lexer(text)), [text]);
  if (tokens === undefined) return <pre class="plain-text">{text}</pre>;
  return (
    <div class="markdown" dir="auto">
      {tokens.map((token, index) => (
        <Block key={index} token={token} />
      ))}
    </div>
  );
}

/** The source of a block says all of it, links' definitions aside. */
const Block = memo(
  ({ token }: { token: Token }) => <>{blockOf(token)}</>,
  (before, after) => before.token.type === after.token.type && before.token.raw === after.token.raw,
);

function blockOf(token: Token): ComponentChildren {
  switch (token.type) {
    case "space":
    case "def":
      return null;
    case "heading":
      return headingOf(token as Tokens.Heading);
    case "paragraph":
      return <p>{inline(token)}</p>;
    case "code":
      return (
        <CodeBlock
          code={(token as Tokens.Code).text}
          word={((token as Tokens.Code).lang ?? "").split(/\s/, 1)[0] ?? ""}
        />
      );
    case "blockquote":
      return <blockquote>{blocks(token)}</blockquote>;
    case "list":
      return listOf(token as Tokens.List);
    case "hr":
      return <hr />;
    case "table":
      return tableOf(token as Tokens.Table);
    case "html":
      return <p class="raw">{token.raw}</p>;
    default:
      return <p>{inline(token)}</p>;
  }
}

function blocks(token: Token): ComponentChildren {
  return (token as Tokens.Generic).tokens?.map((child, index) => <Block key={index} token={child} />);
}

/** A chat's headings stand under the page's own. */
function headingOf(token: Tokens.Heading): ComponentChildren {
  const Tag = `h${Math.min(6, token.depth + 2)}` as "h3" | "h4" | "h5" | "h6";
  return <Tag class={`depth-${token.depth}`}>{inline(token)}</Tag>;
}

function listOf(list: Tokens.List): ComponentChildren {
  const items = list.items.map((item, index) => (
    <li key={index} class={item.task ? "task-item" : ""}>
      {item.task && <input type="checkbox" checked={item.checked === true} disabled aria-label={item.text} />}
      {item.tokens.map((token, at) =>
        token.type === "text" ? <span key={at}>{inline(token)}</span> : <Block key={at} token={token} />,
      )}
    </li>
  ));
  return list.ordered ? <ol start={list.start === "" ? 1 : list.start}>{items}</ol> : <ul>{items}</ul>;
}

function tableOf(table: Tokens.Table): ComponentChildren {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
    <div class="table-frame" tabIndex={0}>
      <table>
        <thead>
          <tr>
            {table.header.map((cell, index) => (
              <th key={index} class={cell.align ?? ""}>
                {cell.tokens.map(spanOf)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {table.rows.map((row, at) => (
            <tr key={at}>
              {row.map((cell, index) => (
                <td key={index} class={cell.align ?? ""}>
                  {cell.tokens.map(spanOf)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function inline(token: Token): ComponentChildren {
  const children = (token as Tokens.Generic).tokens;
  return children === undefined ? decodeReferences((token as Tokens.Text).text) : children.map(spanOf);
}

function spanOf(token: Token, key: number): ComponentChildren {
  switch (token.type) {
    case "strong":
      return <strong key={key}>{inline(token)}</strong>;
    case "em":
      return <em key={key}>{inline(token)}</em>;
    case "del":
      return <del key={key}>{inline(token)}</del>;
    case "codespan":
      return <code key={key}>{(token as Tokens.Codespan).text}</code>;
    case "br":
      return <br key={key} />;
    case "link":
      return (
        <SafeLink key={key} href={(token as Tokens.Link).href}>
          {inline(token)}
        </SafeLink>
      );
    case "image":
      return (
        <SafeLink key={key} href={(token as Tokens.Image).href}>
          {(token as Tokens.Image).text || (token as Tokens.Image).href}
        </SafeLink>
      );
    case "escape":
      return (token as Tokens.Escape).text;
    case "html":
      return token.raw;
    default:
      return inline(token);
  }
}

function SafeLink({ href, children }: { href: string; children: ComponentChildren }) {
  const safe = safeHref(href);
  if (safe === undefined)
    return (
      <span class="dead-link" title={href}>
        {children}
      </span>
    );
  return (
    <a href={safe} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  );
}
