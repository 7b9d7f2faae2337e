/** The members of a hit, below its row. */

import { fetchPart, problem } from "./fragments";

export function startMembers(): void {
  document.addEventListener("click", async (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
    const link = (event.target as Element).closest<HTMLAnchorElement>("a[data-members]");
    const row = link?.closest("li");
    if (!link || !row) return;
    event.preventDefault();
    const shown = row.querySelector(":scope > .members");
    link.setAttribute("aria-expanded", String(!shown));
    if (shown) {
      shown.remove();
      return;
    }
    const box = document.createElement("div");
    box.className = "members";
    row.append(box);
    try {
      box.append(await fetchPart(link.href, "members"));
    } catch (error) {
      box.append(problem(error));
    }
  });
}
