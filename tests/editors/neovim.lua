-- Scenarios for Neovim. This runs after the page's configuration; `vim.env.SYMINDEX_SCENARIO` names one of the functions
-- below, whose result is written as JSON to `vim.env.SYMINDEX_RESULT`.

local SECONDS = 40
local scenarios = {}
local progress = {} -- the kinds of progress received, in order
local first = {} -- the first message of each kind

vim.api.nvim_create_autocmd("LspProgress", {
  callback = function(event)
    local value = event.data.params.value
    table.insert(progress, value.kind)
    first[value.kind] = first[value.kind] or vim.deepcopy(value)
  end,
})

local function wait(what, condition)
  if not vim.wait(SECONDS * 1000, condition, 20) then
    error("waited in vain for " .. what)
  end
end

local function ended()
  return vim.tbl_contains(progress, "end")
end

local function client()
  return vim.lsp.get_clients({ name = "symindex" })[1]
end

local function open(path)
  vim.cmd.edit(path)
  wait("the server", function()
    return #vim.lsp.get_clients({ name = "symindex", bufnr = 0 }) == 1 and client().initialized
  end)
end

local function relative(name)
  local from = name:find("tree", 1, true)
  return from and name:sub(from) or name
end

-- Returns the list that `fill` shows to the user, each row as file:line:column text. If older queries fill it as well, the last
-- answer's list counts.
local function list(fill)
  vim.fn.setqflist({}, "r")
  vim.fn.setloclist(0, {}, "r")
  local window = vim.api.nvim_get_current_win()
  local before = vim.api.nvim_exec2("messages", { output = true }).output
  local is_alone = vim.tbl_isempty(client().requests)
  fill()
  wait("a list", function()
    return vim.tbl_isempty(client().requests)
      and (
        #vim.fn.getqflist() + #vim.fn.getloclist(window) > 0
        or vim.api.nvim_exec2("messages", { output = true }).output ~= before
      )
  end)
  if not is_alone then
    vim.wait(200) -- an answer is shown a moment after it arrives
  end
  local rows = {}
  for _, items in ipairs({ vim.fn.getqflist(), vim.fn.getloclist(window) }) do
    for _, item in ipairs(items) do
      table.insert(rows, ("%s:%d:%d %s"):format(relative(vim.fn.bufname(item.bufnr)), item.lnum, item.col, item.text))
    end
  end
  vim.cmd("silent! cclose")
  vim.cmd("silent! lclose")
  return rows
end

local function symbols(query)
  return list(function()
    vim.lsp.buf.workspace_symbol(query)
  end)
end

local function ask(query)
  local answer, problem = client():request_sync("workspace/symbol", { query = query }, SECONDS * 1000, 0)
  assert(answer, problem)
  assert(not answer.err, vim.inspect(answer.err))
  return answer.result or {}
end

-- Queries until exactly the expected files contain the name: the server must notice changes on the disk by itself.
local function wait_for(name, expected)
  local found
  wait(name .. " in " .. vim.inspect(expected), function()
    found = {}
    for _, row in ipairs(ask(name)) do
      if row.name == name then
        table.insert(found, relative(vim.uri_to_fname(row.location.uri)))
      end
    end
    table.sort(found)
    return vim.deep_equal(found, expected)
  end)
  return found
end

local function messages()
  return vim.api.nvim_exec2("messages", { output = true }).output
end

local function write(path, text)
  vim.fn.mkdir(vim.fs.dirname(path), "p")
  local file = assert(io.open(path, "w"))
  file:write(text)
  file:close()
end

-- The server starts, shows its progress, and fills the lists.
function scenarios.find()
  open("src/auth.py")
  wait("the end of the indexing", ended)
  local result = { progress = progress, begin = first.begin, finish = first["end"] }
  result.workspace = symbols("AuthService")
  result.qualified = symbols("AuthService.login")
  result.other_language = symbols("ParseHeader")
  result.letters = symbols("ahsv")
  result.empty = #symbols("")
  result.outline = list(function()
    vim.api.nvim_feedkeys("gO", "mx", false)
  end)
  result.before = messages()
  result.nothing = symbols("zqzqzq")
  result.messages = messages()
  return result
