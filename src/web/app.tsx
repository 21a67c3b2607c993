/** What is on the screen: pairing, the lock, or the sessions with what was opened from them. */
import { Redirect, Route, Router, Switch, useLocation } from "wouter-preact";
import { useHashLocation } from "wouter-preact/use-hash-location";
import { FilesPage } from "./files/files-page.js";
import { GitPage } from "./git/git-page.js";
import { LinkBanner } from "./link/banner.js";
import { phase } from "./link/connection.js";
import { OwnerPage } from "./owner/owner-page.js";
import { LockPage } from "./pair/lock-page.js";
import { PairPage } from "./pair/pair-page.js";
import { RevokedPage } from "./pair/revoked-page.js";
import { unsegment } from "./routes.js";
import { SessionPage } from "./sessions/session-page.js";
import { SessionsPage } from "./sessions/sessions-page.js";
import { SettingsPage } from "./settings/settings-page.js";
import { S } from "./strings.js";
import { Toasts } from "./ui/toast.js";

export function App() {
  return (
    <>
      {phase.value === "unpaired" && <PairPage />}
      {phase.value === "locked" && <LockPage />}
      {phase.value === "revoked" && <RevokedPage />}
      {phase.value === "open" && (
        <Router hook={useHashLocation}>
          <Shell />
        </Router>
      )}
      <Toasts />
    </>
  );
}

function Shell() {
  const [location] = useLocation();
  return (
    <div class="shell" data-at={location === "/" ? "list" : "detail"}>
      <LinkBanner />
      <div class="list-pane">
        <SessionsPage />
      </div>
      <main class="detail-pane">
        <Switch>
          <Route path="/">
            <div class="nothing-picked">{S.stranger}</div>
          </Route>
          <Route path="/s/:workspaceId/:tabId">
            {({ workspaceId, tabId }) => (
              <SessionPage key={tabId} workspaceId={unsegment(workspaceId)} tabId={unsegment(tabId)} />
            )}
          </Route>
          <Route path="/w/:workspaceId/files/:path?">
            {({ workspaceId, path }) => (
              <FilesPage workspaceId={unsegment(workspaceId)} path={unsegment(path ?? "")} />
            )}
          </Route>
          <Route path="/w/:workspaceId/git/:view">
            {({ workspaceId, view }) => <GitPage workspaceId={unsegment(workspaceId)} view={view} of="" />}
          </Route>
          <Route path="/w/:workspaceId/git/:view/:of">
            {({ workspaceId, view, of }) => (
              <GitPage workspaceId={unsegment(workspaceId)} view={view} of={unsegment(of)} />
            )}
          </Route>
          <Route path="/settings">
            <SettingsPage />
          </Route>
          <Route path="/owner">
            <OwnerPage />
          </Route>
          <Route>
            <Redirect to="/" />
          </Route>
        </Switch>
      </main>
    </div>
  );
}
