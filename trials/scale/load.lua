-- wrk sends conversations of BODIES, a file with one in a line: SESSIONS of them in each thread that go on by one result a turn, or, where KIND is "new", each but once.
-- A thread has one connection, so that no turn is sent before the one before it is answered.
local talks = {}
for line in io.lines(os.getenv("BODIES")) do talks[#talks + 1] = line end
local is_new, sessions, mark = os.getenv("KIND") == "new", tonumber(os.getenv("SESSIONS")), os.getenv("MARK")
local at, told = 0, {}
local line = "2026-01-01T00:%02d:%02dZ INFO worker %d finished batch %d in %d ms\\n"

local threads = 0

function setup(thread)
  threads = threads + 1
  thread:set("name", threads)
  thread:set("number", 1000000000 + threads * 1000000)
end

-- A conversation so far, without the end of its body: few copies of a long text are made for each request.
local function begun()
  -- A mark in every result: with another number in its place, all of them are new.
  local text = talks[number % #talks + 1]:gsub(mark, string.format("%d", number))
  return text:sub(1, -3)
end

local function gone_on(text)
  local lines = {}
  for n = 1, 15 do lines[n] = line:format(n, n * 7 % 60, number % 13, number + n * 31, n * 37 % 911) end
  local call = string.format(',{"role":"assistant","content":[{"type":"tool_use","id":"next_%d","name":"Bash","input":{"command":"make %d"}}]}', number, number)
  local result = string.format(',{"role":"user","content":[{"type":"tool_result","tool_use_id":"next_%d","content":"%s"}]}', number, table.concat(lines))
  -- The messages come last in a body.
  return text .. call .. result
end

request = function()
  at, number = at % sessions + 1, number + 1
  local text = told[at] and not is_new and gone_on(told[at]) or begun()
  if not is_new then told[at] = text end
  local session = "s" .. (is_new and number or name .. "." .. at)
  local head = "POST /v1/messages HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\nx-api-key: k\r\nx-session: " .. session .. "\r\ncontent-length: " .. (#text + 2) .. "\r\n\r\n"
  return head .. text .. "]}"
end
