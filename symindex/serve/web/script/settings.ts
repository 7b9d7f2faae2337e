/** What a visitor has chosen. It is kept in this browser and never sent to the server. */

export interface Settings {
  theme: "system" | "light" | "dark";
  keys: boolean;
  hover: boolean;
  recent: boolean;
  editor: string;
}

const PLACE = "symindex.settings";

const DEFAULTS: Settings = { theme: "system", keys: true, hover: false, recent: true, editor: "" };

export function readSettings(): Settings {
  try {
    return { ...DEFAULTS, ...JSON.parse(localStorage.getItem(PLACE) ?? "{}") };
  } catch {
    return DEFAULTS; // the browser refuses storage, or somebody has changed it
  }
}

function writeSettings(settings: Settings): void {
  try {
    localStorage.setItem(PLACE, JSON.stringify(settings));
  } catch {
    announce("This browser does not keep settings");
  }
}

export function applyTheme(): void {
  document.documentElement.dataset.theme = readSettings().theme;
}

/** Says something to a screen reader. */
export function announce(text: string): void {
  const status = document.getElementById("status");
  if (status) status.textContent = text;
}

export function startSettings(): void {
  const form = document.getElementById("settings");
  if (!(form instanceof HTMLFormElement)) return;
  const settings = readSettings();
  for (const field of Array.from(form.elements)) {
    if (!(field instanceof HTMLInputElement)) continue;
    const value = settings[field.name as keyof Settings];
    if (field.type === "radio") field.checked = field.value === value;
    else if (field.type === "checkbox") field.checked = value === true;
    else field.value = String(value);
  }
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", () => {
    const given = new FormData(form);
    writeSettings({
      theme: (given.get("theme") ?? "system") as Settings["theme"],
      keys: given.has("keys"),
      hover: given.has("hover"),
      recent: given.has("recent"),
      editor: String(given.get("editor") ?? ""),
    });
    applyTheme();
    announce("Saved");
  });
}
