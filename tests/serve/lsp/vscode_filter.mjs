// Does with the rows of a workspace/symbol answer what VS Code does before it shows them (symbolsQuickAccess), with VS Code's
// scorer. Reads {"scorer": path, "cases": [{"typed": query, "rows": [{"name", "container", "path"}]}]}; for each case, writes the
// numbers of the rows that VS Code drops: for the query as it is, and without `::`.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const input = JSON.parse(readFileSync(0, "utf-8"));
const { prepareQuery, pieceToQuery, scoreFuzzy2 } = await import(pathToFileURL(input.scorer));
const ICON = "$(symbol-class) ";

const fits = (text, query, from = 0) => typeof scoreFuzzy2(text, query, 0, from)[0] === "number";

function isKept(row, query) {
  const pieces = query.values ?? [];
  const own = pieces.length > 1 ? pieceToQuery(pieces[0]) : query;
  const label = ICON + row.name;
  if (own.original.length === 0) return true;
  if (own !== query && (fits(label, { ...query, values: undefined }, ICON.length) || fits(label, query, ICON.length))) return true;
  if (!fits(label, own, ICON.length)) return false;
  if (own === query) return true;
  return fits(row.container ? `${row.container} • ${row.path}` : row.path, pieceToQuery(pieces.slice(1)));
}

const dropped = (typed, rows) => rows.flatMap((row, number) => (isKept(row, prepareQuery(typed)) ? [] : [number]));
const results = input.cases.map(({ typed, rows }) => [dropped(typed, rows), dropped(typed.replaceAll("::", ""), rows)]);
process.stdout.write(JSON.stringify(results));
