// While the service starts, say what it waits for, and show the page again when it is ready.

import { fill, foreign, h } from "./dom.js";
import * as api from "./api.js";

const LOOK_MILLISECONDS = 2000;

/** Call `show` when a service that was not ready is. */
export async function watchReadiness(show) {
  const banner = document.getElementById("preparing");
  let hasWaited = false;
  for (;;) {
    const reason = await api.notReadyReason();
    if (reason === null) break;
    hasWaited = true;
    fill(banner, h("p", {}, h("strong", { text: "Preparing. " }), foreign(reason)));
    banner.hidden = false;
    await new Promise((resolve) => { setTimeout(resolve, LOOK_MILLISECONDS); });
  }
  banner.hidden = true;
  fill(banner);
  if (hasWaited) show();
}
