-- Drives the language server from Neovim as a user does, and writes what the editor shows as JSON.
--
--   SERVER='["analyze", "--lsp"]' OUT=out.json LINE=32 nvim --headless -u NONE -i NONE -n a.c -S neovim.lua
--
-- LINE: the loop whose hover is opened and whose change is made. The changed text is written to the file.

local out = { messages = {} }
local buffer = vim.api.nvim_get_current_buf()
local line = tonumber(vim.env.LINE)

local function finish()
  local file = assert(io.open(vim.env.OUT, 'w'))
  file:write(vim.fn.json_encode(out))
  file:close()
  vim.cmd('qall!')
end

local function wait(what, is_there)
  if not vim.wait(60000, is_there, 20) then
    out.failed = 'no ' .. what
    finish()
  end
end

local function lenses()
  local found = {}
  for _, lens in ipairs(vim.lsp.codelens.get(buffer)) do
    found[#found + 1] = { lens.range.start.line + 1, lens.command.title }
  end
  return found
end

local function diagnostics()
  local found = {}
  for _, d in ipairs(vim.diagnostic.get(buffer)) do
    found[#found + 1] = { d.lnum + 1, d.col + 1, d.source, d.user_data and d.user_data.lsp.code or d.code, d.severity, d.message }
  end
  return found
end

local published = 0
local usual = vim.lsp.handlers['textDocument/publishDiagnostics']
local client = vim.lsp.start_client({
  name = 'boathull',
  cmd = vim.fn.json_decode(vim.env.SERVER),
  root_dir = vim.fn.getcwd(),
  handlers = {
    ['textDocument/publishDiagnostics'] = function(...)
      usual(...)
      published = published + 1
    end,
    ['window/logMessage'] = function(_, result)
      table.insert(out.messages, result.message)
    end,
  },
  on_exit = function(code)
    out.exit_code = code
  end,
})
vim.lsp.buf_attach_client(buffer, client)

wait('diagnostics', function() return published > 0 end)
out.diagnostics = diagnostics()

vim.lsp.codelens.refresh()
wait('code lens', function() return #vim.lsp.codelens.get(buffer) > 0 end)
out.lenses = lenses()

local function floating()
  for _, window in ipairs(vim.api.nvim_list_wins()) do
    if vim.api.nvim_win_get_config(window).relative ~= '' then
      return window
    end
  end
end

local column = #vim.fn.matchstr(vim.fn.getline(line), [[^\s*]])
vim.api.nvim_win_set_cursor(0, { line, column })
vim.lsp.buf.hover()
wait('hover', floating)
out.hover = vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(floating()), 0, -1, false)
vim.api.nvim_win_close(floating(), true)

vim.ui.select = function(items, options, choose) -- the first one is taken
  out.offered = {}
  for _, item in ipairs(items) do
    local title = options.format_item(item)
    table.insert(out.offered, title)
  end
  choose(items[1])
end
local before, changed = published, vim.api.nvim_buf_get_changedtick(buffer)
vim.api.nvim_win_set_cursor(0, { line, column })
vim.lsp.buf.code_action()
wait('change', function() return vim.api.nvim_buf_get_changedtick(buffer) > changed end)
wait('diagnostics of the change', function() return published > before end)
out.diagnostics_after = diagnostics()
vim.cmd('write')

before = published
vim.api.nvim_buf_set_lines(buffer, 0, 0, false, { 'void broken( {' })
wait('diagnostics of a broken text', function() return published > before end)
out.diagnostics_broken = diagnostics()

vim.lsp.stop_client(client)
wait('end of the server', function() return out.exit_code ~= nil end)
finish()
