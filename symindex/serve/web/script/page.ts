/** The script of all pages. Without it, everything but live search, cards in place and keys works. */

import { startCards } from "./card";
import { startDock } from "./dock";
import { startFile } from "./file";
import { startKeys } from "./keys";
import { startLive } from "./live";
import { startMembers } from "./members";
import { applyTheme, startSettings } from "./settings";

applyTheme();
document.documentElement.classList.add("with-script");
startLive();
startCards();
startDock();
startFile();
startMembers();
startKeys();
startSettings();

const filter = document.querySelector<HTMLInputElement>("[data-filter]");
filter?.addEventListener("input", () => {
  for (const row of Array.from(document.querySelectorAll<HTMLElement>("[data-name]"))) {
    row.hidden = !row.dataset.name?.toLowerCase().includes(filter.value.toLowerCase());
  }
});
