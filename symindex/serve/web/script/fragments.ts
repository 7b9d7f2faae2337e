/** Fetches parts of pages, which the server has rendered and escaped. */

/** Thrown if the server has no answer; the message is for the visitor. */
export class FetchError extends Error {}

/** Returns the address of a fragment of a page. */
export function partOf(href: string, part: string): string {
  const address = new URL(href, location.href);
  address.searchParams.set("part", part);
  address.hash = "";
  return address.href;
}

export async function fetchPart(href: string, part: string, signal?: AbortSignal): Promise<DocumentFragment> {
  let response: Response;
  try {
    response = await fetch(partOf(href, part), { signal, credentials: "same-origin" });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new FetchError("The server does not answer. Is `symindex web` still running?");
  }
  const text = await response.text();
  // Only what the server marks as its own: never the bytes of a file of a repository.
  if (response.headers.get("x-symindex-part") === "1") {
    const template = document.createElement("template");
    template.innerHTML = text;
    return template.content;
  }
  const page = new DOMParser().parseFromString(text, "text/html");
  const said = page.querySelector("main .problem")?.textContent ?? page.body.textContent ?? "";
  throw new FetchError(said.trim().replace(/\s+/g, " ").slice(0, 300) || "No answer");
}

/** Returns a paragraph that says what went wrong. */
export function problem(error: unknown): HTMLElement {
  const paragraph = document.createElement("p");
  paragraph.className = "problem";
  paragraph.textContent = error instanceof FetchError ? error.message : String(error);
  return paragraph;
}