end

-- Unsaved text is found; discarded text is not.
function scenarios.unsaved()
  open("src/auth.py")
  wait("the end of the indexing", ended)
  local result = {}
  vim.api.nvim_buf_set_lines(0, 0, 0, false, { "# 😀", "class UnsavedThing: pass", "s = '😀'; MiddleOfLine = 1" })
  result.added = symbols("UnsavedThing")
  result.moved = symbols("AuthService")
  vim.cmd("normal! ggjwciwRenamedThing")
  result.renamed = symbols("RenamedThing")
  result.moved_again = symbols("AuthService")
  result.gone = wait_for("UnsavedThing", {})
  result.outline = list(vim.lsp.buf.document_symbol)
  vim.cmd("edit!")
  result.thrown_away = wait_for("RenamedThing", {})
  result.back = symbols("AuthService")
  vim.cmd("normal! ggOclass SavedThing: pass")
  vim.cmd("silent write")
  result.saved = symbols("SavedThing")
  vim.cmd("bdelete")
  open("src/http.go")
  result.closed = symbols("SavedThing")
  return result
end

-- Files change on the disk while Neovim runs.
function scenarios.disk()
  open("src/auth.py")
  wait("the end of the indexing", ended)
  local tree = vim.fn.getcwd()
  local result = {}
  write(tree .. "/src/new.py", "class CreatedOutside: pass\n")
  result.created = wait_for("CreatedOutside", { "tree/src/new.py" })
  assert(os.rename(tree .. "/src/new.py", tree .. "/src/other.py"))
  result.renamed = wait_for("CreatedOutside", { "tree/src/other.py" })
  write(tree .. "/src/other.py", "\n\nclass ChangedOutside: pass\n")
  result.changed = wait_for("ChangedOutside", { "tree/src/other.py" })
  result.list = symbols("ChangedOutside")
  assert(os.remove(tree .. "/src/other.py"))
  result.deleted = wait_for("ChangedOutside", {})
  assert(os.rename(tree .. "/lib", tree .. "/moved"))
  result.folder = wait_for("InFolder", { "tree/moved/deep/one.py" })
  result.folder_list = symbols("InFolder")
  write(tree .. "/.gitignore", "moved/\n")
  result.ignored = wait_for("InFolder", {})
  result.messages = messages()
  return result
end

-- A second folder is added and removed.
function scenarios.folders()
  open("src/auth.py")
  wait("the end of the indexing", ended)
  local result = {}
  local second = vim.env.SYMINDEX_SECOND
  result.without = wait_for("OnlyInSecond", {})
  vim.lsp.buf.add_workspace_folder(second)
  result.with = wait_for("OnlyInSecond", { "tree2/second.go" })
  result.list = symbols("OnlyInSecond")
  result.both = symbols("AuthService")
  result.names = vim.tbl_map(relative, vim.lsp.buf.list_workspace_folders())
  vim.lsp.buf.remove_workspace_folder(second)
  result.removed = wait_for("OnlyInSecond", {})
  result.messages = messages()
  return result
end

