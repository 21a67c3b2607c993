/** The end of a device that the owner revoked. */
import { forget } from "../link/connection.js";
import { S } from "../strings.js";
import { Button } from "../ui/button.js";

export function RevokedPage() {
  return (
    <main class="pair">
      <section class="pair-card stack" role="alert">
        <h1>{S.revokedTitle}</h1>
        <p class="lead">{S.revokedText}</p>
        <Button kind="primary" wide onClick={forget}>
          {S.pairTitle}
        </Button>
      </section>
    </main>
  );
}
