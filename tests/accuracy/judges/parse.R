# R's own parser: the first assignment of each name outside functions, and named functions in functions.
quoted <- function(text) paste0("\"", gsub("\"", "\\\\\"", gsub("\\", "\\\\", text, fixed = TRUE)), "\"")
for (path in readLines(file("stdin"))) {
  tree <- tryCatch(parse(path, keep.source = TRUE, encoding = "UTF-8"), error = function(e) NULL)
  if (is.null(tree)) {
    cat(sprintf("{\"path\":%s,\"error\":\"syntax\"}\n", quoted(path)))
    next
  }
  seen <- character()
  put <- function(line, name, kind, top) {
    if (top && kind != "function" && name %in% seen) return()
    if (top) seen <<- c(seen, name)
    cat(sprintf("{\"path\":%s,\"line\":%d,\"name\":%s,\"kind\":\"%s\"}\n", quoted(path), line, quoted(name), kind))
  }
  data <- getParseData(tree)
  if (is.null(data) || !nrow(data)) next
  parents <- setNames(data$parent, data$id)
  functions <- data$parent[data$token == "FUNCTION" | data$token == "'\\\\'"]
  inside <- function(id) {
    while (id > 0) { if (id %in% functions) return(TRUE); id <- parents[[as.character(id)]] }
    FALSE
  }
  for (row in which(data$token %in% c("LEFT_ASSIGN", "EQ_ASSIGN"))) {
    siblings <- data[data$parent == data$parent[row], ]
    siblings <- siblings[order(siblings$line1, siblings$col1), ]
    at <- which(siblings$id == data$id[row])
    if (at < 2 || at == nrow(siblings)) next
    left <- data[data$parent == siblings$id[at - 1], ]
    value <- data[data$parent == siblings$id[at + 1], ]
    is_function <- any(value$token %in% c("FUNCTION", "'\\\\'"))
    if (nrow(left) == 1 && left$token %in% c("SYMBOL", "STR_CONST")) {
      name <- gsub("^[`\"']|[`\"']$", "", left$text)
      local <- inside(data$parent[row])
      if (is_function || !local) put(left$line1, name, if (is_function) "function" else "variable", !local)
    }
  }
}
