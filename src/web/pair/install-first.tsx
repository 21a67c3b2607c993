/** iPhones keep an installed page apart from the browser's: install, then pair, then notices. */
import { S } from "../strings.js";
import { Button } from "../ui/button.js";
import { copyText } from "../ui/copy.js";

export function InstallFirst({ link, onAnyway }: { link: string; onAnyway: () => void }) {
  return (
    <section class="stack">
      <h1>{S.iosTitle}</h1>
      <ol class="steps">
        {S.iosSteps.map((step) => (
          <li key={step}>{step}</li>
        ))}
      </ol>
      <p class="lead">{S.iosWhy}</p>
      <Button kind="primary" wide onClick={() => copyText(link)}>
        {S.iosCopy}
      </Button>
      <Button wide onClick={onAnyway}>
        {S.iosAnyway}
      </Button>
    </section>
  );
}