-- Queries while the tree is first read; some of them are cancelled.
function scenarios.early()
  open("package0/module0.py")
  local result = { answers = {} }
  result.early = symbols("TheOneThatIsSought")
  result.ended_before_first = ended()
  -- A newer query ends the older one, without a message to the user.
  for number = 1, 5 do
    vim.lsp.buf.workspace_symbol("function_" .. number)
  end
  result.after_burst = symbols("TheOneThatIsSought")
  -- A query that Neovim itself cancels.
  local _, id = client():request("workspace/symbol", { query = "function" }, function(problem, rows)
    table.insert(result.answers, problem and problem.code or #rows)
  end)
  client():cancel_request(id)
  result.after_cancel = symbols("TheOneThatIsSought")
  wait("the end of the indexing", ended)
  result.complete = symbols("function_199_in_119")
  result.pending = vim.tbl_count(client().requests)
  result.messages = messages()
  return result
end

-- The user cancels the indexing; queries are still answered.
function scenarios.cancelled()
  local token
  vim.api.nvim_create_autocmd("LspProgress", {
    callback = function(event)
      token = token or event.data.params.token
    end,
  })
  open("package0/module0.py")
  wait("progress", function()
    return token ~= nil
  end)
  client():notify("window/workDoneProgress/cancel", { token = token })
  wait("the end of the indexing", ended)
  local result = { finish = first["end"].message, found = symbols("TheOneThatIsSought") }
  client():request_sync("workspace/executeCommand", { command = "symindex.reindex" }, SECONDS * 1000, 0)
  wait("a second run", function()
    return #vim.tbl_filter(function(kind)
      return kind == "end"
    end, progress) == 2
  end)
  result.again = symbols("function_199_in_119")
  result.messages = messages()
  return result
end

-- Servers that already run, one over TCP and then one at a socket.
function scenarios.shared()
  local result = {}
  open("src/auth.py")
  wait("the end of the indexing", ended)
  result.tcp = symbols("AuthService")
  local before = client()
  before:stop()
  wait("the end of the connection", function()
    return before:is_stopped()
  end)
  assert(load(vim.env.SYMINDEX_AT_SOCKET))()
  open("src/http.go")
  result.socket = symbols("ParseHeader")
  result.messages = messages()
  return result
end

-- The server stops, and Neovim keeps running.
function scenarios.stop()
  open("src/auth.py")
  wait("the end of the indexing", ended)
  local exit
  vim.api.nvim_create_autocmd("LspDetach", {
    callback = function()
      exit = true
    end,
  })
  local stopped = client()
  stopped:stop()
  wait("the end of the server", function()
    return exit and stopped:is_stopped()
  end)
  return { messages = messages() }
end

-- The session that is recorded for fixtures/lsp, which leaves the disk unchanged.
function scenarios.record()
  open("src/auth.py")
  wait("the end of the indexing", ended)
  for _, query in ipairs({ "AuthService", "AuthService.login", "ParseHeader", "ahsv", "" }) do
    symbols(query)
  end
  list(vim.lsp.buf.document_symbol)
  vim.api.nvim_buf_set_lines(0, 0, 0, false, { "# 😀", "class UnsavedThing: pass", "s = '😀'; MiddleOfLine = 1" })
  symbols("UnsavedThing")
  vim.cmd("normal! ggjwciwRenamedThing")
  symbols("RenamedThing")
  symbols("UnsavedThing")
  list(vim.lsp.buf.document_symbol)
  vim.lsp.buf.workspace_symbol("b")
  local _, id = client():request("workspace/symbol", { query = "l" }, function() end)
  client():cancel_request(id)
  symbols("Basket")
  vim.cmd("edit!")
  open("src/http.go")
  vim.cmd("bdelete! auth.py")
  symbols("RenamedThing")
  return { done = true }
end

-- Waits to be killed.
function scenarios.stay()
  open("src/auth.py")
  wait("the end of the indexing", ended)
  write(vim.env.SYMINDEX_RESULT, "{}")
  vim.wait(SECONDS * 1000, function()
    return false
  end)
end

local function run()
  local done, result = xpcall(scenarios[vim.env.SYMINDEX_SCENARIO], debug.traceback)
  write(vim.env.SYMINDEX_RESULT, done and vim.json.encode(result) or (result .. "\n" .. messages()))
  vim.cmd(done and "qall!" or "cquit")
end

vim.api.nvim_create_autocmd("VimEnter", { callback = vim.schedule_wrap(run) })
