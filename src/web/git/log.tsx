/** The branch's commits, latest first, further ones on demand. */
import { useEffect, useState } from "preact/hooks";
import { Link } from "wouter-preact";
import type { RpcResult } from "../../protocol/rpc.js";
import { call, messageOf } from "../link/call.js";
import { toGit } from "../routes.js";
import { S } from "../strings.js";
import { Button } from "../ui/button.js";
import { ageOf } from "../ui/time.js";

const PAGE = 50;
type Commit = RpcResult<"git.log">["commits"][number];

export function Log({ workspaceId }: { workspaceId: string }) {
  const [commits, setCommits] = useState<Commit[]>([]);
  const [state, setState] = useState<"more" | "busy" | "end">("busy");
  const [problem, setProblem] = useState("");
  const read = async (skip: number): Promise<void> => {
    setState("busy");
    try {
      const page = await call("git.log", { workspaceId, limit: PAGE, skip });
      setCommits((before) => [...before.slice(0, skip), ...page.commits]);
      setState(page.commits.length < PAGE ? "end" : "more");
    } catch (error) {
      setProblem(messageOf(error));
      setState("end");
    }
  };
  useEffect(() => {
    void read(0);
  }, [workspaceId]);
  return (
    <div class="scroll">
      {problem !== "" && <p class="empty problem">{problem}</p>}
      <ul class="entries">
        {commits.map(({ hash, subject, author, at, refs }) => (
          <li key={hash}>
            <Link class="entry commit" href={toGit(workspaceId, "commit", hash)}>
              <span class="path-name">
                <bdi class="entry-name">{subject}</bdi>
                <span class="path-folder">
                  <bdi>{author}</bdi> · {ageOf(at)} · <code>{hash.slice(0, 7)}</code>
                  {refs?.map((ref) => (
                    <span key={ref} class="tag">
                      {ref}
                    </span>
                  ))}
                </span>
              </span>
            </Link>
          </li>
        ))}
      </ul>
      {state === "busy" && <p class="empty">{S.loading}</p>}
      {state === "more" && (
        <Button kind="quiet" wide onClick={() => void read(commits.length)}>
          {S.showMore}
        </Button>
      )}
    </div>
  );
}
